/* SPDX-License-Identifier: Apache-2.0 */
/* Any entry of the symbol cache either is damaged, or is exactly what it is written as again.
 *
 * The input is the length of the key, the key, and the value; the value's checksum is made right
 * first, since a fuzzer cannot. */
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/disk/symbol_record.h"
#include "tests/fuzz/fuzz.h"

static void mend(uint8_t *value, size_t byte_count)
{
	uint64_t hash;

	if (byte_count < SYMBOL_HASH_BYTES)
		return;
	hash = hash_bytes(value, byte_count - SYMBOL_HASH_BYTES);
	for (size_t i = 0; i < SYMBOL_HASH_BYTES; i++)
		value[byte_count - SYMBOL_HASH_BYTES + i] = (uint8_t)(hash >> 8 * i);
}

static void check_entry(struct lmdb_span key, struct lmdb_span value)
{
	struct symbol_cache_entry entry;
	struct bytes_writer writer;
	struct symbol_key again;

	if (symbol_record_decode(key, value, &entry) < 0)
		return;
	again = symbol_key_of_module(&entry.id);
	must(again.byte_count == key.byte_count &&
		memcmp(again.bytes, key.bytes, key.byte_count) == 0);
	bytes_writer_init(&writer, SYMBOL_RECORD_BYTES_MAX);
	must(symbol_record_encode(&entry, &writer) == 0);
	must(writer.byte_count == value.byte_count);
	must(memcmp(writer.bytes, value.bytes, value.byte_count) == 0);
	bytes_writer_done(&writer);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *value = malloc(byte_count + 1);
	size_t key_bytes = byte_count > 0 ? bytes[0] : 0;
	uint64_t number;

	must(value);
	if (byte_count < 1 + key_bytes)
		return;
	byte_count -= 1 + key_bytes;
	memcpy(value, bytes + 1 + key_bytes, byte_count);
	mend(value, byte_count);
	check_entry(
		(struct lmdb_span){bytes + 1, key_bytes}, (struct lmdb_span){value, byte_count});
	if (symbol_key_chunk_number((struct lmdb_span){bytes + 1, key_bytes}, &number) == 0)
		must(memcmp(symbol_key_of_chunk(number, 0).bytes, bytes + 1, 8) == 0);
}
