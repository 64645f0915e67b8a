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
	struct symbol_code_table table;
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
	CHECK_EQ(symbol_code_open(bytes, entry.byte_count, entry.first, &table), 0);
	CHECK_EQ(symbol_code_find_call(&table, SYMBOL_CALL_DEPTH_MAX, &found), 0);
	CHECK_EQ(found.line, SYMBOL_CALL_DEPTH_MAX - 1);
	whole_index_done(&index);
	made_code_done(&made);
}

int main(void)
{
	RUN(the_order_of_units_does_not_show);
	RUN(calls_too_deep_keep_the_outermost);
	return 0;
}
