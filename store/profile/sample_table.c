/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open     rows     [stack thread cpu count value] ...       (hash map finds the row of a sample)
 *          pending  [row slot] [row slot] ...                (one for each sample, as they come)
 * sealed   rows     sorted by stack, thread, cpu
 *          slots    row 0: 3 3 17 | row 1: 40 | ...          (a counting sort of pending by row)
 *
 * A row's slots arrive interleaved with those of other rows; appending them to one list and
 * grouping once at the end keeps adding a sample at two stores.
 */
#include "store/profile/sample_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"

int sample_table_init(struct sample_table *table, uint32_t type, int64_t period, bool has_slots)
{
	*table = (struct sample_table){.type = type, .period = period, .has_slots = has_slots};
	index_map_init(&table->map, SAMPLE_ROW_COUNT_MAX);
	return 0;
}

void sample_table_done(struct sample_table *table)
{
	index_map_done(&table->map);
	free(table->rows);
	free(table->pending);
	free(table->slots);
	*table = (struct sample_table){0};
}

static bool row_equal(const void *context, uint32_t index, const void *key)
{
	const struct sample_row *one = (const struct sample_row *)context + index;
	const struct sample_row *other = key;

	return one->stack == other->stack && one->thread == other->thread && one->cpu == other->cpu;
}

static int find_or_add_row(
	struct sample_table *table, const struct sample_row *key, uint32_t *ret_row)
{
	uint64_t hash = hash_pair((uint64_t)key->stack << 32 | key->thread, key->cpu);
	uint32_t row = index_map_find(&table->map, hash, row_equal, table->rows, key);
	int r;

	if (row != INDEX_MAP_NONE) {
		*ret_row = row;
		return 0;
	}
	r = grow_array(&table->rows, &table->row_capacity, table->row_count, SAMPLE_ROW_COUNT_MAX);
	if (r < 0)
		return r;
	r = index_map_add(&table->map, hash, table->row_count);
	if (r < 0)
		return r;
	table->rows[table->row_count] =
		(struct sample_row){.stack = key->stack, .thread = key->thread, .cpu = key->cpu};
	*ret_row = table->row_count++;
	return 0;
}

/* Room for COUNT more pending slots, so that adding a row either happens whole or not at all. */
static int reserve_slots(struct sample_table *table, uint32_t count)
{
	if (count > SAMPLE_SLOT_COUNT_MAX - table->pending_count)
		return -E2BIG;
	while (table->pending_capacity - table->pending_count < count) {
		int r = grow_array(&table->pending, &table->pending_capacity,
			table->pending_capacity, SAMPLE_SLOT_COUNT_MAX);

		if (r < 0)
			return r;
	}
	return 0;
}

int sample_table_add_row(
	struct sample_table *table, const struct sample_row *row, const uint32_t *slots)
{
	struct sample_row *found;
	uint32_t index, count;
	int64_t value;
	int r;

	must(!table->sealed);
	must(slots || !table->has_slots);
	r = table->has_slots ? reserve_slots(table, row->count) : 0;
	if (r < 0)
		return r;
	r = find_or_add_row(table, row, &index);
	if (r < 0)
		return r;
	found = &table->rows[index];
	if (__builtin_add_overflow(found->count, row->count, &count) ||
		__builtin_add_overflow(found->value, row->value, &value))
		return -EOVERFLOW;
	found->count = count;
	found->value = value;
	for (uint32_t i = 0; table->has_slots && i < row->count; i++)
		table->pending[table->pending_count++] = (struct sample_slot){index, slots[i]};
	return 0;
}

int sample_table_add(struct sample_table *table, uint32_t stack, uint32_t thread, uint32_t cpu,
	int64_t value, uint32_t slot)
{
	struct sample_row row = {
		.stack = stack, .thread = thread, .cpu = cpu, .count = 1, .value = value};

	return sample_table_add_row(table, &row, &slot);
}

/* ROWS[i] becomes the row in FRESH of row i. */
static int restack_rows(struct sample_table *fresh, const struct sample_table *table,
	const uint32_t *stacks, uint32_t *rows)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		struct sample_row row = table->rows[i], *found;
		int r;

		row.stack = stacks[row.stack];
		r = find_or_add_row(fresh, &row, &rows[i]);
		if (r < 0)
			return r;
		found = &fresh->rows[rows[i]];
		if (__builtin_add_overflow(found->count, row.count, &found->count) ||
			__builtin_add_overflow(found->value, row.value, &found->value))
			return -EOVERFLOW;
	}
	return 0;
}

int sample_table_restack(
	const struct sample_table *table, const uint32_t *stacks, struct sample_table *ret_table)
{
	SCOPED_FREE uint32_t *rows = malloc((table->row_count + 1) * sizeof(*rows));
	struct sample_table fresh;
	int r;

	must(!table->sealed);
	sample_table_init(&fresh, table->type, table->period, table->has_slots);
	r = rows ? restack_rows(&fresh, table, stacks, rows) : -ENOMEM;
	if (r == 0)
		r = reserve_slots(&fresh, table->pending_count);
	if (r < 0) {
		sample_table_done(&fresh);
		return r;
	}
	for (uint32_t i = 0; i < table->pending_count; i++)
		fresh.pending[i] =
			(struct sample_slot){rows[table->pending[i].row], table->pending[i].slot};
	fresh.pending_count = table->pending_count;
	*ret_table = fresh;
	return 0;
}

static int row_compare(const void *left, const void *right)
{
	const struct sample_row *one = left, *other = right;

	if (one->stack != other->stack)
		return one->stack < other->stack ? -1 : 1;
	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	if (one->cpu != other->cpu)
		return one->cpu < other->cpu ? -1 : 1;
	return 0;
}

static int slot_compare(const void *left, const void *right)
{
	uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;

	return one < other ? -1 : one > other;
}

/* Batches that come from a collector are in order; looking costs far less than sorting. */
static void sort(void *entries, size_t count, size_t entry_bytes,
	int (*compare)(const void *left, const void *right))
{
	const char *entry = entries;

	for (size_t i = 1; i < count; i++, entry += entry_bytes) {
		if (compare(entry, entry + entry_bytes) > 0) {
			qsort(entries, count, entry_bytes, compare);
			return;
		}
	}
}

/* Groups the pending slots by row; rows are in their first order here, so that indices still hold.
 */
static int group_slots(struct sample_table *table)
{
	SCOPED_FREE uint32_t *next = NULL, *slots = NULL;
	uint32_t first = 0;

	if (!table->has_slots || table->row_count == 0)
		return 0;
	next = malloc(table->row_count * sizeof(*next));
	slots = calloc(table->pending_count ? table->pending_count : 1, sizeof(*slots));
	if (!next || !slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->row_count; i++) {
		table->rows[i].slot_first = next[i] = first;
		first += table->rows[i].count;
	}
	must(first == table->pending_count);
	for (uint32_t i = 0; i < table->pending_count; i++)
		slots[next[table->pending[i].row]++] = table->pending[i].slot;
	for (uint32_t i = 0; i < table->row_count; i++)
		sort(slots + table->rows[i].slot_first, table->rows[i].count, sizeof(*slots),
			slot_compare);
	table->slots = TAKE(slots);
	table->slot_count = table->pending_count;
	return 0;
}

int sample_table_seal(struct sample_table *table)
{
	int r;

	if (table->sealed)
		return 0;
	r = group_slots(table);
	if (r < 0)
		return r;
	sort(table->rows, table->row_count, sizeof(*table->rows), row_compare);
	free(table->pending);
	table->pending = NULL;
	table->pending_count = table->pending_capacity = 0;
	index_map_done(&table->map);
	table->sealed = true;
	return 0;
}

const uint32_t *sample_table_slots(const struct sample_table *table, const struct sample_row *row)
{
	must(table->sealed && table->has_slots);
	return table->slots + row->slot_first;
}
