/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_walk.h"

#include "tests/support/check.h"
#include "tests/support/hand_dwarf.h"

struct found {
	struct string_table strings;
	struct function_list table, functions;
	struct code_span span;
	struct code_ranges code;
	struct code_map map;
};

static void walk(struct hand_dwarf *hand, struct found *found)
{
	static struct dwarf_walk walk;
	struct dwarf_unit unit;

	*found = (struct found){.span = {0x1000, 0x2000}};
	found->code = (struct code_ranges){&found->span, 1};
	CHECK_EQ(string_table_init(&found->strings), 0);
	CHECK_EQ(code_map_init(&found->map), 0);
	hand_finish(hand);
	CHECK_EQ(dwarf_unit_open(&hand->file, &hand->head, &hand->table, &unit), 0);
	CHECK_EQ(dwarf_walk_init(&walk,
			 &(struct dwarf_target){.code = &found->code,
				 .table = &found->table,
				 .strings = &found->strings,
				 .functions = &found->functions,
				 .map = &found->map}),
		0);
	CHECK_EQ(dwarf_walk_unit(&walk, &unit, &hand->table, true), 0);
	dwarf_walk_done(&walk);
}

static void done(struct hand_dwarf *hand, struct found *found)
{
	function_list_done(&found->functions);
	code_map_done(&found->map);
	string_table_done(&found->strings);
	hand_done(hand);
}

static void begin_unit(struct hand_dwarf *hand)
{
	HAND_ENTRY(hand, DW_TAG_compile_unit, true, {DW_AT_name, DW_FORM_string, 0, "x.c"});
}

static void begin_function(struct hand_dwarf *hand, const char *name, uint64_t start, uint64_t end)
{
	HAND_ENTRY(hand, DW_TAG_subprogram, true, {DW_AT_name, DW_FORM_string, 0, name},
		{DW_AT_low_pc, DW_FORM_addr, start, NULL},
		{DW_AT_high_pc, DW_FORM_data4, end - start, NULL});
}

static void begin_call(struct hand_dwarf *hand, uint64_t origin, uint64_t start, uint64_t end)
{
	HAND_ENTRY(hand, DW_TAG_inlined_subroutine, true,
		{DW_AT_abstract_origin, DW_FORM_ref4, origin, NULL},
		{DW_AT_low_pc, DW_FORM_addr, start, NULL},
		{DW_AT_high_pc, DW_FORM_data4, end - start, NULL},
		{DW_AT_call_line, DW_FORM_udata, 7, NULL});
}

static uint64_t abstract(struct hand_dwarf *hand, const char *name)
{
	return HAND_ENTRY(hand, DW_TAG_subprogram, false, {DW_AT_name, DW_FORM_string, 0, name});
}

static void check_call(const struct found *found, uint32_t range, const char *name, uint32_t parent)
{
	const struct code_call *call;

	CHECK(range < found->map.range_count);
	call = &found->map.calls[found->map.ranges[range].call];
	CHECK_STR(string_table_text(&found->strings, call->name), name);
	CHECK_EQ(call->parent, parent);
	CHECK_EQ(call->call_line, 7);
}

static void calls_stand_within_each_other_and_functions_do_not(void)
{
	static struct hand_dwarf hand;
	struct found found;
	uint64_t one, two;

	begin_unit(&hand);
	one = abstract(&hand, "one");
	two = abstract(&hand, "two");
	begin_function(&hand, "outer", 0x1000, 0x1100);
	HAND_ENTRY(&hand, DW_TAG_lexical_block, true, {DW_AT_name, DW_FORM_data1, 0, NULL});
	begin_call(&hand, one, 0x1010, 0x1050);
	begin_call(&hand, two, 0x1020, 0x1030);
	hand_end_children(&hand);
	/* A function of a local class stands inside of the call that has the class. */
	begin_function(&hand, "inner", 0x1200, 0x1300);
	begin_call(&hand, one, 0x1210, 0x1220);
	for (int i = 0; i < 6; i++)
		hand_end_children(&hand);
	walk(&hand, &found);
	CHECK_EQ(found.functions.count, 2);
	CHECK_EQ(found.map.range_count, 3);
	check_call(&found, 0, "one", CODE_CALL_NONE);
	check_call(&found, 1, "two", found.map.ranges[0].call);
	check_call(&found, 2, "one", CODE_CALL_NONE);
	done(&hand, &found);
}

static void what_the_linker_dropped_is_left_out_with_all_in_it(void)
{
	static struct hand_dwarf hand;
	struct found found;
	uint64_t one;

	begin_unit(&hand);
	one = abstract(&hand, "one");
	/* It starts nowhere, so that what seems to lie in code does not either. */
	begin_function(&hand, "dropped", 0, 0x1800);
	begin_call(&hand, one, 0x1100, 0x1200);
	hand_end_children(&hand);
	hand_end_children(&hand);
	begin_function(&hand, "cut", 0x1f00, 0x2800);
	hand_end_children(&hand);
	hand_end_children(&hand);
	walk(&hand, &found);
	CHECK_EQ(found.functions.count, 1);
	CHECK_EQ(found.functions.functions[0].end, 0x2000);
	CHECK_EQ(found.map.range_count, 0);
	done(&hand, &found);
}

static void a_call_without_a_name_is_none(void)
{
	static struct hand_dwarf hand;
	struct found found;

	begin_unit(&hand);
	begin_function(&hand, "outer", 0x1000, 0x1100);
	begin_call(&hand, 0x7fff, 0x1010, 0x1020);
	/* It refers to itself: its name is looked for in vain, but not for ever. */
	begin_call(&hand, HAND_HEAD_BYTES + hand.info.byte_count, 0x1030, 0x1040);
	for (int i = 0; i < 4; i++)
		hand_end_children(&hand);
	walk(&hand, &found);
	CHECK_EQ(found.functions.count, 1);
	CHECK_EQ(found.map.call_count, 1);
	done(&hand, &found);
}

static void what_lies_too_deep_is_left_out(void)
{
	static struct hand_dwarf hand;
	struct found found;
	uint64_t one;

	begin_unit(&hand);
	one = abstract(&hand, "one");
	begin_function(&hand, "outer", 0x1000, 0x1100);
	HAND_ENTRY(&hand, DW_TAG_lexical_block, true, {DW_AT_name, DW_FORM_flag_present, 0, NULL});
	/* The same shape again and again: a block each byte. */
	for (int i = 0; i < DWARF_DEPTH_MAX; i++)
		tiny_uleb(&hand.info, hand.shapes);
	begin_call(&hand, one, 0x1010, 0x1020);
	for (int i = 0; i < DWARF_DEPTH_MAX + 3; i++)
		hand_end_children(&hand);
	begin_function(&hand, "after", 0x1200, 0x1300);
	begin_call(&hand, one, 0x1210, 0x1220);
	walk(&hand, &found);
	CHECK_EQ(found.functions.count, 2);
	CHECK_EQ(found.map.range_count, 1);
	CHECK_EQ(found.map.ranges[0].start, 0x1210);
	done(&hand, &found);
}

static void damage_keeps_what_stands_before_it(void)
{
	static struct hand_dwarf hand;
	struct found found;

	begin_unit(&hand);
	begin_function(&hand, "before", 0x1000, 0x1100);
	hand_end_children(&hand);
	tiny_uleb(&hand.info, 5000);
	begin_function(&hand, "after", 0x1200, 0x1300);
	walk(&hand, &found);
	CHECK_EQ(found.functions.count, 1);
	done(&hand, &found);
}

int main(void)
{
	RUN(calls_stand_within_each_other_and_functions_do_not);
	RUN(what_the_linker_dropped_is_left_out_with_all_in_it);
	RUN(a_call_without_a_name_is_none);
	RUN(what_lies_too_deep_is_left_out);
	RUN(damage_keeps_what_stands_before_it);
	return 0;
}
