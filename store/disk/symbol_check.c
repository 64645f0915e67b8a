/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_check.h"

#include <errno.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/base/hash.h"
#include "store/disk/lmdb_env.h"
#include "store/disk/symbol_record.h"

/* Enough for any file: a map is never smaller than the file it shows. */
#define MAP_BYTES (UINT64_C(64) << 20)
#define TABLE_COUNT 3
/* The two heads of an LMDB file. */
#define META_PAGE_COUNT 2

static const char *const table_names[TABLE_COUNT] = {"module", "chunk", "miss"};

/* What is in order reaches only so far: pages of the file, and the list of free ones. */
struct walk {
	uint64_t page_count; /* of the file, as its last transaction left it */
	uint64_t free_count;
	uint64_t sum;
};

/* Touches the first and the last byte of a value: a page that the file does not have kills here. */
static int touch(void *context, struct lmdb_span key, struct lmdb_span value)
{
	const volatile uint8_t *bytes = value.bytes;
	struct walk *walk = context;

	if (key.byte_count == 0)
		return -EUCLEAN;
	if (value.byte_count > 0)
		walk->sum += bytes[0] + bytes[value.byte_count - 1];
	return 0;
}

static int check_module(void *context, struct lmdb_span key, struct lmdb_span value)
{
	struct symbol_cache_entry entry;

	(void)context;
	return symbol_record_decode(key, value, &entry);
}

static int check_chunk(void *context, struct lmdb_span key, struct lmdb_span value)
{
	const uint8_t *bytes = value.bytes;
	struct bytes_reader reader;
	uint64_t number;

	(void)context;
	if (symbol_key_chunk_number(key, &number) < 0 || value.byte_count <= SYMBOL_HASH_BYTES)
		return -EUCLEAN;
	bytes_reader_init(&reader, bytes, SYMBOL_HASH_BYTES);
	return bytes_read_u64(&reader) ==
			hash_bytes(bytes + SYMBOL_HASH_BYTES, value.byte_count - SYMBOL_HASH_BYTES)
		? 0
		: -EUCLEAN;
}

/* A list of page numbers behind their count, in this machine's own words, the highest first. */
static int check_free(void *context, struct lmdb_span key, struct lmdb_span value)
{
	struct walk *walk = context;
	uint64_t count, page, before = walk->page_count;

	if (key.byte_count != sizeof(uint64_t) || value.byte_count < sizeof(uint64_t))
		return -EUCLEAN;
	memcpy(&count, value.bytes, sizeof(count));
	/* A list may be longer than what is in use of it. */
	if (count > value.byte_count / sizeof(uint64_t) - 1)
		return -EUCLEAN;
	for (uint64_t i = 1; i <= count; i++) {
		memcpy(&page, (const uint8_t *)value.bytes + i * sizeof(page), sizeof(page));
		if (page >= before || page < META_PAGE_COUNT)
			return -EUCLEAN;
		before = page;
	}
	walk->free_count += count;
	return 0;
}

/* A cache without its tables has nothing that could be lost: it counts as damaged. */
static int open_tables(struct lmdb_env *env, uint32_t tables[TABLE_COUNT])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < TABLE_COUNT; i++)
		r = lmdb_table_open(env, table_names[i], &tables[i]);
	return r == -ENOENT ? -EUCLEAN : r;
}

/* Every page is a head, free, or of a table: no more and no fewer. */
static int check_pages(struct lmdb_txn *txn, const uint32_t tables[TABLE_COUNT], struct walk *walk)
{
	uint64_t sum = META_PAGE_COUNT + walk->free_count, count = 0;
	int r = lmdb_page_count(txn, LMDB_TABLE_FREE, &count);

	sum += count;
	if (r == 0)
		r = lmdb_page_count(txn, LMDB_TABLE_NAMES, &count);
	sum += count;
	for (size_t i = 0; r == 0 && i < TABLE_COUNT; i++) {
		r = lmdb_page_count(txn, tables[i], &count);
		sum += count;
	}
	return r == 0 && sum != walk->page_count ? -EUCLEAN : r;
}

static int check_tables(struct lmdb_env *env, struct walk *walk)
{
	static int (*const visits[TABLE_COUNT])(void *, struct lmdb_span, struct lmdb_span) = {
		check_module, check_chunk, touch};
	uint32_t tables[TABLE_COUNT];
	struct lmdb_txn *txn;
	int r = open_tables(env, tables);

	if (r == 0)
		r = lmdb_read_begin(env, &txn);
	if (r != 0)
		return r;
	r = lmdb_visit(txn, LMDB_TABLE_FREE, check_free, walk);
	if (r == 0)
		r = lmdb_visit(txn, LMDB_TABLE_NAMES, touch, walk);
	for (size_t i = 0; r == 0 && i < TABLE_COUNT; i++)
		r = lmdb_visit(txn, tables[i], visits[i], walk);
	if (r == 0)
		r = check_pages(txn, tables, walk);
	lmdb_read_end(txn);
	return r;
}

static int check_length(struct lmdb_env *env, struct walk *walk)
{
	struct lmdb_usage usage;
	int r = lmdb_env_usage(env, &usage);

	if (r == 0)
		walk->page_count = usage.used_bytes / usage.page_bytes;

	return r == 0 && usage.file_bytes < usage.used_bytes ? -EUCLEAN : r;
}

/* Deletes the first entry again and again, until none is left. */
static int delete_all(struct lmdb_txn *txn, uint32_t table)
{
	uint8_t bytes[LMDB_KEY_BYTES_MAX];
	struct lmdb_span key = {NULL, 0}, value;
	int r = 0;

	while (r == 0) {
		struct lmdb_cursor *cursor;

		r = lmdb_cursor_new(txn, table, &cursor);
		if (r < 0)
			return r;
		r = lmdb_cursor_seek(cursor, (struct lmdb_span){NULL, 0}, &key, &value);
		if (r == 0 && (key.byte_count == 0 || key.byte_count > sizeof(bytes)))
			r = -EUCLEAN;
		if (r == 0)
			memcpy(bytes, key.bytes, key.byte_count);
		lmdb_cursor_free(cursor);
		if (r == 0)
			r = lmdb_delete(txn, table, (struct lmdb_span){bytes, key.byte_count});
	}
	return r == -ENOENT ? 0 : r;
}

/* What only writers look at shows when everything is taken out. Nothing of it is stored. */
static int try_writes(const char *folder)
{
	struct lmdb_options options = {
		.folder = folder,
		.map_bytes = MAP_BYTES,
		.table_max = TABLE_COUNT,
		.reader_max = 1,
	};
	uint32_t tables[TABLE_COUNT];
	struct lmdb_txn *txn;
	struct lmdb_env *env;
	int r = lmdb_env_new(&options, &env);

	if (r < 0)
		return r;
	r = open_tables(env, tables);
	if (r == 0)
		r = lmdb_write_begin(env, &txn);
	if (r == 0) {
		for (size_t i = 0; r == 0 && i < TABLE_COUNT; i++)
			r = delete_all(txn, tables[i]);
		lmdb_write_abort(txn);
	}
	lmdb_env_free(env);
	return r;
}

int symbol_check(const char *folder)
{
	struct lmdb_options options = {
		.folder = folder,
		.map_bytes = MAP_BYTES,
		.table_max = TABLE_COUNT,
		.reader_max = 1,
		.read_only = true,
	};
	struct walk walk = {.page_count = 0};
	struct lmdb_env *env;
	int r = lmdb_env_new(&options, &env);

	if (r < 0)
		return r;
	r = check_length(env, &walk);
	if (r == 0)
		r = check_tables(env, &walk);
	lmdb_env_free(env);
	return r == 0 ? try_writes(folder) : r;
}
