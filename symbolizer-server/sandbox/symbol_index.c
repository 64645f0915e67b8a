/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_index.h"

#include <errno.h>
#include <string.h>

#include "store/base/hash.h"
#include "symbolizer-server/sandbox/name_text.h"
#include "symbolizer-server/sandbox/symbol_block.h"
#include "symbolizer-server/sandbox/symbol_code.h"
#include "symbolizer-server/sandbox/symbol_segment.h"
#include "symbolizer-server/sandbox/symbol_span.h"

/* Its offset and its NUL. */
#define TEXT_BYTES_MIN 5

static const char magic[4] = {'C', 'S', 'I', 'X'};

const char *symbol_quality_text(enum symbol_quality quality)
{
	switch (quality) {
	case SYMBOL_QUALITY_NONE:
		return "nothing";
	case SYMBOL_QUALITY_GO:
		return ".gopclntab";
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
	return quality == SYMBOL_QUALITY_GO || quality == SYMBOL_QUALITY_DYNAMIC ||
		quality == SYMBOL_QUALITY_MINIDEBUG || quality == SYMBOL_QUALITY_TABLE ||
		quality == SYMBOL_QUALITY_KERNEL || quality == SYMBOL_QUALITY_DWARF;
}

static uint32_t format_of(const uint8_t *bytes)
{
	return (uint32_t)(bytes[4] | bytes[5] << 8);
}

static uint32_t directory_offset(const uint8_t *bytes)
{
	return format_of(bytes) == SYMBOL_INDEX_FORMAT_OLDEST ? SYMBOL_HEADER_BYTES_OLDEST
							      : SYMBOL_HEADER_BYTES;
}

int symbol_index_header_length(const void *bytes, size_t byte_count, uint32_t *ret_byte_count)
{
	uint32_t chunk_count;

	if (byte_count < SYMBOL_HEADER_BYTES_OLDEST || memcmp(bytes, magic, sizeof(magic)) != 0)
		return -EBADMSG;
	chunk_count = symbol_load_u32((const uint8_t *)bytes + 24);
	if (chunk_count > SYMBOL_CHUNK_COUNT_MAX)
		return -EBADMSG;
	*ret_byte_count = directory_offset(bytes) + chunk_count * SYMBOL_DIRECTORY_ENTRY_BYTES;
	return 0;
}

struct symbol_index_entry symbol_index_entry(const uint8_t *header_bytes, uint32_t index)
{
	const uint8_t *bytes = header_bytes + directory_offset(header_bytes) +
		(size_t)index * SYMBOL_DIRECTORY_ENTRY_BYTES;

	return (struct symbol_index_entry){
		.kind = bytes[0],
		.byte_count = symbol_load_u32(bytes + 4),
		.first = symbol_load_u64(bytes + 8),
		.hash = symbol_load_u64(bytes + 16),
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
	if (format_of(at) < SYMBOL_INDEX_FORMAT_OLDEST || format_of(at) > SYMBOL_INDEX_FORMAT)
		return -ENOTSUP;
	if (header.byte_count != byte_count || !quality_known(at[12]))
		return -EBADMSG;
	header.parser_version = symbol_load_u32(at + 8);
	header.quality = (enum symbol_quality)at[12];
	header.function_count = symbol_load_u32(at + 16);
	header.name_count = symbol_load_u32(at + 20);
	header.chunk_count = symbol_load_u32(at + 24);
	if (header.byte_count >= SYMBOL_HEADER_BYTES &&
		format_of(at) != SYMBOL_INDEX_FORMAT_OLDEST) {
		header.call_count = symbol_load_u32(at + 28);
		header.file_count = symbol_load_u32(at + 32);
	}
	if (header.function_count > SYMBOL_FUNCTION_COUNT_MAX)
		return -EBADMSG;
	r = check_directory(bytes, header.chunk_count, &chunk_bytes);
	if (r < 0)
		return r;
	if ((uint64_t)header.name_count + header.file_count > chunk_bytes / TEXT_BYTES_MIN)
		return -EBADMSG;
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

/* Reads the next entry behind *READ, which begins as {address, address, UINT32_MAX}. */
static int next_function(struct symbol_block *block, struct symbol_index_function *read)
{
	uint64_t gap, length, step;

	if (!symbol_block_varint(block, &gap) || !symbol_block_varint(block, &length) ||
		!symbol_block_varint(block, &step) || (block->first && gap != 0) || length == 0)
		return -EBADMSG;
	if (__builtin_add_overflow(read->end, gap, &read->start) ||
		__builtin_add_overflow(read->start, length, &read->end))
		return -EBADMSG;
	/* Steps outside of 32 bits wrap to a number that the look-up of names refuses. */
	read->name += (uint32_t)(1 + symbol_unzigzag(step));
	block->first = false;
	block->left--;
	return 0;
}

static struct symbol_index_function before_first(const struct symbol_block *block)
{
	return (struct symbol_index_function){
		.start = block->address, .end = block->address, .name = UINT32_MAX};
}

static int check_functions(const struct symbol_index_header *header, uint64_t first,
	const uint8_t *bytes, size_t byte_count, uint32_t *ret_function_count)
{
	uint32_t count, function_count = 0;
	uint64_t end_before = first;
	int r = symbol_block_count(bytes, byte_count, &count);

	if (r == 0 && symbol_block_start(bytes, 0) != first)
		r = -EBADMSG;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		struct symbol_index_function function;
		struct symbol_block block;

		r = symbol_block_open(bytes, byte_count, i, &block);
		if (r < 0)
			return r;
		if (block.address < end_before)
			return -EBADMSG;
		function = before_first(&block);
		while (r == 0 && block.left > 0) {
			r = next_function(&block, &function);
			if (r == 0 && function.name >= header->name_count)
				r = -EBADMSG;
			function_count++;
		}
		end_before = function.end;
	}
	if (r == 0)
		*ret_function_count = function_count;
	return r;
}

static int check_texts(uint32_t text_count, uint64_t first, const uint8_t *bytes, size_t byte_count)
{
	uint32_t count;

	if (byte_count < 5 || bytes[byte_count - 1] != '\0')
		return -EBADMSG;
	count = symbol_load_u32(bytes);
	if (count == 0 || count > (byte_count - 4) / 4 || first > text_count ||
		count > text_count - first)
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
	size_t byte_count = entry->byte_count;
	int r = 0;

	if (hash_bytes(bytes, byte_count) != entry->hash)
		return -EBADMSG;
	if (entry->kind == SYMBOL_CHUNK_FUNCTIONS)
		r = check_functions(header, entry->first, bytes, byte_count, &function_count);
	else if (entry->kind == SYMBOL_CHUNK_NAMES)
		r = check_texts(header->name_count, entry->first, bytes, byte_count);
	else if (entry->kind == SYMBOL_CHUNK_FILES)
		r = check_texts(header->file_count, entry->first, bytes, byte_count);
	else if (entry->kind == SYMBOL_CHUNK_CALLS)
		r = symbol_code_check_chunk(header, entry, bytes);
	else if (entry->kind == SYMBOL_CHUNK_SPANS)
		r = symbol_span_check_chunk(header, entry, bytes);
	else if (entry->kind == SYMBOL_CHUNK_SEGMENTS)
		r = symbol_segment_check_chunk(bytes, byte_count, entry->first);
	if (r < 0)
		return r;
	*ret_function_count = function_count;
	return 0;
}

int symbol_index_find_function(const uint8_t *bytes, size_t byte_count, uint64_t address,
	struct symbol_index_function *ret_function)
{
	struct symbol_index_function function;
	struct symbol_block block;
	uint32_t index;
	int r = symbol_block_seek(bytes, byte_count, address, &index, &block);

	if (r < 0)
		return r;
	function = before_first(&block);
	while (block.left > 0) {
		r = next_function(&block, &function);
		if (r < 0)
			return r;
		if (address < function.end) {
			if (address < function.start)
				return -ENOENT;
			*ret_function = function;
			return 0;
		}
	}
	return -ENOENT;
}

int symbol_index_find_name(const uint8_t *bytes, size_t byte_count, uint64_t first_name,
	uint32_t name, const char **ret_text)
{
	uint32_t count, offset;

	if (byte_count < 5 || bytes[byte_count - 1] != '\0' || name < first_name)
		return -EBADMSG;
	count = symbol_load_u32(bytes);
	if (count > (byte_count - 4) / 4 || name - first_name >= count)
		return -EBADMSG;
	offset = symbol_load_u32(bytes + 4 + (size_t)(name - first_name) * 4);
	if (offset < 4 + (size_t)count * 4 || offset >= byte_count)
		return -EBADMSG;
	*ret_text = (const char *)bytes + offset;
	return 0;
}
