/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_record.h"

#include <errno.h>
#include <string.h>

#include "store/base/hash.h"

#define RECORD_VERSION 1

struct lmdb_span symbol_key_span(const struct symbol_key *key)
{
	return (struct lmdb_span){.bytes = key->bytes, .byte_count = key->byte_count};
}

struct symbol_key symbol_key_of_module(const struct build_id *id)
{
	struct symbol_key key = {.byte_count = 1 + (size_t)id->byte_count};

	key.bytes[0] = id->kind;
	memcpy(key.bytes + 1, id->bytes, id->byte_count);
	return key;
}

struct symbol_key symbol_key_of_miss(uint8_t source, const struct build_id *id)
{
	struct symbol_key key = {.byte_count = 2 + (size_t)id->byte_count};

	key.bytes[0] = source;
	key.bytes[1] = id->kind;
	memcpy(key.bytes + 2, id->bytes, id->byte_count);
	return key;
}

/* Big-endian: LMDB sorts keys byte by byte. */
struct symbol_key symbol_key_of_chunk(uint64_t number, uint32_t chunk)
{
	struct symbol_key key = {.byte_count = 12};

	for (int i = 0; i < 8; i++)
		key.bytes[i] = (uint8_t)(number >> (56 - 8 * i));
	for (int i = 0; i < 4; i++)
		key.bytes[8 + i] = (uint8_t)(chunk >> (24 - 8 * i));
	return key;
}

int symbol_key_chunk_number(struct lmdb_span key, uint64_t *ret_number)
{
	const uint8_t *bytes = key.bytes;
	uint64_t number = 0;

	if (key.byte_count != 12)
		return -EUCLEAN;
	for (int i = 0; i < 8; i++)
		number = number << 8 | bytes[i];
	*ret_number = number;
	return 0;
}

int symbol_record_encode(const struct symbol_cache_entry *entry, struct bytes_writer *writer)
{
	bytes_writer_reset(writer);
	bytes_write_u16(writer, RECORD_VERSION);
	bytes_write_u8(writer, entry->quality);
	bytes_write_u32(writer, entry->parser_version);
	bytes_write_u32(writer, entry->chunk_count);
	bytes_write_u64(writer, entry->number);
	bytes_write_u64(writer, entry->byte_count);
	bytes_write_u64(writer, entry->stored_at_ns);
	bytes_write_u64(writer, entry->used_at_ns);
	if (bytes_writer_fault(writer) < 0)
		return bytes_writer_fault(writer);
	bytes_write_u64(writer, hash_bytes(writer->bytes, writer->byte_count));
	return bytes_writer_fault(writer);
}

int symbol_record_decode(
	struct lmdb_span key, struct lmdb_span value, struct symbol_cache_entry *ret_entry)
{
	const uint8_t *key_bytes = key.bytes;
	struct symbol_cache_entry entry = {0};
	struct bytes_reader reader;
	uint64_t hash;

	if (key.byte_count < 2 || value.byte_count < SYMBOL_HASH_BYTES ||
		build_id_make((enum build_id_kind)key_bytes[0], key_bytes + 1, key.byte_count - 1,
			&entry.id) < 0)
		return -EUCLEAN;
	bytes_reader_init(&reader, value.bytes, value.byte_count);
	if (bytes_read_u16(&reader) != RECORD_VERSION)
		return -EUCLEAN;
	entry.quality = bytes_read_u8(&reader);
	entry.parser_version = bytes_read_u32(&reader);
	entry.chunk_count = bytes_read_u32(&reader);
	entry.number = bytes_read_u64(&reader);
	entry.byte_count = bytes_read_u64(&reader);
	entry.stored_at_ns = bytes_read_u64(&reader);
	entry.used_at_ns = bytes_read_u64(&reader);
	hash = bytes_read_u64(&reader);
	if (bytes_reader_fault(&reader) < 0 || bytes_left(&reader) > 0 ||
		hash != hash_bytes(value.bytes, value.byte_count - SYMBOL_HASH_BYTES))
		return -EUCLEAN;
	*ret_entry = entry;
	return 0;
}
