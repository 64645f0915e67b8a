/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_unit.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/hand_dwarf.h"

static struct dwarf_value value_of(uint16_t form, uint64_t number)
{
	return (struct dwarf_value){.form = form, .number = number};
}

static void the_root_says_where_the_rest_is(void)
{
	static struct hand_dwarf hand;
	struct tiny_dwarf offsets = {0}, texts = {0}, addresses = {0};
	struct dwarf_unit unit;
	struct dwarf_value value;
	uint64_t address;

	tiny_text(&texts, "");
	tiny_text(&texts, "main.c");
	tiny_text(&texts, "/src");
	tiny_number(&offsets, 0, 8);
	tiny_number(&offsets, 1, 4);
	tiny_number(&offsets, 8, 4);
	tiny_number(&addresses, 0, 8);
	tiny_number(&addresses, 0x4000, 8);
	/* Indices before the bases that they count from. */
	HAND_ENTRY(&hand, DW_TAG_compile_unit, false, {DW_AT_name, DW_FORM_strx, 0, NULL},
		{DW_AT_comp_dir, DW_FORM_strx, 1, NULL}, {DW_AT_low_pc, DW_FORM_addrx, 0, NULL},
		{DW_AT_stmt_list, DW_FORM_sec_offset, 77, NULL},
		{DW_AT_str_offsets_base, DW_FORM_sec_offset, 8, NULL},
		{DW_AT_addr_base, DW_FORM_sec_offset, 8, NULL});
	hand_finish(&hand);
	hand.file.sections[DWARF_STR_OFFSETS] = tiny_span(&offsets);
	hand.file.sections[DWARF_STR] = tiny_span(&texts);
	hand.file.sections[DWARF_ADDR] = tiny_span(&addresses);
	CHECK_EQ(dwarf_unit_open(&hand.file, &hand.head, &hand.table, &unit), 0);
	CHECK_STR(unit.name, "main.c");
	CHECK_STR(unit.directory, "/src");
	CHECK_EQ(unit.low_pc, 0x4000);
	CHECK(unit.has_lines && !unit.wants_split);
	CHECK_EQ(unit.lines_offset, 77);
	value = value_of(DW_FORM_strx1, 2);
	CHECK(!dwarf_unit_text(&unit, &value));
	value = value_of(DW_FORM_strp, 1000);
	CHECK(!dwarf_unit_text(&unit, &value));
	value = value_of(DW_FORM_GNU_strp_alt, 0);
	CHECK(!dwarf_unit_text(&unit, &value));
	value = value_of(DW_FORM_addrx, 1);
	CHECK(!dwarf_unit_address(&unit, &value, &address));
	value = value_of(DW_FORM_data8, 1);
	CHECK(!dwarf_unit_address(&unit, &value, &address));
	hand_done(&hand);
}

static void references_stay_within_what_they_name(void)
{
	static struct hand_dwarf hand;
	struct dwarf_file shared = {0}, *file;
	struct dwarf_unit unit;
	struct dwarf_value value;
	uint64_t offset;

	HAND_ENTRY(&hand, DW_TAG_compile_unit, false, {DW_AT_name, DW_FORM_string, 0, "x"});
	hand_finish(&hand);
	CHECK_EQ(dwarf_unit_open(&hand.file, &hand.head, &hand.table, &unit), 0);
	value = value_of(DW_FORM_ref4, 13);
	CHECK(dwarf_unit_reference(&unit, &value, &file, &offset));
	CHECK(file == &hand.file && offset == 13);
	value.number = hand.head.end;
	CHECK(!dwarf_unit_reference(&unit, &value, &file, &offset));
	value = value_of(DW_FORM_GNU_ref_alt, 5);
	CHECK(!dwarf_unit_reference(&unit, &value, &file, &offset));
	hand.file.supplementary = &shared;
	CHECK(dwarf_unit_reference(&unit, &value, &file, &offset));
	CHECK(file == &shared && offset == 5);
	value = value_of(DW_FORM_ref_sig8, 5);
	CHECK(!dwarf_unit_reference(&unit, &value, &file, &offset));
	hand_done(&hand);
}

static void a_skeleton_gives_what_its_unit_lacks(void)
{
	static struct hand_dwarf skeleton_hand, hand;
	struct dwarf_parts parts = {0};
	struct dwarf_unit skeleton, unit;

	HAND_ENTRY(&skeleton_hand, DW_TAG_skeleton_unit, false,
		{DW_AT_dwo_name, DW_FORM_string, 0, "x.dwo"},
		{DW_AT_comp_dir, DW_FORM_string, 0, "/src"},
		{DW_AT_addr_base, DW_FORM_sec_offset, 8, NULL},
		{DW_AT_low_pc, DW_FORM_addr, 0x1000, NULL},
		{DW_AT_stmt_list, DW_FORM_sec_offset, 5, NULL});
	hand_finish(&skeleton_hand);
	HAND_ENTRY(&hand, DW_TAG_compile_unit, false, {DW_AT_name, DW_FORM_string, 0, "x.c"},
		{DW_AT_stmt_list, DW_FORM_sec_offset, 99, NULL});
	hand_finish(&hand);
	CHECK_EQ(dwarf_unit_open(
			 &skeleton_hand.file, &skeleton_hand.head, &skeleton_hand.table, &skeleton),
		0);
	CHECK(skeleton.wants_split);
	CHECK_EQ(dwarf_unit_open_split(
			 &hand.file, &hand.head, &parts, &skeleton, &hand.table, &unit),
		0);
	CHECK(!unit.wants_split && unit.has_lines);
	CHECK_STR(unit.directory, "/src");
	CHECK_EQ(unit.addr_base, 8);
	CHECK_EQ(unit.low_pc, 0x1000);
	CHECK_EQ(unit.lines_offset, 5);
	/* Behind the headers of its parts. */
	CHECK_EQ(unit.str_offsets_base, 8);
	CHECK_EQ(unit.rnglists_base, 12);
	hand_done(&hand);
	hand_done(&skeleton_hand);
}

static void a_root_without_a_shape_is_damage(void)
{
	static struct hand_dwarf hand;
	struct dwarf_unit unit;

	HAND_ENTRY(&hand, DW_TAG_compile_unit, false, {DW_AT_name, DW_FORM_string, 0, "x"});
	hand_finish(&hand);
	hand.info.bytes[HAND_HEAD_BYTES] = 9;
	CHECK_EQ(dwarf_unit_open(&hand.file, &hand.head, &hand.table, &unit), -EBADMSG);
	hand.info.bytes[HAND_HEAD_BYTES] = 1;
	hand.file.sections[DWARF_INFO].byte_count = HAND_HEAD_BYTES + 2;
	CHECK_EQ(dwarf_unit_open(&hand.file, &hand.head, &hand.table, &unit), -EBADMSG);
	hand_done(&hand);
}

int main(void)
{
	RUN(the_root_says_where_the_rest_is);
	RUN(references_stay_within_what_they_name);
	RUN(a_skeleton_gives_what_its_unit_lacks);
	RUN(a_root_without_a_shape_is_damage);
	return 0;
}
