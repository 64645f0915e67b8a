/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_spans.h"

#include "symbolizer-server/sandbox/symbol_code.h"
#include "symbolizer-server/sandbox/symbol_span.h"
#include "tests/support/check.h"
#include "tests/support/made_code.h"
#include "tests/support/whole_index.h"

static void load(const struct made_code *made, struct whole_index *index)
{
	size_t byte_count;
	uint8_t *bytes = made_code_index(made, &byte_count);

	whole_index_adopt(index, bytes, byte_count);
	for (uint32_t i = 0; i < index->header.chunk_count; i++) {
		struct symbol_index_entry entry;
		const uint8_t *chunk = whole_index_chunk(index, i, &entry);
		uint32_t count;

		CHECK_EQ(symbol_index_check_chunk(&index->header, &entry, chunk, &count), 0);
	}
}

/* The chunk of KIND that holds KEY. */
static const uint8_t *chunk_of(const struct whole_index *index, enum symbol_chunk_kind kind,
	uint64_t key, struct symbol_index_entry *ret_entry)
{
	uint32_t number = symbol_index_locate(index->bytes, &index->header, kind, key);

	return number == UINT32_MAX ? NULL : whole_index_chunk(index, number, ret_entry);
}

static const char *text_at(
	const struct whole_index *index, enum symbol_chunk_kind kind, uint32_t number)
{
	struct symbol_index_entry entry;
	const uint8_t *bytes = chunk_of(index, kind, number, &entry);
	const char *text;

	CHECK(bytes);
	CHECK_EQ(symbol_index_find_name(bytes, entry.byte_count, entry.first, number, &text), 0);
	return text;
}

static void same_file(const struct whole_index *index, const struct made_code *made,
	uint32_t number, uint32_t expected)
{
	if (expected == CODE_FILE_NONE)
		CHECK_EQ(number, 0);
	else
		CHECK_STR(text_at(index, SYMBOL_CHUNK_FILES, number - 1),
			string_table_text(&made->strings, expected));
}

/* Follows the calls of the index and of the map up, side by side. */
static void same_calls(const struct whole_index *index, const struct made_code *made,
	uint32_t number, uint32_t expected)
{
	while (expected != CODE_CALL_NONE) {
		const struct code_call *call = &made->map.calls[expected];
		struct symbol_index_entry entry;
		const uint8_t *bytes = chunk_of(index, SYMBOL_CHUNK_CALLS, number, &entry);
		struct symbol_code_table table;
		struct symbol_code_call found;

		CHECK(bytes);
		CHECK_EQ(symbol_code_open(bytes, entry.byte_count, entry.first, &table), 0);
		CHECK_EQ(symbol_code_find_call(&table, number, &found), 0);
		CHECK_STR(text_at(index, SYMBOL_CHUNK_NAMES, found.name),
			string_table_text(&made->strings, call->name));
		same_file(index, made, found.file, call->call_file);
		CHECK_EQ(found.line, call->call_line);
		number = found.parent;
		expected = call->parent;
	}
	CHECK_EQ(number, 0);
}

/* What the map says of ADDRESS, found by looking at all of it. */
static uint32_t range_at(const struct made_code *made, uint64_t address)
{
	for (uint32_t i = 0; i < made->map.range_count; i++) {
		const struct code_range *range = &made->map.ranges[i];

		if (range->start <= address && address < range->end)
			return range->call;
	}
	return CODE_CALL_NONE;
}

static void check_address(const struct whole_index *index, const struct made_code *made,
	const struct code_line *row, uint64_t address)
{
	const struct function *function = function_list_find(&made->functions, address);
	struct symbol_index_entry entry;
	const uint8_t *bytes = chunk_of(index, SYMBOL_CHUNK_SPANS, address, &entry);
	struct symbol_span span;

	CHECK(bytes);
	CHECK_EQ(symbol_span_find(bytes, entry.byte_count, entry.first, address, &span), 0);
	CHECK(span.call_start <= span.start && span.start <= address && address < span.end);
	if (!function) {
		CHECK_EQ(span.function, SYMBOL_SPAN_NO_FUNCTION);
		return;
	}
	CHECK_STR(text_at(index, SYMBOL_CHUNK_NAMES, span.function),
		string_table_text(&made->strings, function->name));
	same_calls(index, made, span.call, range_at(made, address));
	same_file(index, made, span.file, row->file);
	CHECK_EQ(span.line, row->line);
	/* It holds as far as it says, and its function and call from where it says. */
	CHECK(span.start >= row[0].address && span.end <= row[1].address);
	CHECK_EQ(range_at(made, span.call_start), range_at(made, span.end - 1));
	CHECK(function_list_find(&made->functions, span.call_start) == function);
}

static void every_address_has_its_function_its_calls_and_its_line(void)
{
	struct made_code made;
	struct whole_index index;

	made_code_init(&made, 300, false);
	load(&made, &index);
	CHECK(index.header.call_count > 100 && index.header.call_count < made.map.call_count);
	for (uint32_t row = 0; row + 1 < made.map.line_count; row++) {
		for (uint64_t address = made.map.lines[row].address;
			address < made.map.lines[row + 1].address; address++)
			check_address(&index, &made, &made.map.lines[row], address);
	}
	whole_index_done(&index);
	made_code_done(&made);
}

/* Walks the spans of all chunks, from one end to the next start. */
static uint32_t count_spans(const struct whole_index *index, uint32_t *ret_chunk_count)
{
	uint32_t span_count = 0, chunk_count = 0;

	for (uint32_t i = 0; i < index->header.chunk_count; i++) {
		struct symbol_index_entry entry;
		const uint8_t *bytes = whole_index_chunk(index, i, &entry);
		struct symbol_span span = {.end = entry.first};

		if (entry.kind != SYMBOL_CHUNK_SPANS)
			continue;
		chunk_count++;
		for (; span.end != UINT64_MAX; span_count++) {
			uint64_t address = span.end;

			CHECK_EQ(symbol_span_find(
					 bytes, entry.byte_count, entry.first, address, &span),
				0);
			CHECK_EQ(span.start, address);
		}
	}
	*ret_chunk_count = chunk_count;
	return span_count;
}

static void spans_follow_one_another_through_many_chunks(void)
{
	struct made_code made;
	struct whole_index index;
	uint32_t chunk_count;

	made_code_init(&made, 3000, false);
	load(&made, &index);
	CHECK(count_spans(&index, &chunk_count) > 3000 * 20);
	CHECK(chunk_count > 2);
	whole_index_done(&index);
	made_code_done(&made);
}

/* Distances that no 32 bits hold, and the last address of all. */
static void what_lies_far_apart_is_found(void)
{
	const uint64_t starts[] = {0, 0x100, UINT64_C(1) << 33, UINT64_MAX - 0x20};
	struct made_code made;
	struct whole_index index;
	uint32_t chunk_count;

	made_code_init(&made, 1, false);
	function_list_done(&made.functions);
	code_map_done(&made.map);
	CHECK_EQ(code_map_init(&made.map), 0);
	for (uint32_t i = 0; i < 4; i++) {
		CHECK_EQ(function_list_add(&made.functions, starts[i], starts[i] + 0x20, 0, 0), 0);
		CHECK_EQ(code_map_add_line(&made.map, starts[i], 1, 7), 0);
		CHECK_EQ(code_map_end_lines(&made.map, starts[i] + 0x10), 0);
	}
	CHECK_EQ(function_list_resolve(&made.functions), 0);
	CHECK_EQ(code_map_resolve(&made.map), 0);
	load(&made, &index);
	/* Two of each, what lies between the first two, and what lies behind all but the last. */
	CHECK_EQ(count_spans(&index, &chunk_count), 4 * 2 + 1 + 2);
	CHECK_EQ(chunk_count, 3);
	whole_index_done(&index);
	made_code_done(&made);
}

int main(void)
{
	RUN(every_address_has_its_function_its_calls_and_its_line);
	RUN(spans_follow_one_another_through_many_chunks);
	RUN(what_lies_far_apart_is_found);
	return 0;
}
