/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks are made kind by kind, in the order of the directory, and joined behind it at the end.
 * Texts are numbered by whoever uses them first, so they can only be written once all did.
 *
 *   FUNCTIONS  NAMES  CALLS  FILES  SPANS  SEGMENTS
 *       numbers of names and calls run along the addresses of functions and ranges
 */
#include "symbolizer-server/sandbox/index_writer.h"

#include <errno.h>

#include "store/base/bytes.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/index_chunks.h"
#include "symbolizer-server/sandbox/index_code.h"
#include "symbolizer-server/sandbox/index_spans.h"
#include "symbolizer-server/sandbox/index_texts.h"

/* Two numbers of 64 bits, one step of 33. */
#define FUNCTION_BYTES_MAX (10 + 10 + 5)

struct writer {
	const struct index_content *content;
	struct index_chunks chunks;
	struct index_texts names;
	struct index_texts files;
	struct index_code code;
};

/* ---- Functions ---- */

static uint64_t function_start(const void *context, uint32_t entry)
{
	const struct writer *writer = context;

	return writer->content->functions->functions[entry].start;
}

static int write_functions(
	void *context, uint32_t first, uint32_t count, struct bytes_writer *bytes)
{
	struct writer *writer = context;
	const struct function *functions = writer->content->functions->functions;
	uint64_t end = functions[first].start;
	int64_t predecessor = -1;

	for (uint32_t i = first; i < first + count; i++) {
		uint32_t number;
		int r = index_texts_number(&writer->names, functions[i].name, &number);

		if (r < 0)
			return r;
		bytes_write_varint(bytes, functions[i].start - end);
		bytes_write_varint(bytes, functions[i].end - functions[i].start);
		bytes_write_signed(bytes, (int64_t)number - (predecessor + 1));
		predecessor = number;
		end = functions[i].end;
	}
	return 0;
}

/* ---- The whole ---- */

static int join(
	const struct writer *writer, size_t bytes_max, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	struct bytes_writer whole;
	int r;

	bytes_writer_init(&whole, bytes_max);
	bytes_write_span(&whole, "CSIX", 4);
	bytes_write_u16(&whole, SYMBOL_INDEX_FORMAT);
	bytes_write_u16(&whole, 0);
	bytes_write_u32(&whole, SYMBOL_INDEX_PARSER_VERSION);
	bytes_write_u32(&whole, writer->content->quality);
	bytes_write_u32(&whole, writer->content->functions->count);
	bytes_write_u32(&whole, writer->names.used_count);
	bytes_write_u32(&whole, writer->chunks.count);
	bytes_write_u32(&whole, writer->code.used_count);
	bytes_write_u32(&whole, writer->files.used_count);
	bytes_write_span(
		&whole, writer->chunks.directory.bytes, writer->chunks.directory.byte_count);
	bytes_write_span(&whole, writer->chunks.chunks.bytes, writer->chunks.chunks.byte_count);
	r = bytes_writer_fault(&whole);
	if (r < 0) {
		bytes_writer_done(&whole);
		return r;
	}
	*ret_bytes = bytes_writer_take(&whole, ret_byte_count);
	return 0;
}

static int write_segments(const struct symbol_segments *segments, struct index_chunks *chunks)
{
	struct bytes_writer bytes;
	int r;

	if (!segments || segments->count == 0)
		return 0;
	bytes_writer_init(&bytes, SYMBOL_CHUNK_BYTES_MAX);
	symbol_segments_write(segments, &bytes);
	r = bytes_writer_fault(&bytes);
	if (r == 0)
		r = index_chunks_add(chunks, SYMBOL_CHUNK_SEGMENTS, segments->segments[0].offset,
			bytes.bytes, bytes.byte_count);
	bytes_writer_done(&bytes);
	return r;
}

static int write_kinds(struct writer *writer)
{
	struct index_entries functions = {
		.count = writer->content->functions->count,
		.start = function_start,
		.write = write_functions,
		.context = writer,
		.bytes_each_max = FUNCTION_BYTES_MAX,
	};
	const struct code_map *map = writer->content->code;
	int r = index_chunks_add_entries(&writer->chunks, SYMBOL_CHUNK_FUNCTIONS, &functions);

	if (r == 0 && map)
		r = index_code_init(&writer->code, map, &writer->names, &writer->files);
	if (r == 0)
		r = index_texts_write(&writer->names, SYMBOL_CHUNK_NAMES, &writer->chunks);
	if (r == 0 && map)
		r = index_code_write(&writer->code, &writer->chunks);
	if (r == 0)
		r = index_texts_write(&writer->files, SYMBOL_CHUNK_FILES, &writer->chunks);
	/* Where nothing is known but functions, theirs are fewer bytes. */
	if (r == 0 && map && (map->range_count > 0 || map->line_count > 0))
		r = index_spans_write(writer->content->functions, &writer->code, &writer->chunks);
	return r < 0 ? r : write_segments(writer->content->segments, &writer->chunks);
}

int index_write(const struct index_content *content, size_t bytes_max, uint8_t **ret_bytes,
	size_t *ret_byte_count)
{
	struct writer writer = {.content = content};
	int r;

	must(content->functions->resolved || content->functions->count == 0);
	index_chunks_init(&writer.chunks, bytes_max);
	r = index_texts_init(&writer.names, content->strings);
	if (r == 0)
		r = index_texts_init(&writer.files, content->strings);
	if (r == 0)
		r = write_kinds(&writer);
	if (r == 0)
		r = join(&writer, bytes_max, ret_bytes, ret_byte_count);
	index_chunks_done(&writer.chunks);
	index_texts_done(&writer.names);
	index_texts_done(&writer.files);
	index_code_done(&writer.code);
	return r;
}
