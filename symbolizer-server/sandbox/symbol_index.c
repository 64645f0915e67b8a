/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_index.h"

#include <errno.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/base/hash.h"
#include "symbolizer-server/sandbox/name_text.h"

#define BLOCK_ENTRY_BYTES 12

static const char magic[4] = {'C', 'S', 'I', 'X'};

static uint32_t load_u32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		(uint32_t)bytes[3] << 24;
}

static uint64_t load_u64(const uint8_t *bytes)
{
	return load_u32(bytes) | (uint64_t)load_u32(bytes + 4) << 32;
}

const char *symbol_quality_text(enum symbol_quality quality)
{
	switch (quality) {
	case SYMBOL_QUALITY_NONE:
		return "nothing";
	case SYMBOL_QUALITY_DYNAMIC:
		return ".dynsym";
	case SYMBOL_QUALITY_MINIDEBUG:
		return ".gnu_debugdata";
	case SYMBOL_QUALITY_TABLE:
		return ".symtab";
	case SYMBOL_QUALITY_KERNEL:
		return "kallsyms";
	case SYMBOL_QUALITY_DWARF:
		return "DWARF";
	}
	return "an unknown source";
}

static bool quality_known(uint8_t quality)
{
	return quality == SYMBOL_QUALITY_DYNAMIC || quality == SYMBOL_QUALITY_MINIDEBUG ||
		quality == SYMBOL_QUALITY_TABLE || quality == SYMBOL_QUALITY_KERNEL ||
		quality == SYMBOL_QUALITY_DWARF;
}

int symbol_index_header_length(const void *bytes, size_t byte_count, uint32_t *ret_byte_count)
{
	uint32_t chunk_count;

	if (byte_count < SYMBOL_HEADER_BYTES || memcmp(bytes, magic, sizeof(magic)) != 0)
		return -EBADMSG;
	chunk_count = load_u32((const uint8_t *)bytes + 24);
	if (chunk_count > SYMBOL_CHUNK_COUNT_MAX)
		return -EBADMSG;
	*ret_byte_count = SYMBOL_HEADER_BYTES + chunk_count * SYMBOL_DIRECTORY_ENTRY_BYTES;
	return 0;
}

struct symbol_index_entry symbol_index_entry(const uint8_t *header_bytes, uint32_t index)
{
	const uint8_t *bytes =
		header_bytes + SYMBOL_HEADER_BYTES + (size_t)index * SYMBOL_DIRECTORY_ENTRY_BYTES;

	return (struct symbol_index_entry){
		.kind = bytes[0],
		.byte_count = load_u32(bytes + 4),
		.first = load_u64(bytes + 8),
		.hash = load_u64(bytes + 16),
	};
}

static int check_directory(const uint8_t *bytes, uint32_t chunk_count, uint64_t *ret_total_bytes)
{
	struct symbol_index_entry before = {0};
	uint64_t total_bytes = 0;

	for (uint32_t i = 0; i < chunk_count; i++) {
		struct symbol_index_entry entry = symbol_index_entry(bytes, i);

		if (entry.kind == 0 || entry.byte_count == 0 ||
			entry.byte_count > SYMBOL_CHUNK_BYTES_MAX)
			return -EBADMSG;
		if (i > 0 &&
			(entry.kind < before.kind ||
				(entry.kind == before.kind && entry.first <= before.first)))
			return -EBADMSG;
		total_bytes += entry.byte_count;
		before = entry;
	}
	*ret_total_bytes = total_bytes;
	return 0;
}

int symbol_index_read_header(
	const void *bytes, size_t byte_count, struct symbol_index_header *ret_header)
{
	struct symbol_index_header header = {0};
	const uint8_t *at = bytes;
	uint64_t chunk_bytes;
	int r = symbol_index_header_length(bytes, byte_count, &header.byte_count);

	if (r < 0)
		return r;
	if ((at[4] | at[5] << 8) != SYMBOL_INDEX_FORMAT)
		return -ENOTSUP;
	if (header.byte_count != byte_count || !quality_known(at[12]))
		return -EBADMSG;
	header.parser_version = load_u32(at + 8);
	header.quality = (enum symbol_quality)at[12];
	header.function_count = load_u32(at + 16);
	header.name_count = load_u32(at + 20);
	header.chunk_count = load_u32(at + 24);
	if (header.function_count > SYMBOL_FUNCTION_COUNT_MAX)
		return -EBADMSG;
	r = check_directory(bytes, header.chunk_count, &chunk_bytes);
	if (r < 0)
		return r;
	header.total_bytes = header.byte_count + chunk_bytes;
	*ret_header = header;
	return 0;
}

uint32_t symbol_index_locate(const uint8_t *header_bytes, const struct symbol_index_header *header,
	enum symbol_chunk_kind kind, uint64_t key)
{
	uint32_t low = 0, high = header->chunk_count;

	/* The first entry that stands behind (kind, key). */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct symbol_index_entry entry = symbol_index_entry(header_bytes, middle);

		if (entry.kind < kind || (entry.kind == kind && entry.first <= key))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || symbol_index_entry(header_bytes, low - 1).kind != kind)
		return UINT32_MAX;
	return low - 1;
}

/* A block of functions that is read entry by entry. */
struct block {
	struct bytes_reader reader;
	uint32_t left;
	struct symbol_index_function function; /* the last that was read */
	bool first;
};

static int block_open(const uint8_t *bytes, size_t byte_count, uint32_t index, struct block *block)
{
	const uint8_t *entry = bytes + 4 + (size_t)index * BLOCK_ENTRY_BYTES;
	uint32_t offset = load_u32(entry + 8);

	if (offset >= byte_count)
		return -EBADMSG;
	*block = (struct block){
		.function = {.start = load_u64(entry), .end = load_u64(entry), .name = UINT32_MAX},
		.first = true,
	};
	bytes_reader_init(&block->reader, bytes + offset, byte_count - offset);
	block->left = bytes_read_u8(&block->reader);
	if (block->left == 0 || block->left > SYMBOL_BLOCK_ENTRIES)
		return -EBADMSG;
	return 0;
}

/* -ENOENT at the end of the block. */
static int block_next(struct block *block)
{
	uint64_t gap, length, start, end;
	int64_t step;

	if (block->left == 0)
		return -ENOENT;
	gap = bytes_read_varint(&block->reader);
	length = bytes_read_varint(&block->reader);
	step = bytes_read_signed(&block->reader);
	if (bytes_reader_fault(&block->reader) < 0 || (block->first && gap != 0) || length == 0)
		return -EBADMSG;
	if (__builtin_add_overflow(block->function.end, gap, &start) ||
		__builtin_add_overflow(start, length, &end))
		return -EBADMSG;
	block->function.start = start;
	block->function.end = end;
	/* Steps outside of 32 bits wrap to a number that the look-up of names refuses. */
	block->function.name += (uint32_t)(1 + (uint64_t)step);
	block->first = false;
	block->left--;
	return 0;
}

static int block_count(const uint8_t *bytes, size_t byte_count, uint32_t *ret_count)
{
	uint32_t count;

	if (byte_count < 4)
		return -EBADMSG;
	count = load_u32(bytes);
	if (count == 0 || count > (byte_count - 4) / BLOCK_ENTRY_BYTES)
		return -EBADMSG;
	*ret_count = count;
	return 0;
}

static int check_functions(const struct symbol_index_header *header, uint64_t first,
	const uint8_t *bytes, size_t byte_count, uint32_t *ret_function_count)
{
	uint32_t count, function_count = 0;
	uint64_t end_before = first;
	int r = block_count(bytes, byte_count, &count);

	if (r < 0)
		return r;
	if (load_u64(bytes + 4) != first)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		struct block block;

		r = block_open(bytes, byte_count, i, &block);
		if (r < 0)
			return r;
		if (block.function.start < end_before)
			return -EBADMSG;
		while ((r = block_next(&block)) == 0) {
			if (block.function.name >= header->name_count)
				return -EBADMSG;
			function_count++;
		}
		if (r != -ENOENT)
			return r;
		end_before = block.function.end;
	}
	*ret_function_count = function_count;
	return 0;
}

static int check_names(const struct symbol_index_header *header, uint64_t first,
	const uint8_t *bytes, size_t byte_count)
{
	uint32_t count;

	if (byte_count < 5 || bytes[byte_count - 1] != '\0')
		return -EBADMSG;
	count = load_u32(bytes);
	if (count == 0 || count > (byte_count - 4) / 4 || first > header->name_count ||
		count > header->name_count - first)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		const char *text;
		int r = symbol_index_find_name(
			bytes, byte_count, first, (uint32_t)(first + i), &text);

		if (r < 0)
			return r;
		if (!name_text_clean(text, strlen(text)))
			return -EBADMSG;
	}
	return 0;
}

int symbol_index_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes, uint32_t *ret_function_count)
{
	uint32_t function_count = 0;
	int r = 0;

	if (hash_bytes(bytes, entry->byte_count) != entry->hash)
		return -EBADMSG;
	if (entry->kind == SYMBOL_CHUNK_FUNCTIONS) {
		r = check_functions(
			header, entry->first, bytes, entry->byte_count, &function_count);
	} else if (entry->kind == SYMBOL_CHUNK_NAMES) {
		r = check_names(header, entry->first, bytes, entry->byte_count);
	}
	if (r < 0)
		return r;
	*ret_function_count = function_count;
	return 0;
}

int symbol_index_find_function(const uint8_t *bytes, size_t byte_count, uint64_t address,
	struct symbol_index_function *ret_function)
{
	uint32_t low = 0, high;
	struct block block;
	int r = block_count(bytes, byte_count, &high);

	if (r < 0)
		return r;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (load_u64(bytes + 4 + (size_t)middle * BLOCK_ENTRY_BYTES) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return -ENOENT;
	r = block_open(bytes, byte_count, low - 1, &block);
	while (r == 0) {
		r = block_next(&block);
		if (r == 0 && block.function.start > address)
			return -ENOENT;
		if (r == 0 && address < block.function.end) {
			*ret_function = block.function;
			return 0;
		}
	}
	return r;
}

int symbol_index_find_name(const uint8_t *bytes, size_t byte_count, uint64_t first_name,
	uint32_t name, const char **ret_text)
{
	uint32_t count, offset;

	if (byte_count < 5 || bytes[byte_count - 1] != '\0' || name < first_name)
		return -EBADMSG;
	count = load_u32(bytes);
	if (count > (byte_count - 4) / 4 || name - first_name >= count)
		return -EBADMSG;
	offset = load_u32(bytes + 4 + (size_t)(name - first_name) * 4);
	if (offset < 4 + (size_t)count * 4 || offset >= byte_count)
		return -EBADMSG;
	*ret_text = (const char *)bytes + offset;
	return 0;
}
