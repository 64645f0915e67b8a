/* SPDX-License-Identifier: Apache-2.0 */
/* LMDB environment: ordered key-value tables in one memory-mapped file.
 *
 * What it is   the only file that includes lmdb.h: opens an environment, runs transactions, walks
 *              tables, and says every error as a negative errno.
 * Ownership    what lmdb_get and a cursor give back is borrowed from the map until the transaction
 *              ends or, in a write transaction, until the next put or delete.
 * Threads      the environment: any. A transaction and its cursors: one thread at a time; a read
 *              transaction may move between threads. Writers wait for each other.
 * Errors       -ENOENT: no such key; -ENOSPC: map or disk full, abort and make room; -EUSERS: too
 *              many readers; -EUCLEAN: the file is damaged, move it aside; -EINVAL: a key that LMDB
 *              cannot take. LMDB has no page checksums: a damaged map can end the process, so only
 *              what can be made again lives in one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LMDB's own limit for keys. */
#define LMDB_KEY_BYTES_MAX 511
/* Always there: the list of free pages, and the names of the tables. For lmdb_visit only. */
#define LMDB_TABLE_FREE 0
#define LMDB_TABLE_NAMES 1

struct lmdb_env;
struct lmdb_txn;
struct lmdb_cursor;

struct lmdb_options {
	const char *folder; /* must exist; holds data.mdb and lock.mdb */
	uint64_t map_bytes; /* address space to reserve; halved as long as that much is not to be
			       had */
	uint32_t table_max;
	uint32_t reader_max; /* read transactions open at a time, all processes together */
	bool read_only;
	/* Commits do not wait for the disk; after a power cut the file must be checked or made
	 * again. */
	bool lazy;
};

struct lmdb_span {
	const void *bytes;
	size_t byte_count;
};

struct lmdb_usage {
	uint64_t map_bytes;
	uint32_t page_bytes;
	uint64_t used_bytes; /* pages ever used, free ones included */
	uint64_t file_bytes; /* less than used_bytes: the end of the file is gone */
	uint32_t reader_count;
	uint32_t reader_max;
};

int lmdb_env_new(const struct lmdb_options *options, struct lmdb_env **ret_env);
/* All transactions must have ended. */
void lmdb_env_free(struct lmdb_env *env);
int lmdb_env_sync(struct lmdb_env *env);
int lmdb_env_usage(struct lmdb_env *env, struct lmdb_usage *ret_usage);
/* Frees the slots of readers whose process is gone, which would pin old pages for ever. Also done
 * by itself when the slots run out. */
int lmdb_env_check_readers(struct lmdb_env *env, uint32_t *ret_freed_count);
/* Opens table NAME, made if absent unless the environment is read-only (then -ENOENT). Tables are
 * opened at start, before other threads use the environment. */
int lmdb_table_open(struct lmdb_env *env, const char *name, uint32_t *ret_table);

int lmdb_read_begin(struct lmdb_env *env, struct lmdb_txn **ret_txn);
/* Accepts NULL. */
void lmdb_read_end(struct lmdb_txn *txn);
int lmdb_write_begin(struct lmdb_env *env, struct lmdb_txn **ret_txn);
/* Ends the transaction in either case; nothing of it is stored after an error. */
int lmdb_write_commit(struct lmdb_txn *txn);
/* Accepts NULL. */
void lmdb_write_abort(struct lmdb_txn *txn);

int lmdb_get(
	struct lmdb_txn *txn, uint32_t table, struct lmdb_span key, struct lmdb_span *ret_value);
/* Replaces what stands under KEY. */
int lmdb_put(struct lmdb_txn *txn, uint32_t table, struct lmdb_span key, struct lmdb_span value);
int lmdb_delete(struct lmdb_txn *txn, uint32_t table, struct lmdb_span key);
int lmdb_count(struct lmdb_txn *txn, uint32_t table, uint64_t *ret_count);
/* Pages that TABLE says it has. */
int lmdb_page_count(struct lmdb_txn *txn, uint32_t table, uint64_t *ret_count);

int lmdb_cursor_new(struct lmdb_txn *txn, uint32_t table, struct lmdb_cursor **ret_cursor);
/* Before the end of its transaction. Accepts NULL. */
void lmdb_cursor_free(struct lmdb_cursor *cursor);
/* The first entry whose key is not below KEY; an empty KEY means the first of all. */
int lmdb_cursor_seek(struct lmdb_cursor *cursor, struct lmdb_span key, struct lmdb_span *ret_key,
	struct lmdb_span *ret_value);
int lmdb_cursor_next(
	struct lmdb_cursor *cursor, struct lmdb_span *ret_key, struct lmdb_span *ret_value);
int lmdb_cursor_last(
	struct lmdb_cursor *cursor, struct lmdb_span *ret_key, struct lmdb_span *ret_value);
/* Calls VISIT for every entry in order of keys, until it gives anything but 0, which is given back.
 * It must not change the table. */
typedef int (*lmdb_visit_fn)(void *context, struct lmdb_span key, struct lmdb_span value);
int lmdb_visit(struct lmdb_txn *txn, uint32_t table, lmdb_visit_fn visit, void *context);
