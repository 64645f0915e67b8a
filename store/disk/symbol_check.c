/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_check.h"

#include <errno.h>

#include "store/disk/lmdb_env.h"

/* Enough for any file: a map is never smaller than the file it shows. */
#define MAP_BYTES (UINT64_C(64) << 20)
#define TABLE_COUNT 3

static const char *const table_names[TABLE_COUNT] = {"module", "chunk", "miss"};

/* Touches the first and the last byte of a value: a page that the file does not have kills here. */
static int touch(void *context, struct lmdb_span key, struct lmdb_span value)
{
	const volatile uint8_t *bytes = value.bytes;
	uint64_t *sum = context;

	if (key.byte_count == 0)
		return -EUCLEAN;
	if (value.byte_count > 0)
		*sum += bytes[0] + bytes[value.byte_count - 1];
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

static int check_tables(struct lmdb_env *env)
{
	uint32_t tables[TABLE_COUNT];
	struct lmdb_txn *txn;
	uint64_t sum = 0;
	int r = open_tables(env, tables);

	if (r == 0)
		r = lmdb_read_begin(env, &txn);
	if (r != 0)
		return r;
	/* Writers read the list of free pages. */
	r = lmdb_visit(txn, LMDB_TABLE_FREE, touch, &sum);
	if (r == 0)
		r = lmdb_visit(txn, LMDB_TABLE_NAMES, touch, &sum);
	for (size_t i = 0; r == 0 && i < TABLE_COUNT; i++)
		r = lmdb_visit(txn, tables[i], touch, &sum);
	lmdb_read_end(txn);
	return r;
}

static int check_length(struct lmdb_env *env)
{
	struct lmdb_usage usage;
	int r = lmdb_env_usage(env, &usage);

	return r == 0 && usage.file_bytes < usage.used_bytes ? -EUCLEAN : r;
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
	struct lmdb_env *env;
	int r = lmdb_env_new(&options, &env);

	if (r < 0)
		return r;
	r = check_length(env);
	if (r == 0)
		r = check_tables(env);
	lmdb_env_free(env);
	return r;
}
