/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/lmdb_env.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <lmdb.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"

/* Below this the address space is too small for anything useful: report it instead. */
#define MAP_BYTES_MIN ((uint64_t)1 << 20)

struct lmdb_env {
	MDB_env *env;
	bool read_only;
};

struct lmdb_txn {
	MDB_txn *txn;
};

struct lmdb_cursor {
	MDB_cursor *cursor;
};

/* LMDB's errors are positive errno or its own negative codes. */
static int translate(int r)
{
	switch (r) {
	case MDB_SUCCESS:
		return 0;
	case MDB_NOTFOUND:
		return -ENOENT;
	case MDB_MAP_FULL:
	case MDB_TXN_FULL:
	case MDB_DBS_FULL:
		return -ENOSPC;
	case MDB_READERS_FULL:
		return -EUSERS;
	case MDB_PAGE_NOTFOUND:
	case MDB_CORRUPTED:
	case MDB_PANIC:
	case MDB_VERSION_MISMATCH:
	case MDB_INVALID:
	case MDB_CURSOR_FULL:
	case MDB_PAGE_FULL:
	case MDB_INCOMPATIBLE:
		return -EUCLEAN;
	case MDB_MAP_RESIZED:
		return -EAGAIN;
	case MDB_BAD_VALSIZE:
	case MDB_BAD_TXN:
	case MDB_BAD_DBI:
	case MDB_BAD_RSLOT:
	case MDB_KEYEXIST:
		return -EINVAL;
	default:
		return r > 0 ? -r : -EIO;
	}
}

static MDB_val to_value(struct lmdb_span span)
{
	return (MDB_val){.mv_size = span.byte_count, .mv_data = (void *)(uintptr_t)span.bytes};
}

static struct lmdb_span to_span(MDB_val value)
{
	return (struct lmdb_span){.bytes = value.mv_data, .byte_count = value.mv_size};
}

static int open_once(const struct lmdb_options *options, uint64_t map_bytes, MDB_env **ret_env)
{
	/* MDB_NOTLS: a read transaction belongs to its object, not to its thread. */
	unsigned flags = MDB_NOTLS | MDB_NORDAHEAD;
	MDB_env *env = NULL;
	int r = mdb_env_create(&env);

	if (r != 0)
		return translate(r);
	if (options->read_only)
		flags |= MDB_RDONLY;
	if (options->lazy)
		flags |= MDB_NOSYNC;
	r = mdb_env_set_maxdbs(env, options->table_max);
	if (r == 0)
		r = mdb_env_set_maxreaders(env, options->reader_max);
	if (r == 0)
		r = mdb_env_set_mapsize(env, map_bytes);
	if (r == 0)
		r = mdb_env_open(env, options->folder, flags, 0640);
	if (r != 0) {
		mdb_env_close(env);
		return translate(r);
	}
	*ret_env = env;
	return 0;
}

int lmdb_env_new(const struct lmdb_options *options, struct lmdb_env **ret_env)
{
	SCOPED_FREE struct lmdb_env *env = calloc(1, sizeof(*env));
	uint64_t map_bytes = options->map_bytes;
	int r;

	if (!env)
		return -ENOMEM;
	r = open_once(options, map_bytes, &env->env);
	/* A limit on address space (ulimit -v) refuses a large map; a smaller one still works. */
	while (r == -ENOMEM && map_bytes / 2 >= MAP_BYTES_MIN) {
		map_bytes /= 2;
		r = open_once(options, map_bytes, &env->env);
	}
	if (r < 0)
		return r;
	env->read_only = options->read_only;
	*ret_env = TAKE(env);
	return 0;
}

void lmdb_env_free(struct lmdb_env *env)
{
	if (!env)
		return;
	mdb_env_close(env->env);
	free(env);
}

int lmdb_env_sync(struct lmdb_env *env)
{
	return translate(mdb_env_sync(env->env, 1));
}

int lmdb_env_usage(struct lmdb_env *env, struct lmdb_usage *ret_usage)
{
	MDB_envinfo info;
	MDB_stat stat;
	struct stat file;
	int fd;
	int r = mdb_env_info(env->env, &info);

	if (r == 0)
		r = mdb_env_stat(env->env, &stat);
	if (r == 0)
		r = mdb_env_get_fd(env->env, &fd);
	if (r != 0)
		return translate(r);
	if (fstat(fd, &file) < 0)
		return -errno;
	*ret_usage = (struct lmdb_usage){
		.map_bytes = info.me_mapsize,
		.page_bytes = stat.ms_psize,
		.used_bytes = ((uint64_t)info.me_last_pgno + 1) * stat.ms_psize,
		.file_bytes = (uint64_t)file.st_size,
		.reader_count = info.me_numreaders,
		.reader_max = info.me_maxreaders,
	};
	return 0;
}

int lmdb_env_check_readers(struct lmdb_env *env, uint32_t *ret_freed_count)
{
	int freed_count = 0;
	int r = mdb_reader_check(env->env, &freed_count);

	if (r != 0)
		return translate(r);
	*ret_freed_count = (uint32_t)freed_count;
	return 0;
}

int lmdb_table_open(struct lmdb_env *env, const char *name, uint32_t *ret_table)
{
	unsigned flags = env->read_only ? 0 : MDB_CREATE;
	MDB_txn *txn = NULL;
	MDB_dbi table;
	int r = mdb_txn_begin(env->env, NULL, env->read_only ? MDB_RDONLY : 0, &txn);

	if (r != 0)
		return translate(r);
	r = mdb_dbi_open(txn, name, flags, &table);
	if (r != 0) {
		mdb_txn_abort(txn);
		return translate(r);
	}
	/* Committed even when reading: a handle from an aborted transaction is lost. */
	r = mdb_txn_commit(txn);
	if (r != 0)
		return translate(r);
	*ret_table = table;
	return 0;
}

static int begin(struct lmdb_env *env, unsigned flags, struct lmdb_txn **ret_txn)
{
	SCOPED_FREE struct lmdb_txn *txn = calloc(1, sizeof(*txn));
	uint32_t freed_count = 0;
	int r;

	if (!txn)
		return -ENOMEM;
	r = mdb_txn_begin(env->env, NULL, flags, &txn->txn);
	if (r == MDB_READERS_FULL && lmdb_env_check_readers(env, &freed_count) == 0 &&
		freed_count > 0)
		r = mdb_txn_begin(env->env, NULL, flags, &txn->txn);
	if (r != 0)
		return translate(r);
	*ret_txn = TAKE(txn);
	return 0;
}

int lmdb_read_begin(struct lmdb_env *env, struct lmdb_txn **ret_txn)
{
	return begin(env, MDB_RDONLY, ret_txn);
}

void lmdb_read_end(struct lmdb_txn *txn)
{
	lmdb_write_abort(txn);
}

int lmdb_write_begin(struct lmdb_env *env, struct lmdb_txn **ret_txn)
{
	must(!env->read_only);
	return begin(env, 0, ret_txn);
}

int lmdb_write_commit(struct lmdb_txn *txn)
{
	int r = mdb_txn_commit(txn->txn);

	free(txn);
	return translate(r);
}

void lmdb_write_abort(struct lmdb_txn *txn)
{
	if (!txn)
		return;
	mdb_txn_abort(txn->txn);
	free(txn);
}

int lmdb_get(
	struct lmdb_txn *txn, uint32_t table, struct lmdb_span key, struct lmdb_span *ret_value)
{
	MDB_val key_value = to_value(key), value;
	int r = mdb_get(txn->txn, table, &key_value, &value);

	if (r != 0)
		return translate(r);
	*ret_value = to_span(value);
	return 0;
}

int lmdb_put(struct lmdb_txn *txn, uint32_t table, struct lmdb_span key, struct lmdb_span value)
{
	MDB_val key_value = to_value(key), data = to_value(value);

	return translate(mdb_put(txn->txn, table, &key_value, &data, 0));
}

int lmdb_delete(struct lmdb_txn *txn, uint32_t table, struct lmdb_span key)
{
	MDB_val key_value = to_value(key);

	return translate(mdb_del(txn->txn, table, &key_value, NULL));
}

int lmdb_count(struct lmdb_txn *txn, uint32_t table, uint64_t *ret_count)
{
	MDB_stat stat;
	int r = mdb_stat(txn->txn, table, &stat);

	if (r != 0)
		return translate(r);
	*ret_count = stat.ms_entries;
	return 0;
}

int lmdb_page_count(struct lmdb_txn *txn, uint32_t table, uint64_t *ret_count)
{
	MDB_stat stat;
	int r = mdb_stat(txn->txn, table, &stat);

	if (r != 0)
		return translate(r);
	*ret_count = (uint64_t)stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
	return 0;
}

int lmdb_cursor_new(struct lmdb_txn *txn, uint32_t table, struct lmdb_cursor **ret_cursor)
{
	SCOPED_FREE struct lmdb_cursor *cursor = calloc(1, sizeof(*cursor));
	int r;

	if (!cursor)
		return -ENOMEM;
	r = mdb_cursor_open(txn->txn, table, &cursor->cursor);
	if (r != 0)
		return translate(r);
	*ret_cursor = TAKE(cursor);
	return 0;
}

void lmdb_cursor_free(struct lmdb_cursor *cursor)
{
	if (!cursor)
		return;
	mdb_cursor_close(cursor->cursor);
	free(cursor);
}

static int cursor_get(struct lmdb_cursor *cursor, struct lmdb_span from, MDB_cursor_op operation,
	struct lmdb_span *ret_key, struct lmdb_span *ret_value)
{
	MDB_val key = to_value(from), value;
	int r = mdb_cursor_get(cursor->cursor, &key, &value, operation);

	if (r != 0)
		return translate(r);
	*ret_key = to_span(key);
	*ret_value = to_span(value);
	return 0;
}

int lmdb_cursor_seek(struct lmdb_cursor *cursor, struct lmdb_span key, struct lmdb_span *ret_key,
	struct lmdb_span *ret_value)
{
	MDB_cursor_op operation = key.byte_count ? MDB_SET_RANGE : MDB_FIRST;

	return cursor_get(cursor, key, operation, ret_key, ret_value);
}

int lmdb_cursor_next(
	struct lmdb_cursor *cursor, struct lmdb_span *ret_key, struct lmdb_span *ret_value)
{
	return cursor_get(cursor, (struct lmdb_span){0}, MDB_NEXT, ret_key, ret_value);
}

int lmdb_cursor_last(
	struct lmdb_cursor *cursor, struct lmdb_span *ret_key, struct lmdb_span *ret_value)
{
	return cursor_get(cursor, (struct lmdb_span){0}, MDB_LAST, ret_key, ret_value);
}

int lmdb_visit(struct lmdb_txn *txn, uint32_t table, lmdb_visit_fn visit, void *context)
{
	struct lmdb_span key = {0}, value = {0};
	struct lmdb_cursor *cursor = NULL;
	int r = lmdb_cursor_new(txn, table, &cursor);
	int visited = 0;

	if (r < 0 || !cursor)
		return r;
	r = lmdb_cursor_seek(cursor, (struct lmdb_span){0}, &key, &value);
	while (r == 0 && visited == 0) {
		visited = visit(context, key, value);
		if (visited == 0)
			r = lmdb_cursor_next(cursor, &key, &value);
	}
	lmdb_cursor_free(cursor);
	if (visited != 0)
		return visited;
	return r == -ENOENT ? 0 : r;
}
