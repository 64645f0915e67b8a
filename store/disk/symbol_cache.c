/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and records: symbol_record.h.
 *
 * An index is stored under a new number, some chunks a transaction, and comes to life with the last
 * one, which puts its number into `module`; chunks of a number that stands nowhere there are
 * remains of an interrupted store.
 */
#include "store/disk/symbol_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/disk/lmdb_env.h"
#include "store/disk/symbol_record.h"

/* Address space, not disk: what stands free in the file between two sizes of index included. */
#define MAP_FACTOR 4
#define MAP_BYTES_MIN (UINT64_C(64) << 20)
#define READERS_MAX 512
#define TABLE_MAX 4
/* Dirty pages of one transaction: a commit blocks other writers for so long. */
#define TXN_BYTES_MAX (4u << 20)
/* Room is made a tenth at a time, not index by index. */
#define EVICT_TO_PERCENT 90
#define STORE_TRIES_MAX 8
#define SWEEP_COUNT_MAX 4096
/* Of the processor's cache. */
#define LINE_BYTES 64u

struct symbol_cache {
	pthread_mutex_t lock; /* catalog, next_number, counts */
	struct lmdb_env *env;
	uint32_t module_table;
	uint32_t chunk_table;
	struct symbol_misses misses;
	struct symbol_catalog catalog;
	uint64_t next_number;
	uint64_t bytes_max;
	uint64_t evicted_count;
	uint64_t damaged_count;
	struct clock clock;
	char *folder;
	char *mark; /* path of the file that says "closed in order" */
};

static int put_entry(
	struct symbol_cache *cache, struct lmdb_txn *txn, const struct symbol_cache_entry *entry)
{
	struct symbol_key key = symbol_key_of_module(&entry->id);
	struct bytes_writer writer;
	int r;

	bytes_writer_init(&writer, SYMBOL_RECORD_BYTES_MAX);
	r = symbol_record_encode(entry, &writer);
	if (r == 0)
		r = lmdb_put(txn, cache->module_table, symbol_key_span(&key),
			(struct lmdb_span){writer.bytes, writer.byte_count});
	bytes_writer_done(&writer);
	return r;
}

static int delete_chunks(
	struct symbol_cache *cache, struct lmdb_txn *txn, uint64_t number, uint32_t chunk_count)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < chunk_count; i++) {
		struct symbol_key key = symbol_key_of_chunk(number, i);

		r = lmdb_delete(txn, cache->chunk_table, symbol_key_span(&key));
		if (r == -ENOENT)
			r = 0;
	}
	return r;
}

/* ---- Opening ---- */

static int load_entry(void *context, struct lmdb_span key, struct lmdb_span value)
{
	struct symbol_cache *cache = context;
	struct symbol_cache_entry entry;

	/* A record that cannot be read counts as absent; its chunks are swept out. */
	if (symbol_record_decode(key, value, &entry) < 0) {
		cache->damaged_count++;
		return 0;
	}
	if (entry.number >= cache->next_number)
		cache->next_number = entry.number + 1;
	return symbol_catalog_put(&cache->catalog, &entry);
}

static int compare_numbers(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

/* Numbers that belong to an entry, and chunk keys that belong to none. */
struct sweep {
	struct symbol_cache *cache;
	uint64_t *live;
	uint32_t live_count;
	struct symbol_key dead[SWEEP_COUNT_MAX];
	uint32_t dead_count;
};

static int find_dead(void *context, struct lmdb_span key, struct lmdb_span value)
{
	struct sweep *sweep = context;
	uint64_t number = 0;

	(void)value;
	if (symbol_key_chunk_number(key, &number) == 0) {
		if (number >= sweep->cache->next_number)
			sweep->cache->next_number = number + 1;
		if (sweep->live_count > 0 &&
			bsearch(&number, sweep->live, sweep->live_count, sizeof(number),
				compare_numbers))
			return 0;
	}
	if (key.byte_count <= SYMBOL_KEY_BYTES_MAX && sweep->dead_count < SWEEP_COUNT_MAX) {
		struct symbol_key *dead = &sweep->dead[sweep->dead_count++];

		memcpy(dead->bytes, key.bytes, key.byte_count);
		dead->byte_count = key.byte_count;
	}
	return 0;
}

static int sweep_once(struct symbol_cache *cache, struct sweep *sweep)
{
	struct lmdb_txn *txn;
	int r = lmdb_write_begin(cache->env, &txn);

	if (r < 0)
		return r;
	r = lmdb_visit(txn, cache->chunk_table, find_dead, sweep);
	for (uint32_t i = 0; r == 0 && i < sweep->dead_count; i++)
		r = lmdb_delete(txn, cache->chunk_table, symbol_key_span(&sweep->dead[i]));
	if (r == 0)
		return lmdb_write_commit(txn);
	lmdb_write_abort(txn);
	return r;
}

static int sweep_chunks(struct symbol_cache *cache)
{
	SCOPED_FREE struct sweep *sweep = calloc(1, sizeof(*sweep));
	SCOPED_FREE uint64_t *live = calloc(cache->catalog.count + 1, sizeof(*live));
	int r;

	if (!sweep || !live)
		return -ENOMEM;
	sweep->cache = cache;
	sweep->live = live;
	sweep->live_count = cache->catalog.count;
	for (uint32_t i = 0; i < sweep->live_count; i++)
		live[i] = cache->catalog.entries[i].number;
	qsort(live, sweep->live_count, sizeof(*live), compare_numbers);
	do {
		sweep->dead_count = 0;
		r = sweep_once(cache, sweep);
	} while (r == 0 && sweep->dead_count == SWEEP_COUNT_MAX);
	return r;
}

static int open_tables(struct symbol_cache *cache)
{
	int r = lmdb_table_open(cache->env, "module", &cache->module_table);

	if (r == 0)
		r = lmdb_table_open(cache->env, "chunk", &cache->chunk_table);
	if (r == 0)
		r = symbol_misses_open(&cache->misses, cache->env, cache->clock);
	return r;
}

static int load(struct symbol_cache *cache)
{
	struct lmdb_txn *txn;
	uint32_t freed_count;
	int r = lmdb_env_check_readers(cache->env, &freed_count);

	if (r == 0)
		r = lmdb_read_begin(cache->env, &txn);
	if (r != 0)
		return r;
	r = lmdb_visit(txn, cache->module_table, load_entry, cache);
	lmdb_read_end(txn);
	return r == 0 ? sweep_chunks(cache) : r;
}

static uint64_t map_bytes(uint64_t bytes_max)
{
	return bytes_max * MAP_FACTOR > MAP_BYTES_MIN ? bytes_max * MAP_FACTOR : MAP_BYTES_MIN;
}

static char *mark_path(const char *folder)
{
	char *path;

	return asprintf(&path, "%s/closed-in-order", folder) < 0 ? NULL : path;
}

bool symbol_cache_closed_in_order(const char *folder)
{
	SCOPED_FREE char *mark = mark_path(folder);
	SCOPED_FREE char *data = NULL;

	if (!mark || asprintf(&data, "%s/data.mdb", folder) < 0)
		return false;
	return access(mark, F_OK) == 0 || access(data, F_OK) != 0;
}

static int sync_folder(const char *folder)
{
	SCOPED_FD int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/* Durably gone before the first write: whoever dies from here on, and be it by a power cut, leaves
 * no mark. */
static int take_mark(const char *mark, const char *folder)
{
	if (unlink(mark) < 0)
		return errno == ENOENT ? 0 : -errno;
	return sync_folder(folder);
}

int symbol_cache_new(const struct symbol_cache_options *options, struct symbol_cache **ret_cache)
{
	struct lmdb_options env_options = {
		.folder = options->folder,
		.map_bytes = map_bytes(options->bytes_max),
		.table_max = TABLE_MAX,
		.reader_max = READERS_MAX,
	};
	struct symbol_cache *cache = calloc(1, sizeof(*cache));
	int r;

	if (!cache)
		return -ENOMEM;
	pthread_mutex_init(&cache->lock, NULL);
	symbol_catalog_init(&cache->catalog);
	cache->clock = options->clock;
	cache->bytes_max = options->bytes_max;
	cache->next_number = 1;
	cache->mark = mark_path(options->folder);
	cache->folder = strdup(options->folder);
	r = cache->mark && cache->folder ? take_mark(cache->mark, cache->folder) : -ENOMEM;
	if (r == 0)
		r = lmdb_env_new(&env_options, &cache->env);
	if (r == 0)
		r = open_tables(cache);
	if (r == 0)
		r = load(cache);
	if (r < 0) {
		/* Not in order: no mark. */
		free(TAKE(cache->mark));
		symbol_cache_free(cache);
		return r;
	}
	*ret_cache = cache;
	return 0;
}

/* ---- Closing ---- */

static int save_uses(struct symbol_cache *cache)
{
	struct lmdb_txn *txn;
	int r = lmdb_write_begin(cache->env, &txn);

	if (r < 0)
		return r;
	for (uint32_t i = 0; r == 0 && i < cache->catalog.count; i++)
		if (cache->catalog.entries[i].used_unsaved)
			r = put_entry(cache, txn, &cache->catalog.entries[i]);
	if (r == 0)
		return lmdb_write_commit(txn);
	lmdb_write_abort(txn);
	return r;
}

/* Best effort: without it the next start walks the map. */
static void leave_mark(const char *mark, const char *folder)
{
	SCOPED_FD int fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0640);

	if (fd >= 0)
		sync_folder(folder);
}

void symbol_cache_free(struct symbol_cache *cache)
{
	bool in_order;

	if (!cache)
		return;
	in_order = cache->env && cache->mark && save_uses(cache) == 0 &&
		lmdb_env_sync(cache->env) == 0;
	lmdb_env_free(cache->env);
	if (in_order)
		leave_mark(cache->mark, cache->folder);
	symbol_catalog_done(&cache->catalog);
	pthread_mutex_destroy(&cache->lock);
	free(cache->mark);
	free(cache->folder);
	free(cache);
}

/* ---- Reading ---- */

int symbol_cache_find(
	struct symbol_cache *cache, const struct build_id *id, struct symbol_cache_entry *ret_entry)
{
	struct symbol_cache_entry *found;

	pthread_mutex_lock(&cache->lock);
	found = symbol_catalog_find(&cache->catalog, id);
	if (found) {
		found->used_at_ns = clock_read(&cache->clock).realtime_ns;
		found->used_unsaved = true;
		*ret_entry = *found;
	}
	pthread_mutex_unlock(&cache->lock);
	return found ? 0 : -ENOENT;
}

static int copy_chunk(struct lmdb_span value, uint8_t **ret_bytes, uint32_t *ret_byte_count)
{
	size_t byte_count;
	struct bytes_reader reader;
	uint8_t *bytes;

	if (value.byte_count <= SYMBOL_HASH_BYTES ||
		value.byte_count > SYMBOL_HASH_BYTES + SYMBOL_CACHE_CHUNK_BYTES_MAX)
		return -EUCLEAN;
	byte_count = value.byte_count - SYMBOL_HASH_BYTES;
	/* At the start of a line of the processor's cache: what is laid out along lines stays so. */
	bytes = aligned_alloc(LINE_BYTES, (byte_count + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, (const uint8_t *)value.bytes + SYMBOL_HASH_BYTES, byte_count);
	bytes_reader_init(&reader, value.bytes, SYMBOL_HASH_BYTES);
	if (bytes_read_u64(&reader) != hash_bytes(bytes, byte_count)) {
		free(bytes);
		return -EUCLEAN;
	}
	*ret_bytes = bytes;
	*ret_byte_count = (uint32_t)byte_count;
	return 0;
}

/* Whether the catalog still holds this very index: then a missing chunk is damage. */
static bool still_there(struct symbol_cache *cache, const struct symbol_cache_entry *entry)
{
	const struct symbol_cache_entry *found;
	bool there;

	pthread_mutex_lock(&cache->lock);
	found = symbol_catalog_find(&cache->catalog, &entry->id);
	there = found && found->number == entry->number;
	pthread_mutex_unlock(&cache->lock);
	return there;
}

int symbol_cache_read(struct symbol_cache *cache, const struct symbol_cache_entry *entry,
	uint32_t chunk, uint8_t **ret_bytes, uint32_t *ret_byte_count)
{
	struct symbol_key key = symbol_key_of_chunk(entry->number, chunk);
	struct lmdb_span value;
	struct lmdb_txn *txn;
	int r = lmdb_read_begin(cache->env, &txn);

	if (r < 0)
		return r;
	r = lmdb_get(txn, cache->chunk_table, symbol_key_span(&key), &value);
	/* Copied out: a long transaction would keep old pages from being used again. */
	if (r == 0)
		r = copy_chunk(value, ret_bytes, ret_byte_count);
	lmdb_read_end(txn);
	if (r == -ENOENT && still_there(cache, entry))
		r = -EUCLEAN;
	if (r == -EUCLEAN) {
		pthread_mutex_lock(&cache->lock);
		cache->damaged_count++;
		pthread_mutex_unlock(&cache->lock);
		symbol_cache_drop(cache, &entry->id);
	}
	return r;
}

struct symbol_misses *symbol_cache_misses(struct symbol_cache *cache)
{
	return &cache->misses;
}

void symbol_cache_check_readers(struct symbol_cache *cache)
{
	uint32_t freed_count;

	/* If it fails now, the next time does. */
	(void)lmdb_env_check_readers(cache->env, &freed_count);
}

void symbol_cache_usage(struct symbol_cache *cache, struct symbol_cache_usage *ret_usage)
{
	struct lmdb_usage usage = {0};

	lmdb_env_usage(cache->env, &usage);
	pthread_mutex_lock(&cache->lock);
	*ret_usage = (struct symbol_cache_usage){
		.byte_count = cache->catalog.byte_count,
		.bytes_max = cache->bytes_max,
		.file_bytes = usage.used_bytes,
		.evicted_count = cache->evicted_count,
		.damaged_count = cache->damaged_count,
		.module_count = cache->catalog.count,
	};
	pthread_mutex_unlock(&cache->lock);
}

/* ---- Storing ---- */

/* Takes an entry out of the catalog, then its record and chunks out of the file. */
static int remove_entry(struct symbol_cache *cache, const struct symbol_cache_entry *entry)
{
	struct symbol_key key = symbol_key_of_module(&entry->id);
	struct lmdb_txn *txn;
	int r;

	pthread_mutex_lock(&cache->lock);
	symbol_catalog_remove(&cache->catalog, &entry->id);
	pthread_mutex_unlock(&cache->lock);
	r = lmdb_write_begin(cache->env, &txn);
	if (r < 0)
		return r;
	r = lmdb_delete(txn, cache->module_table, symbol_key_span(&key));
	if (r == 0 || r == -ENOENT)
		r = delete_chunks(cache, txn, entry->number, entry->chunk_count);
	if (r == 0)
		return lmdb_write_commit(txn);
	lmdb_write_abort(txn);
	return r;
}

void symbol_cache_drop(struct symbol_cache *cache, const struct build_id *id)
{
	struct symbol_cache_entry *found, entry;

	pthread_mutex_lock(&cache->lock);
	found = symbol_catalog_find(&cache->catalog, id);
	if (found)
		entry = *found;
	pthread_mutex_unlock(&cache->lock);
	/* What cannot be deleted now is swept out at the next start. */
	if (found)
		remove_entry(cache, &entry);
}

/* Evicts one index other than that of KEEP. -ENOSPC: there is none. */
static int evict_one(struct symbol_cache *cache, const struct build_id *keep)
{
	struct symbol_cache_entry *oldest, entry;

	pthread_mutex_lock(&cache->lock);
	oldest = symbol_catalog_oldest(&cache->catalog, keep);
	if (oldest) {
		entry = *oldest;
		cache->evicted_count++;
	}
	pthread_mutex_unlock(&cache->lock);
	return oldest ? remove_entry(cache, &entry) : -ENOSPC;
}

static int make_room(struct symbol_cache *cache, const struct symbol_cache_index *index)
{
	uint64_t target = cache->bytes_max;
	int r = 0;

	if (index->byte_count > cache->bytes_max)
		return -ENOSPC;
	while (r == 0) {
		bool enough;

		pthread_mutex_lock(&cache->lock);
		enough = cache->catalog.byte_count + index->byte_count <= target &&
			cache->catalog.count < SYMBOL_CATALOG_COUNT_MAX;
		pthread_mutex_unlock(&cache->lock);
		if (enough)
			return 0;
		target = cache->bytes_max / 100 * EVICT_TO_PERCENT;
		if (target < index->byte_count)
			target = index->byte_count;
		r = evict_one(cache, &index->id);
	}
	/* Its own former index counts, too, but makes way as soon as the new one is in. */
	return r == -ENOSPC ? 0 : r;
}

/* Puts chunks from *NEXT on until the transaction is large enough. */
static int put_chunks(struct symbol_cache *cache, struct lmdb_txn *txn,
	const struct symbol_cache_index *index, uint64_t number, uint8_t *buffer, uint32_t *next)
{
	size_t put_bytes = 0;
	int r = 0;

	while (r == 0 && *next < index->chunk_count && put_bytes < TXN_BYTES_MAX) {
		struct symbol_key key = symbol_key_of_chunk(number, *next);
		uint32_t byte_count = 0;
		uint64_t hash;

		r = index->read(index->context, *next, buffer + SYMBOL_HASH_BYTES, &byte_count);
		if (r < 0)
			break;
		hash = hash_bytes(buffer + SYMBOL_HASH_BYTES, byte_count);
		for (int i = 0; i < SYMBOL_HASH_BYTES; i++)
			buffer[i] = (uint8_t)(hash >> (8 * i));
		r = lmdb_put(txn, cache->chunk_table, symbol_key_span(&key),
			(struct lmdb_span){buffer, SYMBOL_HASH_BYTES + byte_count});
		put_bytes += byte_count;
		(*next)++;
	}
	return r;
}

/* Puts the new record in place of the old one, whose chunks go. */
static int put_live(
	struct symbol_cache *cache, struct lmdb_txn *txn, const struct symbol_cache_entry *entry)
{
	struct symbol_cache_entry *found, before = {0};
	int r;

	pthread_mutex_lock(&cache->lock);
	found = symbol_catalog_find(&cache->catalog, &entry->id);
	if (found)
		before = *found;
	pthread_mutex_unlock(&cache->lock);
	r = put_entry(cache, txn, entry);
	return r == 0 ? delete_chunks(cache, txn, before.number, before.chunk_count) : r;
}

/* One transaction; the last one of an index also makes it live. */
static int store_part(struct symbol_cache *cache, const struct symbol_cache_index *index,
	const struct symbol_cache_entry *entry, uint8_t *buffer, uint32_t *next)
{
	uint32_t reached = *next;
	struct lmdb_txn *txn;
	int r = lmdb_write_begin(cache->env, &txn);

	if (r < 0)
		return r;
	r = put_chunks(cache, txn, index, entry->number, buffer, &reached);
	if (r == 0 && reached == index->chunk_count)
		r = put_live(cache, txn, entry);
	if (r < 0) {
		lmdb_write_abort(txn);
		return r;
	}
	r = lmdb_write_commit(txn);
	if (r == 0)
		*next = reached;
	return r;
}

/* What is left of it now is swept out at the next start at the latest. */
static void remove_part(struct symbol_cache *cache, uint64_t number, uint32_t chunk_count)
{
	struct lmdb_txn *txn;

	if (chunk_count == 0 || lmdb_write_begin(cache->env, &txn) < 0)
		return;
	if (delete_chunks(cache, txn, number, chunk_count) == 0)
		lmdb_write_commit(txn);
	else
		lmdb_write_abort(txn);
}

static int store_once(
	struct symbol_cache *cache, const struct symbol_cache_index *index, uint8_t *buffer)
{
	uint64_t now_ns = clock_read(&cache->clock).realtime_ns;
	struct symbol_cache_entry entry = {
		.id = index->id,
		.byte_count = index->byte_count,
		.chunk_count = index->chunk_count,
		.parser_version = index->parser_version,
		.stored_at_ns = now_ns,
		.used_at_ns = now_ns,
		.quality = index->quality,
	};
	uint32_t next = 0;
	int r = 0;

	pthread_mutex_lock(&cache->lock);
	entry.number = cache->next_number++;
	pthread_mutex_unlock(&cache->lock);
	while (r == 0 && next < index->chunk_count)
		r = store_part(cache, index, &entry, buffer, &next);
	if (r < 0) {
		remove_part(cache, entry.number, next);
		return r;
	}
	pthread_mutex_lock(&cache->lock);
	r = symbol_catalog_put(&cache->catalog, &entry);
	pthread_mutex_unlock(&cache->lock);
	return r;
}

int symbol_cache_store(struct symbol_cache *cache, const struct symbol_cache_index *index)
{
	SCOPED_FREE uint8_t *buffer = malloc(SYMBOL_HASH_BYTES + SYMBOL_CACHE_CHUNK_BYTES_MAX);
	int r;

	if (!buffer)
		return -ENOMEM;
	if (!build_id_known(&index->id) || index->chunk_count == 0)
		return -EINVAL;
	r = make_room(cache, index);
	for (int i = 0; r == 0 && i < STORE_TRIES_MAX; i++) {
		r = store_once(cache, index, buffer);
		if (r != -ENOSPC)
			return r;
		/* The map or the disk is full before the limit: go below it. */
		r = evict_one(cache, &index->id);
	}
	return r < 0 ? r : -ENOSPC;
}
