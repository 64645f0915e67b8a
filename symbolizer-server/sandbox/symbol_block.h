/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol block: how entries that are keyed by address stand in a chunk (symbol_index.h).
 *
 * What it is   inline steps of a look-up: the block that may hold an address, then its entries one
 *              by one. Each look-up of a query comes here several times, hence no calls.
 * Ownership    borrows the chunk.
 * Threads      no shared state.
 * Errors       -EBADMSG: the chunk breaks the format; false: a number ends outside of the chunk.
 */
#pragma once

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "symbolizer-server/sandbox/symbol_index.h"

#define SYMBOL_BLOCK_TABLE 4
#define SYMBOL_BLOCK_TABLE_ENTRY_BYTES 12
/* Of spans (symbol_span.h): a block fills a line of the processor's cache. */
#define SYMBOL_SPAN_BLOCK_BYTES 64
#define SYMBOL_SPAN_HEAD_BYTES 16

static inline uint32_t symbol_load_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static inline uint64_t symbol_load_u64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}

struct symbol_block {
	const uint8_t *at;
	const uint8_t *end;
	uint64_t address; /* where the first entry starts; then whatever its reader makes of it */
	uint32_t left; /* entries */
	bool first;
};

static inline int symbol_block_count(const uint8_t *bytes, size_t byte_count, uint32_t *ret_count)
{
	uint32_t count;

	if (byte_count < SYMBOL_BLOCK_TABLE)
		return -EBADMSG;
	count = symbol_load_u32(bytes);
	if (count == 0 ||
		count > (byte_count - SYMBOL_BLOCK_TABLE) / SYMBOL_BLOCK_TABLE_ENTRY_BYTES)
		return -EBADMSG;
	*ret_count = count;
	return 0;
}

static inline uint64_t symbol_block_start(const uint8_t *bytes, uint32_t index)
{
	return symbol_load_u64(
		bytes + SYMBOL_BLOCK_TABLE + (size_t)index * SYMBOL_BLOCK_TABLE_ENTRY_BYTES);
}

/* INDEX is below symbol_block_count. */
static inline int symbol_block_open(
	const uint8_t *bytes, size_t byte_count, uint32_t index, struct symbol_block *ret_block)
{
	const uint8_t *entry =
		bytes + SYMBOL_BLOCK_TABLE + (size_t)index * SYMBOL_BLOCK_TABLE_ENTRY_BYTES;
	uint32_t offset = symbol_load_u32(entry + 8);

	if (offset >= byte_count)
		return -EBADMSG;
	*ret_block = (struct symbol_block){
		.at = bytes + offset + 1,
		.end = bytes + byte_count,
		.address = symbol_load_u64(entry),
		.left = bytes[offset],
		.first = true,
	};
	if (ret_block->left == 0 || ret_block->left > SYMBOL_BLOCK_ENTRIES_MAX)
		return -EBADMSG;
	return 0;
}

/* Opens the last block that starts at ADDRESS or before it. -ENOENT: all start behind it. */
static inline int symbol_block_seek(const uint8_t *bytes, size_t byte_count, uint64_t address,
	uint32_t *ret_index, struct symbol_block *ret_block)
{
	uint32_t index = 0, count;
	int r = symbol_block_count(bytes, byte_count, &count);

	if (r < 0)
		return r;
	if (symbol_block_start(bytes, 0) > address)
		return -ENOENT;
	/* Without a branch that depends on the address: no guess of it would be right. */
	while (count > 1) {
		uint32_t half = count / 2;

		index += symbol_block_start(bytes, index + half) <= address ? half : 0;
		count -= half;
	}
	*ret_index = index;
	return symbol_block_open(bytes, byte_count, index, ret_block);
}

static inline bool symbol_block_long_varint(struct symbol_block *block, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && block->at < block->end; shift += 7) {
		uint8_t byte = *block->at++;

		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_value = value;
			return true;
		}
	}
	return false;
}

static inline bool symbol_block_varint(struct symbol_block *block, uint64_t *ret_value)
{
	if (block->at < block->end && !(*block->at & 0x80)) {
		*ret_value = *block->at++;
		return true;
	}
	return symbol_block_long_varint(block, ret_value);
}

/* Text INDEX of a chunk of texts that is known to end with a NUL: neither its head nor its end is
 * looked at again, since most look-ups are of names and would wait for both. NULL: not in it. */
static inline const char *symbol_text_at(const uint8_t *bytes, size_t byte_count, uint64_t index)
{
	uint32_t offset;

	if (index >= (byte_count - 4) / 4)
		return NULL;
	offset = symbol_load_u32(bytes + 4 + index * 4);
	return offset < byte_count ? (const char *)bytes + offset : NULL;
}

/* Where a chunk of spans has the starts of its blocks, and the blocks. */
static inline size_t symbol_span_starts_offset(uint32_t guide_count)
{
	return (SYMBOL_SPAN_HEAD_BYTES + (size_t)guide_count * 2 + 3) / 4 * 4;
}

static inline size_t symbol_span_blocks_offset(uint32_t guide_count, uint32_t block_count)
{
	size_t end = symbol_span_starts_offset(guide_count) + (size_t)block_count * 4;

	return (end + SYMBOL_SPAN_BLOCK_BYTES - 1) / SYMBOL_SPAN_BLOCK_BYTES *
		SYMBOL_SPAN_BLOCK_BYTES;
}

static inline uint64_t symbol_unzigzag(uint64_t value)
{
	return (value >> 1) ^ -(value & 1);
}
