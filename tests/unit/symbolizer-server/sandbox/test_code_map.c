/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/code_map.h"

#include "tests/support/check.h"

static uint32_t add_call(struct code_map *map, struct code_call call)
{
	uint32_t number;

	CHECK_EQ(code_map_add_call(map, &call, &number), 0);
	return number;
}

static void equal_calls_are_one(void)
{
	struct code_map map;
	uint32_t outer, inner;

	CHECK_EQ(code_map_init(&map), 0);
	outer = add_call(&map, (struct code_call){CODE_CALL_NONE, 7, 1, 10});
	inner = add_call(&map, (struct code_call){outer, 7, 1, 10});
	CHECK(outer != CODE_CALL_NONE && inner != outer);
	CHECK_EQ(add_call(&map, (struct code_call){CODE_CALL_NONE, 7, 1, 10}), outer);
	CHECK_EQ(add_call(&map, (struct code_call){outer, 7, 1, 10}), inner);
	CHECK(add_call(&map, (struct code_call){outer, 7, 1, 11}) != inner);
	CHECK(add_call(&map, (struct code_call){outer, 7, 2, 10}) != inner);
	CHECK(add_call(&map, (struct code_call){outer, 8, 1, 10}) != inner);
	code_map_done(&map);
}

static void many_calls_keep_their_numbers(void)
{
	struct code_map map;
	uint32_t first, count = 100000;

	CHECK_EQ(code_map_init(&map), 0);
	first = add_call(&map, (struct code_call){CODE_CALL_NONE, 0, 1, 1});
	for (uint32_t i = 1; i < count; i++)
		CHECK_EQ(add_call(&map, (struct code_call){first + i / 2, i, 1, 1}), first + i);
	for (uint32_t i = 1; i < count; i++)
		CHECK_EQ(add_call(&map, (struct code_call){first + i / 2, i, 1, 1}), first + i);
	CHECK_EQ(map.call_count, count + 1);
	code_map_done(&map);
}

static void empty_and_reversed_ranges_are_ignored(void)
{
	struct code_map map;
	uint32_t call;

	CHECK_EQ(code_map_init(&map), 0);
	call = add_call(&map, (struct code_call){CODE_CALL_NONE, 1, 1, 1});
	CHECK_EQ(code_map_add_range(&map, 8, 8, call), 0);
	CHECK_EQ(code_map_add_range(&map, 9, 8, call), 0);
	CHECK_EQ(code_map_resolve(&map), 0);
	CHECK_EQ(map.range_count, 0);
	CHECK_EQ(map.line_count, 0);
	code_map_done(&map);
}

static void rows_of_a_sequence_are_joined_and_the_last_of_an_address_holds(void)
{
	struct code_map map;

	CHECK_EQ(code_map_init(&map), 0);
	CHECK_EQ(code_map_add_line(&map, 0x10, 1, 1), 0);
	CHECK_EQ(code_map_add_line(&map, 0x10, 1, 2), 0);
	CHECK_EQ(code_map_add_line(&map, 0x14, 1, 2), 0);
	CHECK_EQ(code_map_add_line(&map, 0x18, 1, 3), 0);
	/* Lower than the one before it. */
	CHECK_EQ(code_map_add_line(&map, 0x17, 9, 9), 0);
	CHECK_EQ(code_map_add_line(&map, 0x30, 9, 9), 0);
	CHECK_EQ(code_map_end_lines(&map, 0x20), 0);
	CHECK_EQ(code_map_resolve(&map), 0);
	CHECK_EQ(map.line_count, 3);
	CHECK_EQ(map.lines[0].address, 0x10);
	CHECK_EQ(map.lines[0].line, 2);
	CHECK_EQ(map.lines[1].address, 0x18);
	CHECK_EQ(map.lines[1].line, 3);
	CHECK_EQ(map.lines[2].address, 0x20);
	CHECK_EQ(map.lines[2].file, CODE_FILE_NONE);
	code_map_done(&map);
}

static void a_sequence_that_breaks_off_ends_at_its_last_row(void)
{
	struct code_map map;

	CHECK_EQ(code_map_init(&map), 0);
	CHECK_EQ(code_map_end_lines(&map, 0x5), 0);
	CHECK_EQ(code_map_add_line(&map, 0x10, 1, 1), 0);
	CHECK_EQ(code_map_add_line(&map, 0x20, 1, 2), 0);
	map.order = 1;
	CHECK_EQ(code_map_add_line(&map, 0x8, 2, 5), 0);
	CHECK_EQ(code_map_resolve(&map), 0);
	CHECK_EQ(map.line_count, 2);
	CHECK_EQ(map.lines[0].line, 1);
	CHECK_EQ(map.lines[1].address, 0x20);
	CHECK_EQ(map.lines[1].file, CODE_FILE_NONE);
	code_map_done(&map);
}

static void a_map_is_moved_as_a_whole(void)
{
	const struct code_call called = {.name = 5};
	struct code_map map;
	uint32_t call;

	CHECK_EQ(code_map_init(&map), 0);
	CHECK_EQ(code_map_add_call(&map, &called, &call), 0);
	CHECK_EQ(code_map_add_range(&map, 0x10, 0x20, call), 0);
	CHECK_EQ(code_map_add_range(&map, 0x1010, 0x1020, call), 0);
	CHECK_EQ(code_map_add_line(&map, 0x10, 1, 1), 0);
	CHECK_EQ(code_map_end_lines(&map, 0x20), 0);
	CHECK_EQ(code_map_add_line(&map, 0x1010, 1, 2), 0);
	CHECK_EQ(code_map_end_lines(&map, 0x1020), 0);
	CHECK_EQ(code_map_resolve(&map), 0);
	code_map_move(&map, 0x1000);
	CHECK_EQ(map.range_count, 1);
	CHECK_EQ(map.ranges[0].start, 0x10);
	CHECK_EQ(map.ranges[0].end, 0x20);
	CHECK_EQ(map.line_count, 2);
	CHECK_EQ(map.lines[0].address, 0x10);
	CHECK_EQ(map.lines[0].line, 2);
	CHECK_EQ(map.lines[1].address, 0x20);
	code_map_done(&map);
}

int main(void)
{
	RUN(equal_calls_are_one);
	RUN(many_calls_keep_their_numbers);
	RUN(empty_and_reversed_ranges_are_ignored);
	RUN(rows_of_a_sequence_are_joined_and_the_last_of_an_address_holds);
	RUN(a_map_is_moved_as_a_whole);
	RUN(a_sequence_that_breaks_off_ends_at_its_last_row);
	return 0;
}
