/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/code_resolve.h"

#include <stdlib.h>

#include "tests/support/check.h"

#define SPAN 256

static uint32_t add_call(struct code_map *map, uint32_t parent, uint32_t name)
{
	struct code_call call = {.parent = parent, .name = name};
	uint32_t number;

	CHECK_EQ(code_map_add_call(map, &call, &number), 0);
	return number;
}

/* The name of the call at ADDRESS of a resolved map; 0: none. */
static uint32_t name_at(const struct code_map *map, uint64_t address)
{
	uint32_t name = 0;

	for (uint32_t i = 0; i < map->range_count; i++) {
		if (i > 0)
			CHECK(map->ranges[i - 1].end <= map->ranges[i].start);
		if (map->ranges[i].start <= address && address < map->ranges[i].end)
			name = map->calls[map->ranges[i].call].name;
	}
	return name;
}

static uint32_t line_at(const struct code_map *map, uint64_t address)
{
	uint32_t line = 0;

	for (uint32_t i = 0; i < map->line_count; i++) {
		if (i > 0)
			CHECK(map->lines[i - 1].address < map->lines[i].address);
		if (map->lines[i].address <= address)
			line = map->lines[i].line;
	}
	return line;
}

static void the_call_added_last_holds_and_behind_it_the_outer_goes_on(void)
{
	struct code_map map;
	uint32_t outer, inner, crossing;

	CHECK_EQ(code_map_init(&map), 0);
	outer = add_call(&map, CODE_CALL_NONE, 1);
	CHECK_EQ(code_map_add_range(&map, 10, 50, outer), 0);
	inner = add_call(&map, outer, 2);
	CHECK_EQ(code_map_add_range(&map, 20, 30, inner), 0);
	crossing = add_call(&map, CODE_CALL_NONE, 3);
	CHECK_EQ(code_map_add_range(&map, 25, 60, crossing), 0);
	CHECK_EQ(code_map_resolve(&map), 0);
	CHECK_EQ(name_at(&map, 9), 0);
	CHECK_EQ(name_at(&map, 10), 1);
	CHECK_EQ(name_at(&map, 20), 2);
	CHECK_EQ(name_at(&map, 24), 2);
	CHECK_EQ(name_at(&map, 25), 3);
	CHECK_EQ(name_at(&map, 59), 3);
	CHECK_EQ(name_at(&map, 60), 0);
	code_map_done(&map);
}

struct made_range {
	uint32_t order, start, end;
};

static void fill(struct code_map *map, const struct made_range *made, uint32_t count, bool backward)
{
	for (uint32_t unit = 0; unit < 4; unit++) {
		map->order = backward ? 3 - unit : unit;
		for (uint32_t i = 0; i < count; i++) {
			if (made[i].order != map->order)
				continue;
			CHECK_EQ(code_map_add_range(map, made[i].start, made[i].end,
					 add_call(map, CODE_CALL_NONE, i + 1)),
				0);
			CHECK_EQ(code_map_add_line(map, made[i].start, 1, i + 1), 0);
			CHECK_EQ(code_map_end_lines(map, made[i].end), 0);
		}
	}
	CHECK_EQ(code_map_resolve(map), 0);
}

/* The number of the range that should hold ADDRESS. */
static uint32_t expected_range(const struct made_range *made, uint32_t count, uint32_t address)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (made[i].start <= address && address < made[i].end &&
			(best == 0 || made[i].order <= made[best - 1].order))
			best = i + 1;
	}
	return best;
}

static bool sequence_wins(const struct made_range *one, const struct made_range *other)
{
	if (one->start != other->start)
		return one->start > other->start;
	if (one->order != other->order)
		return one->order < other->order;
	return one->end <= other->end;
}

static uint32_t expected_line(const struct made_range *made, uint32_t count, uint32_t address)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (made[i].start <= address && address < made[i].end &&
			(best == 0 || sequence_wins(&made[i], &made[best - 1])))
			best = i + 1;
	}
	return best;
}

static void any_overlap_has_one_answer_whatever_the_order_of_units(void)
{
	struct made_range made[40];
	struct code_map forward, backward;

	srand(4);
	for (int round = 0; round < 300; round++) {
		for (uint32_t i = 0; i < 40; i++) {
			made[i].order = i / 10;
			made[i].start = (uint32_t)rand() % SPAN;
			made[i].end = made[i].start + 1 + (uint32_t)rand() % 60;
		}
		CHECK_EQ(code_map_init(&forward), 0);
		CHECK_EQ(code_map_init(&backward), 0);
		fill(&forward, made, 40, false);
		fill(&backward, made, 40, true);
		for (uint32_t address = 0; address < SPAN + 64; address++) {
			CHECK_EQ(name_at(&forward, address), expected_range(made, 40, address));
			CHECK_EQ(name_at(&backward, address), expected_range(made, 40, address));
			CHECK_EQ(line_at(&forward, address), expected_line(made, 40, address));
			CHECK_EQ(line_at(&backward, address), expected_line(made, 40, address));
		}
		code_map_done(&forward);
		code_map_done(&backward);
	}
}

static void an_interrupted_sequence_goes_on_with_its_own_row(void)
{
	struct code_map map;

	CHECK_EQ(code_map_init(&map), 0);
	/* As a function that the linker left out: its line table begins at 0. */
	CHECK_EQ(code_map_add_line(&map, 0, 1, 1), 0);
	CHECK_EQ(code_map_add_line(&map, 0x18, 1, 2), 0);
	CHECK_EQ(code_map_add_line(&map, 0x38, 1, 3), 0);
	CHECK_EQ(code_map_end_lines(&map, 0x40), 0);
	CHECK_EQ(code_map_add_line(&map, 0x10, 1, 10), 0);
	CHECK_EQ(code_map_add_line(&map, 0x20, 1, 11), 0);
	CHECK_EQ(code_map_end_lines(&map, 0x30), 0);
	CHECK_EQ(code_map_add_line(&map, 0x50, 1, 20), 0);
	CHECK_EQ(code_map_end_lines(&map, 0x60), 0);
	CHECK_EQ(code_map_resolve(&map), 0);
	CHECK_EQ(line_at(&map, 0xf), 1);
	CHECK_EQ(line_at(&map, 0x1f), 10);
	CHECK_EQ(line_at(&map, 0x2f), 11);
	CHECK_EQ(line_at(&map, 0x30), 2);
	CHECK_EQ(line_at(&map, 0x38), 3);
	CHECK_EQ(line_at(&map, 0x40), 0);
	CHECK_EQ(line_at(&map, 0x50), 20);
	CHECK_EQ(line_at(&map, 0x60), 0);
	code_map_done(&map);
}

int main(void)
{
	RUN(the_call_added_last_holds_and_behind_it_the_outer_goes_on);
	RUN(any_overlap_has_one_answer_whatever_the_order_of_units);
	RUN(an_interrupted_sequence_goes_on_with_its_own_row);
	return 0;
}
