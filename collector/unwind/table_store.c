/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/table_store.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "store/base/clock.h"

int table_store_init(struct table_store *store, struct node_pool *pool, struct rule_set *rules,
	struct unwind_table *tables, struct tally *tally)
{
	*store = (struct table_store){
		.pool = pool, .rules = rules, .tables = tables, .tally = tally};
	index_map_init(&store->by_build_id, UNWIND_TABLES_MAX);
	store->entries = calloc(UNWIND_TABLES_MAX, sizeof(*store->entries));
	return store->entries ? 0 : -ENOMEM;
}

void table_store_done(struct table_store *store)
{
	index_map_done(&store->by_build_id);
	free(store->entries);
	store->entries = NULL;
}

static bool has_build_id(const void *context, uint32_t index, const void *key)
{
	const struct table_store *store = context;

	return build_id_equal(&store->entries[index].build_id, key);
}

int table_store_number(
	struct table_store *store, const struct build_id *build_id, uint32_t *ret_number)
{
	uint64_t hash = build_id_hash(build_id);
	uint32_t number = index_map_find(&store->by_build_id, hash, has_build_id, store, build_id);
	int r;

	if (number == INDEX_MAP_NONE) {
		if (store->count == UNWIND_TABLES_MAX)
			return -ENOSPC;
		r = index_map_add(&store->by_build_id, hash, store->count);
		if (r < 0)
			return r;
		number = store->count++;
		store->entries[number].build_id = *build_id;
	}
	*ret_number = number;
	return 0;
}

bool table_store_wants(const struct table_store *store, uint32_t number, uint64_t now_ns)
{
	uint8_t state = store->tables[number].state;

	return (state == UNWIND_TABLE_absent || state == UNWIND_TABLE_no_room) &&
		now_ns >= store->entries[number].retry_at_ns;
}

/* How long ago, in UNWIND_USE_TIME's seconds. Walks run on while NOW is that of the round. */
static uint16_t age_of(const struct unwind_table *table, uint16_t now)
{
	int16_t age = (int16_t)(now - table->used_at);

	return age > 0 ? (uint16_t)age : 0;
}

static void take_back(struct table_store *store, uint32_t number)
{
	struct unwind_table table = store->tables[number];

	store->tables[number].state = UNWIND_TABLE_absent;
	/* A walk that still found it ready meets nodes of another generation. */
	atomic_thread_fence(memory_order_seq_cst);
	table_free(store->pool, &table);
	tally_add(store->tally, TALLY_unwind_tables_evicted, 1);
}

bool table_store_evict(struct table_store *store, uint32_t keep, uint16_t idle_min, uint64_t now_ns)
{
	uint16_t now = UNWIND_USE_TIME(now_ns), oldest_age = 0;
	uint32_t oldest = UNWIND_TABLES_MAX;

	for (uint32_t i = 0; i < store->count; i++) {
		uint16_t age = age_of(&store->tables[i], now);

		if (store->tables[i].state != UNWIND_TABLE_ready || i == keep || age < idle_min ||
			(oldest < UNWIND_TABLES_MAX && age <= oldest_age))
			continue;
		oldest = i;
		oldest_age = age;
	}
	if (oldest == UNWIND_TABLES_MAX)
		return false;
	take_back(store, oldest);
	return true;
}

/* The largest table, if it may go for one of SOURCE_BYTES, being much larger, and its time has come;
 * UNWIND_TABLES_MAX if not. */
static uint32_t find_larger(const struct table_store *store, size_t source_bytes, uint64_t now_ns)
{
	uint32_t largest = UNWIND_TABLES_MAX;
	size_t largest_bytes = 0;

	if (now_ns < store->larger_at_ns)
		return UNWIND_TABLES_MAX;
	for (uint32_t i = 0; i < store->count; i++) {
		if (store->tables[i].state == UNWIND_TABLE_ready &&
			store->entries[i].source_bytes > largest_bytes) {
			largest = i;
			largest_bytes = store->entries[i].source_bytes;
		}
	}
	return largest_bytes / TABLE_LARGER_MIN >= source_bytes ? largest : UNWIND_TABLES_MAX;
}

static bool evict_larger(struct table_store *store, size_t source_bytes, uint64_t now_ns)
{
	uint32_t larger = find_larger(store, source_bytes, now_ns);

	if (larger == UNWIND_TABLES_MAX)
		return false;
	store->larger_at_ns = now_ns + TABLE_LARGER_INTERVAL_NS;
	take_back(store, larger);
	return true;
}

/* Whether it is worth the time to try table NUMBER again, which found no room: reading a large file's
 * call frame information takes a tenth of a second. */
static bool may_fit(const struct table_store *store, uint32_t number, uint64_t now_ns)
{
	const struct table_entry *entry = &store->entries[number];
	uint16_t now = UNWIND_USE_TIME(now_ns);
	uint64_t room = node_pool_left(store->pool);

	if (find_larger(store, entry->source_bytes, now_ns) != UNWIND_TABLES_MAX)
		return true;

	for (uint32_t i = 0; i < store->count; i++) {
		if (store->tables[i].state == UNWIND_TABLE_ready &&
			age_of(&store->tables[i], now) >= TABLE_IN_USE)
			room += store->entries[i].node_count;
	}
	return room > entry->node_count;
}

static int build(struct table_store *store, uint32_t number, int fd, uint64_t now_ns,
	struct unwind_table *ret_table)
{
	struct frame_source source;
	struct table_counts counts;
	uint32_t left;
	int r;

	/* Not -ENOENT: that says that the file was read and has nothing. */
	if (fd < 0)
		return -EIO;
	r = frame_source_read(fd, &source);
	if (r < 0)
		return r;
	do {
		left = node_pool_left(store->pool);
		r = table_build(&source.table, store->pool, store->rules, ret_table, &counts);
	} while (r == -ENOSPC &&
		(table_store_evict(store, number, TABLE_IN_USE, now_ns) ||
			evict_larger(store, source.table.section.byte_count, now_ns)));
	if (r == 0) {
		store->entries[number].source_bytes = source.table.section.byte_count;
		store->entries[number].node_count = counts.node_count;
		tally_add(store->tally, TALLY_unwind_rows, counts.row_count);
		tally_add(store->tally, TALLY_unwind_functions_broken, counts.broken_count);
	}
	if (r == -ENOSPC) {
		store->entries[number].source_bytes = source.table.section.byte_count;
		store->entries[number].node_count = left;
	}
	frame_source_done(&source);
	return r;
}

void table_store_build(struct table_store *store, uint32_t number, int fd, uint64_t now_ns)
{
	struct unwind_table *table = &store->tables[number], made = {0};
	bool hopeless = table->state == UNWIND_TABLE_no_room && !may_fit(store, number, now_ns);
	int r = hopeless ? -ENOSPC : build(store, number, fd, now_ns, &made);

	if (r == -ENOENT) {
		table->state = UNWIND_TABLE_none;
		tally_add(store->tally, TALLY_unwind_tables_none, 1);
		return;
	}
	if (r == -ENOSPC) {
		table->state = UNWIND_TABLE_no_room;
		store->entries[number].retry_at_ns = now_ns + TABLE_NO_ROOM_RETRY_NS;
		tally_add(store->tally, TALLY_unwind_tables_no_room, 1);
		return;
	}
	if (r < 0) {
		store->entries[number].retry_at_ns = now_ns + TABLE_RETRY_NS;
		tally_add(store->tally, TALLY_unwind_tables_failed, 1);
		return;
	}
	table->root = made.root;
	table->height = made.height;
	table->byte_count = made.byte_count;
	table->used_at = UNWIND_USE_TIME(now_ns);
	/* Last, so that a walk that finds it ready finds all of it. */
	atomic_thread_fence(memory_order_release);
	table->state = UNWIND_TABLE_ready;
	tally_add(store->tally, TALLY_unwind_tables_built, 1);
}
