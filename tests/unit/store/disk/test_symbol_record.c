/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_record.h"

#include <errno.h>

#include "tests/support/check.h"

static struct symbol_cache_entry sample_entry(void)
{
	struct symbol_cache_entry entry = {
		.number = UINT64_C(0x0102030405060708),
		.byte_count = UINT64_MAX,
		.chunk_count = 7,
		.parser_version = UINT32_MAX,
		.stored_at_ns = 1,
		.used_at_ns = 2,
		.quality = 3,
	};

	CHECK_EQ(build_id_make(BUILD_ID_GO, "abc", 3, &entry.id), 0);
	return entry;
}

/* Encodes ENTRY into RET_BYTES and returns how many they are. */
static size_t encode(const struct symbol_cache_entry *entry, uint8_t *ret_bytes)
{
	struct bytes_writer writer;
	size_t byte_count;

	bytes_writer_init(&writer, SYMBOL_RECORD_BYTES_MAX);
	CHECK_EQ(symbol_record_encode(entry, &writer), 0);
	byte_count = writer.byte_count;
	memcpy(ret_bytes, writer.bytes, byte_count);
	bytes_writer_done(&writer);
	return byte_count;
}

static void a_record_reads_back(void)
{
	struct symbol_cache_entry entry = sample_entry(), again;
	struct symbol_key key = symbol_key_of_module(&entry.id);
	uint8_t bytes[SYMBOL_RECORD_BYTES_MAX];
	size_t byte_count = encode(&entry, bytes);

	CHECK_EQ(symbol_record_decode(
			 symbol_key_span(&key), (struct lmdb_span){bytes, byte_count}, &again),
		0);
	CHECK(build_id_equal(&again.id, &entry.id));
	CHECK(again.number == entry.number && again.byte_count == entry.byte_count);
	CHECK(again.chunk_count == entry.chunk_count &&
		again.parser_version == entry.parser_version);
	CHECK(again.stored_at_ns == entry.stored_at_ns && again.used_at_ns == entry.used_at_ns);
	CHECK_EQ(again.quality, entry.quality);
	CHECK(!again.used_unsaved);
}

static void any_flipped_bit_and_any_other_length_is_damage(void)
{
	struct symbol_cache_entry entry = sample_entry(), again = {.number = 5};
	struct symbol_key key = symbol_key_of_module(&entry.id);
	uint8_t bytes[SYMBOL_RECORD_BYTES_MAX + 1] = {0};
	size_t byte_count = encode(&entry, bytes);

	for (size_t bit = 0; bit < 8 * byte_count; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK_EQ(symbol_record_decode(symbol_key_span(&key),
				 (struct lmdb_span){bytes, byte_count}, &again),
			-EUCLEAN);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t length = 0; length <= byte_count + 1; length++) {
		if (length == byte_count)
			continue;
		CHECK_EQ(symbol_record_decode(
				 symbol_key_span(&key), (struct lmdb_span){bytes, length}, &again),
			-EUCLEAN);
	}
	CHECK_EQ(again.number, 5);
}

static void a_key_that_is_no_id_is_damage(void)
{
	struct symbol_cache_entry entry = sample_entry(), again;
	struct symbol_key key = symbol_key_of_module(&entry.id);
	uint8_t bytes[SYMBOL_RECORD_BYTES_MAX];
	struct lmdb_span value = {bytes, encode(&entry, bytes)};

	CHECK_EQ(symbol_record_decode((struct lmdb_span){key.bytes, 0}, value, &again), -EUCLEAN);
	CHECK_EQ(symbol_record_decode((struct lmdb_span){key.bytes, 1}, value, &again), -EUCLEAN);
	key.bytes[0] = 0xff;
	CHECK_EQ(symbol_record_decode(symbol_key_span(&key), value, &again), -EUCLEAN);
}

static void chunks_sort_by_number_then_by_place(void)
{
	const struct symbol_key keys[] = {
		symbol_key_of_chunk(0, 1),
		symbol_key_of_chunk(0, 256),
		symbol_key_of_chunk(1, 0),
		symbol_key_of_chunk(256, 0),
		symbol_key_of_chunk(UINT64_MAX, UINT32_MAX),
	};
	uint64_t number;

	for (size_t i = 0; i + 1 < sizeof(keys) / sizeof(keys[0]); i++)
		CHECK(memcmp(keys[i].bytes, keys[i + 1].bytes, keys[i].byte_count) < 0);
	CHECK_EQ(symbol_key_chunk_number(symbol_key_span(&keys[3]), &number), 0);
	CHECK_EQ(number, 256);
	CHECK_EQ(symbol_key_chunk_number((struct lmdb_span){keys[3].bytes, 11}, &number), -EUCLEAN);
}

static void misses_of_two_sources_never_meet(void)
{
	struct build_id id = sample_entry().id;
	struct symbol_key one = symbol_key_of_miss(1, &id), other = symbol_key_of_miss(2, &id);

	CHECK_EQ(one.byte_count, 2 + 3);
	CHECK(memcmp(one.bytes, other.bytes, one.byte_count) != 0);
	CHECK(memcmp(one.bytes + 1, other.bytes + 1, one.byte_count - 1) == 0);
}

int main(void)
{
	RUN(a_record_reads_back);
	RUN(any_flipped_bit_and_any_other_length_is_damage);
	RUN(a_key_that_is_no_id_is_damage);
	RUN(chunks_sort_by_number_then_by_place);
	RUN(misses_of_two_sources_never_meet);
	return 0;
}
