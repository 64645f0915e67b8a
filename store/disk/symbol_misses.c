/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_misses.h"

#include <errno.h>

#include "store/base/bytes.h"
#include "store/disk/symbol_record.h"

/* Ids that nobody has names for: more than a fleet has modules. */
#define MISS_COUNT_MAX (256u << 10)

int symbol_misses_open(struct symbol_misses *misses, struct lmdb_env *env, struct clock clock)
{
	*misses = (struct symbol_misses){.env = env, .clock = clock};
	return lmdb_table_open(env, "miss", &misses->table);
}

static int put_miss(struct symbol_misses *misses, struct lmdb_txn *txn,
	const struct symbol_key *key, struct lmdb_span value)
{
	uint64_t count;
	int r = lmdb_count(txn, misses->table, &count);

	if (r == 0 && count >= MISS_COUNT_MAX)
		r = -ENOSPC;
	return r == 0 ? lmdb_put(txn, misses->table, symbol_key_span(key), value) : r;
}

int symbol_misses_note(struct symbol_misses *misses, uint8_t source, const struct build_id *id,
	uint32_t reason, uint64_t until_ns)
{
	struct symbol_key key = symbol_key_of_miss(source, id);
	struct bytes_writer writer;
	struct lmdb_txn *txn;
	int r = lmdb_write_begin(misses->env, &txn);

	if (r < 0)
		return r;
	bytes_writer_init(&writer, SYMBOL_RECORD_BYTES_MAX);
	bytes_write_u32(&writer, reason);
	bytes_write_u64(&writer, until_ns);
	r = bytes_writer_fault(&writer);
	if (r == 0)
		r = put_miss(
			misses, txn, &key, (struct lmdb_span){writer.bytes, writer.byte_count});
	bytes_writer_done(&writer);
	if (r == 0)
		return lmdb_write_commit(txn);
	lmdb_write_abort(txn);
	return r;
}

int symbol_misses_find(struct symbol_misses *misses, uint8_t source, const struct build_id *id,
	uint32_t *ret_reason, uint64_t *ret_until_ns)
{
	struct symbol_key key = symbol_key_of_miss(source, id);
	struct bytes_reader reader;
	struct lmdb_span value;
	struct lmdb_txn *txn;
	uint32_t reason = 0;
	uint64_t until_ns = 0;
	int r = lmdb_read_begin(misses->env, &txn);

	if (r < 0)
		return r;
	r = lmdb_get(txn, misses->table, symbol_key_span(&key), &value);
	if (r == 0) {
		bytes_reader_init(&reader, value.bytes, value.byte_count);
		reason = bytes_read_u32(&reader);
		until_ns = bytes_read_u64(&reader);
		r = bytes_reader_fault(&reader);
	}
	lmdb_read_end(txn);
	if (r < 0)
		return r == -EBADMSG ? -ENOENT : r;
	if (until_ns <= clock_read(&misses->clock).realtime_ns) {
		symbol_misses_forget(misses, source, id);
		return -ENOENT;
	}
	*ret_reason = reason;
	*ret_until_ns = until_ns;
	return 0;
}

int symbol_misses_forget(struct symbol_misses *misses, uint8_t source, const struct build_id *id)
{
	struct symbol_key key = symbol_key_of_miss(source, id);
	struct lmdb_txn *txn;
	int r = lmdb_write_begin(misses->env, &txn);

	if (r < 0)
		return r;
	r = lmdb_delete(txn, misses->table, symbol_key_span(&key));
	if (r == 0)
		return lmdb_write_commit(txn);
	lmdb_write_abort(txn);
	return r == -ENOENT ? 0 : r;
}
