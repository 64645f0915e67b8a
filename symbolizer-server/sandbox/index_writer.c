/* SPDX-License-Identifier: Apache-2.0 */
/* The index is built in three spans that are joined at the end: the directory, the chunks of
 * functions, the chunks of names.
 *
 *   functions  --32 each-->  block  --up to 256 KiB-->  chunk  -->  directory entry
 *   names in order of first use     --up to 256 KiB-->  chunk  -->  directory entry
 */
#include "symbolizer-server/sandbox/index_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/name_text.h"

#define NO_NUMBER UINT32_MAX
#define BLOCK_ENTRY_BYTES 12
/* The longest coding of one entry: two varints of 64 bits, one of 33. */
#define BLOCK_BYTES_MAX (1 + SYMBOL_BLOCK_ENTRIES * (10 + 10 + 5))

struct writer {
	const struct function_list *functions;
	const struct string_table *names;
	struct bytes_writer directory;
	struct bytes_writer chunks;
	uint32_t chunk_count;
	uint32_t *numbers; /* string index -> number in the index */
	uint32_t *used; /* number -> string index */
	uint32_t used_count;
	uint32_t used_capacity;
};

/* Appends a finished chunk and its entry. */
static void add_chunk(struct writer *writer, enum symbol_chunk_kind kind, uint64_t first,
	const struct bytes_writer *chunk)
{
	must(chunk->byte_count <= SYMBOL_CHUNK_BYTES_MAX);
	bytes_write_u32(&writer->directory, kind);
	bytes_write_u32(&writer->directory, (uint32_t)chunk->byte_count);
	bytes_write_u64(&writer->directory, first);
	bytes_write_u64(&writer->directory, hash_bytes(chunk->bytes, chunk->byte_count));
	bytes_write_span(&writer->chunks, chunk->bytes, chunk->byte_count);
	writer->chunk_count++;
}

/* The number of a name: given at its first use. */
static int number_of(struct writer *writer, uint32_t name, uint32_t *ret_number)
{
	int r;

	if (writer->numbers[name] == NO_NUMBER) {
		r = grow_array(&writer->used, &writer->used_capacity, writer->used_count,
			STRING_COUNT_MAX);
		if (r < 0)
			return r;
		writer->numbers[name] = writer->used_count;
		writer->used[writer->used_count++] = name;
	}
	*ret_number = writer->numbers[name];
	return 0;
}

static int write_block(
	struct writer *writer, uint32_t first, uint32_t count, struct bytes_writer *blocks)
{
	uint64_t end = writer->functions->functions[first].start;
	int64_t predecessor = -1;

	bytes_write_u8(blocks, (uint8_t)count);
	for (uint32_t i = first; i < first + count; i++) {
		const struct function *function = &writer->functions->functions[i];
		uint32_t number;
		int r = number_of(writer, function->name, &number);

		if (r < 0)
			return r;
		bytes_write_varint(blocks, function->start - end);
		bytes_write_varint(blocks, function->end - function->start);
		bytes_write_signed(blocks, (int64_t)number - (predecessor + 1));
		predecessor = number;
		end = function->end;
	}
	return 0;
}

/* One chunk of functions, from *NEXT on. STARTS holds {start, offset in BLOCKS} of its blocks. */
static int write_function_chunk(struct writer *writer, uint32_t *next, struct bytes_writer *starts,
	struct bytes_writer *blocks, struct bytes_writer *chunk)
{
	uint32_t total = writer->functions->count, block_count = 0;
	uint64_t first_start = writer->functions->functions[*next].start;

	bytes_writer_reset(starts);
	bytes_writer_reset(blocks);
	bytes_writer_reset(chunk);
	while (*next < total &&
		4 + starts->byte_count + BLOCK_ENTRY_BYTES + blocks->byte_count + BLOCK_BYTES_MAX <=
			SYMBOL_CHUNK_BYTES_MAX) {
		uint32_t left = total - *next;
		uint32_t count = left < SYMBOL_BLOCK_ENTRIES ? left : SYMBOL_BLOCK_ENTRIES;
		int r;

		bytes_write_u64(starts, writer->functions->functions[*next].start);
		bytes_write_u32(starts, (uint32_t)blocks->byte_count);
		r = write_block(writer, *next, count, blocks);
		if (r < 0)
			return r;
		*next += count;
		block_count++;
		if (bytes_writer_fault(starts) < 0 || bytes_writer_fault(blocks) < 0)
			return -ENOMEM;
	}
	bytes_write_u32(chunk, block_count);
	for (uint32_t i = 0; i < block_count; i++) {
		const uint8_t *entry = starts->bytes + (size_t)i * BLOCK_ENTRY_BYTES;
		struct bytes_reader reader;
		uint32_t base = 4 + block_count * BLOCK_ENTRY_BYTES;

		bytes_reader_init(&reader, entry, BLOCK_ENTRY_BYTES);
		bytes_write_u64(chunk, bytes_read_u64(&reader));
		bytes_write_u32(chunk, base + bytes_read_u32(&reader));
	}
	bytes_write_span(chunk, blocks->bytes, blocks->byte_count);
	if (bytes_writer_fault(chunk) < 0)
		return -ENOMEM;
	add_chunk(writer, SYMBOL_CHUNK_FUNCTIONS, first_start, chunk);
	return 0;
}

static int write_functions(struct writer *writer)
{
	struct bytes_writer starts, blocks, chunk;
	uint32_t next = 0;
	int r = 0;

	bytes_writer_init(&starts, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&blocks, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&chunk, SYMBOL_CHUNK_BYTES_MAX);
	while (r == 0 && next < writer->functions->count)
		r = write_function_chunk(writer, &next, &starts, &blocks, &chunk);
	bytes_writer_done(&starts);
	bytes_writer_done(&blocks);
	bytes_writer_done(&chunk);
	return r;
}

/* Appends a name as it is stored: cut, mended, NUL-terminated. */
static int add_name(struct bytes_writer *texts, const char *text, size_t length)
{
	size_t at = texts->byte_count;

	length = length < SYMBOL_NAME_BYTES_MAX ? length : SYMBOL_NAME_BYTES_MAX - 1;
	bytes_write_span(texts, text, length);
	bytes_write_u8(texts, 0);
	if (bytes_writer_fault(texts) < 0)
		return -ENOMEM;
	name_text_mend((char *)texts->bytes + at, length);
	return 0;
}

/* One chunk of names, from *NEXT on. OFFSETS holds where each text stands in TEXTS. */
static int write_name_chunk(struct writer *writer, uint32_t *next, struct bytes_writer *offsets,
	struct bytes_writer *texts, struct bytes_writer *chunk)
{
	uint32_t first = *next, count;
	struct bytes_reader reader;

	bytes_writer_reset(offsets);
	bytes_writer_reset(texts);
	bytes_writer_reset(chunk);
	while (*next < writer->used_count &&
		4 + offsets->byte_count + 4 + texts->byte_count + SYMBOL_NAME_BYTES_MAX <=
			SYMBOL_CHUNK_BYTES_MAX) {
		uint32_t name = writer->used[*next];
		int r;

		bytes_write_u32(offsets, (uint32_t)texts->byte_count);
		r = add_name(texts, string_table_text(writer->names, name),
			string_table_length(writer->names, name));
		if (r < 0 || bytes_writer_fault(offsets) < 0)
			return -ENOMEM;
		(*next)++;
	}
	count = *next - first;
	bytes_write_u32(chunk, count);
	bytes_reader_init(&reader, offsets->bytes, offsets->byte_count);
	for (uint32_t i = 0; i < count; i++)
		bytes_write_u32(chunk, 4 + 4 * count + bytes_read_u32(&reader));
	bytes_write_span(chunk, texts->bytes, texts->byte_count);
	if (bytes_writer_fault(chunk) < 0)
		return -ENOMEM;
	add_chunk(writer, SYMBOL_CHUNK_NAMES, first, chunk);
	return 0;
}

static int write_names(struct writer *writer)
{
	struct bytes_writer offsets, texts, chunk;
	uint32_t next = 0;
	int r = 0;

	bytes_writer_init(&offsets, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&texts, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&chunk, SYMBOL_CHUNK_BYTES_MAX);
	while (r == 0 && next < writer->used_count)
		r = write_name_chunk(writer, &next, &offsets, &texts, &chunk);
	bytes_writer_done(&offsets);
	bytes_writer_done(&texts);
	bytes_writer_done(&chunk);
	return r;
}

static int join(struct writer *writer, enum symbol_quality quality, size_t bytes_max,
	uint8_t **ret_bytes, size_t *ret_byte_count)
{
	struct bytes_writer whole;
	int r;

	bytes_writer_init(&whole, bytes_max);
	bytes_write_span(&whole, "CSIX", 4);
	bytes_write_u16(&whole, SYMBOL_INDEX_FORMAT);
	bytes_write_u16(&whole, 0);
	bytes_write_u32(&whole, SYMBOL_INDEX_PARSER_VERSION);
	bytes_write_u32(&whole, quality);
	bytes_write_u32(&whole, writer->functions->count);
	bytes_write_u32(&whole, writer->used_count);
	bytes_write_u32(&whole, writer->chunk_count);
	bytes_write_span(&whole, writer->directory.bytes, writer->directory.byte_count);
	bytes_write_span(&whole, writer->chunks.bytes, writer->chunks.byte_count);
	r = bytes_writer_fault(&whole);
	if (r < 0 || writer->chunk_count > SYMBOL_CHUNK_COUNT_MAX) {
		bytes_writer_done(&whole);
		return r < 0 ? r : -EFBIG;
	}
	*ret_bytes = bytes_writer_take(&whole, ret_byte_count);
	return 0;
}

int index_write(const struct function_list *functions, const struct string_table *names,
	enum symbol_quality quality, size_t bytes_max, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	size_t number_count = names->count ? names->count : 1;
	SCOPED_FREE uint32_t *numbers = malloc(number_count * sizeof(*numbers));
	struct writer writer = {.functions = functions, .names = names, .numbers = numbers};
	int r;

	must(functions->resolved || functions->count == 0);
	if (!numbers)
		return -ENOMEM;
	memset(numbers, 0xff, number_count * sizeof(*numbers));
	bytes_writer_init(&writer.directory, bytes_max);
	bytes_writer_init(&writer.chunks, bytes_max);
	r = write_functions(&writer);
	if (r == 0)
		r = write_names(&writer);
	if (r == 0)
		r = bytes_writer_fault(&writer.chunks);
	if (r == 0)
		r = bytes_writer_fault(&writer.directory);
	if (r == 0)
		r = join(&writer, quality, bytes_max, ret_bytes, ret_byte_count);
	bytes_writer_done(&writer.directory);
	bytes_writer_done(&writer.chunks);
	free(writer.used);
	return r;
}
