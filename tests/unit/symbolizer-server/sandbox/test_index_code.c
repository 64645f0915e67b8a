/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_code.h"

#include "symbolizer-server/sandbox/symbol_code.h"
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
		struct symbol_code_call found;

		CHECK(bytes);
		CHECK_EQ(
			symbol_code_find_call(bytes, entry.byte_count, entry.first, number, &found),
			0);
		CHECK_STR(text_at(index, SYMBOL_CHUNK_NAMES, found.name),
			string_table_text(&made->strings, call->name));
		same_file(index, made, found.file, call->call_file);
		CHECK_EQ(found.line, call->call_line);
		number = found.parent;
		expected = call->parent;
	}
	CHECK_EQ(number, 0);
}

static void check_address(const struct whole_index *index, const struct made_code *made,
	const struct code_range *range, const struct code_line *row, uint64_t address)
{
	struct symbol_code_inline call = {0};
	struct symbol_code_line line = {0};
	struct symbol_index_entry entry;
	const uint8_t *bytes = chunk_of(index, SYMBOL_CHUNK_INLINES, address, &entry);

	if (bytes) {
		CHECK_EQ(symbol_code_find_inline(bytes, entry.byte_count, address, &call), 0);
		CHECK(call.start <= address && address < call.end);
	}
	same_calls(index, made, call.call, range ? range->call : CODE_CALL_NONE);
	if (range) {
		CHECK_EQ(call.start, range->start);
		CHECK_EQ(call.end, range->end);
	}
	bytes = chunk_of(index, SYMBOL_CHUNK_LINES, address, &entry);
	CHECK(bytes);
	CHECK_EQ(symbol_code_find_line(bytes, entry.byte_count, address, &line), 0);
	CHECK_EQ(line.start, row->address);
	CHECK_EQ(line.line, row->line);
	same_file(index, made, line.file, row->file);
}

static void every_address_has_its_calls_and_its_line(void)
{
	struct made_code made;
	struct whole_index index;
	uint32_t range = 0;

	made_code_init(&made, 3000, false);
	load(&made, &index);
	CHECK(index.header.call_count > 1000 && index.header.call_count < made.map.call_count);
	for (uint32_t row = 0; row + 1 < made.map.line_count; row++) {
		for (uint64_t address = made.map.lines[row].address;
			address < made.map.lines[row + 1].address; address += 5) {
			const struct code_range *ranges = made.map.ranges;

			while (range + 1 < made.map.range_count && ranges[range].end <= address)
				range++;
			check_address(&index, &made,
				ranges[range].start <= address && address < ranges[range].end
					? &ranges[range]
					: NULL,
				&made.map.lines[row], address);
		}
	}
	whole_index_done(&index);
	made_code_done(&made);
}

static void the_order_of_units_does_not_show(void)
{
	struct made_code forward, backward;
	size_t forward_bytes, backward_bytes;
	uint8_t *one, *other;

	made_code_init(&forward, 500, false);
	made_code_init(&backward, 500, true);
	one = made_code_index(&forward, &forward_bytes);
	other = made_code_index(&backward, &backward_bytes);
	CHECK_EQ(forward_bytes, backward_bytes);
	CHECK(memcmp(one, other, forward_bytes) == 0);
	free(one);
	free(other);
	made_code_done(&forward);
	made_code_done(&backward);
}

static void calls_too_deep_keep_the_outermost(void)
{
	struct made_code made;
	struct symbol_code_call found;
	struct symbol_index_entry entry;
	struct whole_index index;
	const uint8_t *bytes;
	uint32_t call = CODE_CALL_NONE;

	made_code_init(&made, 1, false);
	code_map_done(&made.map);
	CHECK_EQ(code_map_init(&made.map), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		struct code_call deeper = {.parent = call, .name = 0, .call_line = i};

		CHECK_EQ(code_map_add_call(&made.map, &deeper, &call), 0);
	}
	CHECK_EQ(code_map_add_range(&made.map, 0x1000, 0x1010, call), 0);
	CHECK_EQ(code_map_resolve(&made.map), 0);
	load(&made, &index);
	CHECK_EQ(index.header.call_count, SYMBOL_CALL_DEPTH_MAX);
	bytes = chunk_of(&index, SYMBOL_CHUNK_CALLS, SYMBOL_CALL_DEPTH_MAX, &entry);
	CHECK(bytes);
	CHECK_EQ(symbol_code_find_call(
			 bytes, entry.byte_count, entry.first, SYMBOL_CALL_DEPTH_MAX, &found),
		0);
	CHECK_EQ(found.line, SYMBOL_CALL_DEPTH_MAX - 1);
	whole_index_done(&index);
	made_code_done(&made);
}

int main(void)
{
	RUN(every_address_has_its_calls_and_its_line);
	RUN(the_order_of_units_does_not_show);
	RUN(calls_too_deep_keep_the_outermost);
	return 0;
}
