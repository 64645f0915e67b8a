/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_entry.h"

#include "tests/support/check.h"
#include "tests/support/hand_dwarf.h"

static struct string_table strings;

/* The name of the entry at OFFSET. */
static const char *name_at(struct dwarf_namer *namer, struct hand_dwarf *hand, uint64_t offset)
{
	struct dwarf_cursor cursor =
		dwarf_cursor_at(&hand->file.sections[DWARF_INFO], offset, false);
	const struct abbrev *abbrev = abbrev_find(&hand->table, dwarf_cursor_uleb(&cursor));
	struct dwarf_entry entry;
	struct dwarf_unit unit;
	uint32_t name;

	CHECK_EQ(dwarf_unit_open(&hand->file, &hand->head, &hand->table, &unit), 0);
	dwarf_entry_read(&cursor, &unit, &hand->table, abbrev, &entry);
	CHECK(!cursor.bad);
	CHECK_EQ(dwarf_namer_name(namer, &unit, &hand->table, &entry, &name), 0);
	return name == DWARF_NAME_NONE ? NULL : string_table_text(&strings, name);
}

static void a_linkage_name_wins_wherever_it_stands(void)
{
	static struct hand_dwarf hand;
	struct dwarf_namer namer;
	uint64_t declared, abstract, call, plain, again;

	CHECK_EQ(dwarf_namer_init(&namer, &strings), 0);
	HAND_ENTRY(&hand, DW_TAG_compile_unit, true, {DW_AT_name, DW_FORM_string, 0, "x.cc"});
	declared = HAND_ENTRY(&hand, DW_TAG_subprogram, false, {DW_AT_name, DW_FORM_string, 0, "f"},
		{DW_AT_linkage_name, DW_FORM_string, 0, "_Z1fv"});
	abstract = HAND_ENTRY(&hand, DW_TAG_subprogram, false,
		{DW_AT_specification, DW_FORM_ref4, declared, NULL},
		{DW_AT_name, DW_FORM_string, 0, "nearer"});
	call = HAND_ENTRY(&hand, DW_TAG_inlined_subroutine, false,
		{DW_AT_abstract_origin, DW_FORM_ref4, abstract, NULL});
	again = HAND_ENTRY(&hand, DW_TAG_inlined_subroutine, false,
		{DW_AT_abstract_origin, DW_FORM_ref_addr, abstract, NULL});
	plain = HAND_ENTRY(&hand, DW_TAG_subprogram, false, {DW_AT_name, DW_FORM_string, 0, "g"});
	hand_finish(&hand);
	CHECK_STR(name_at(&namer, &hand, call), "_Z1fv");
	CHECK_STR(name_at(&namer, &hand, again), "_Z1fv");
	CHECK_STR(name_at(&namer, &hand, plain), "g");
	CHECK_STR(name_at(&namer, &hand, abstract), "_Z1fv");
	dwarf_namer_done(&namer);
	hand_done(&hand);
}

static void what_refers_in_a_circle_or_nowhere_has_no_name(void)
{
	static struct hand_dwarf hand;
	struct dwarf_namer namer;
	uint64_t one, other, outside, unnamed;

	CHECK_EQ(dwarf_namer_init(&namer, &strings), 0);
	HAND_ENTRY(&hand, DW_TAG_compile_unit, true, {DW_AT_name, DW_FORM_string, 0, "x.cc"});
	one = HAND_HEAD_BYTES + hand.info.byte_count;
	other = one + 5;
	HAND_ENTRY(
		&hand, DW_TAG_subprogram, false, {DW_AT_specification, DW_FORM_ref4, other, NULL});
	HAND_ENTRY(&hand, DW_TAG_subprogram, false, {DW_AT_specification, DW_FORM_ref4, one, NULL});
	outside = HAND_ENTRY(&hand, DW_TAG_subprogram, false,
		{DW_AT_specification, DW_FORM_ref_addr, 100000, NULL});
	unnamed = HAND_ENTRY(&hand, DW_TAG_subprogram, false, {DW_AT_name, DW_FORM_string, 0, ""});
	hand_finish(&hand);
	CHECK(!name_at(&namer, &hand, one));
	CHECK(!name_at(&namer, &hand, other));
	CHECK(!name_at(&namer, &hand, outside));
	CHECK(!name_at(&namer, &hand, unnamed));
	dwarf_namer_done(&namer);
	hand_done(&hand);
}

static void names_in_a_supplementary_file_are_found(void)
{
	static struct hand_dwarf hand, shared;
	struct dwarf_namer namer;
	uint64_t place, call, cut;

	CHECK_EQ(dwarf_namer_init(&namer, &strings), 0);
	HAND_ENTRY(&shared, DW_TAG_partial_unit, true, {DW_AT_name, DW_FORM_string, 0, "y"});
	place = HAND_ENTRY(
		&shared, DW_TAG_subprogram, false, {DW_AT_name, DW_FORM_string, 0, "common"});
	hand_finish(&shared);
	HAND_ENTRY(&hand, DW_TAG_compile_unit, true, {DW_AT_name, DW_FORM_string, 0, "x"});
	call = HAND_ENTRY(&hand, DW_TAG_inlined_subroutine, false,
		{DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, place, NULL});
	cut = HAND_ENTRY(&hand, DW_TAG_inlined_subroutine, false,
		{DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, 3, NULL});
	hand_finish(&hand);
	CHECK(!name_at(&namer, &hand, call));
	hand.file.supplementary = &shared.file;
	CHECK_STR(name_at(&namer, &hand, call), "common");
	CHECK_STR(name_at(&namer, &hand, call), "common");
	CHECK(!name_at(&namer, &hand, cut));
	dwarf_namer_done(&namer);
	hand_done(&hand);
	hand_done(&shared);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(a_linkage_name_wins_wherever_it_stands);
	RUN(what_refers_in_a_circle_or_nowhere_has_no_name);
	RUN(names_in_a_supplementary_file_are_found);
	string_table_done(&strings);
	return 0;
}
