/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_range.h"

#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"

/* A unit of VERSION that starts at 0x1000, with SECTION as its lists. */
static struct dwarf_unit make_unit(
	struct dwarf_file *file, uint16_t version, const struct tiny_dwarf *section)
{
	*file = (struct dwarf_file){0};
	return (struct dwarf_unit){
		.file = file,
		.head = {.version = version, .address_bytes = 8, .offset_bytes = 4},
		.ranges = tiny_span(section),
		.parts = {.rnglists = tiny_span(section)},
		.low_pc = 0x1000,
	};
}

static void check_next(struct dwarf_range_walk *walk, uint64_t start, uint64_t end)
{
	uint64_t got_start, got_end;

	CHECK(dwarf_range_next(walk, &got_start, &got_end));
	CHECK_EQ(got_start, start);
	CHECK_EQ(got_end, end);
}

static void check_end(struct dwarf_range_walk *walk)
{
	uint64_t start, end;

	CHECK(!dwarf_range_next(walk, &start, &end));
	CHECK(!dwarf_range_next(walk, &start, &end));
}

static struct dwarf_range_walk begin(const struct dwarf_unit *unit, uint16_t form, uint64_t number)
{
	const struct dwarf_extent extent = {.ranges = {.form = form, .number = number}};
	struct dwarf_range_walk walk;

	dwarf_range_begin(unit, &extent, &walk);
	return walk;
}

static void one_range_has_an_end_or_a_length(void)
{
	const struct tiny_dwarf none = {0};
	struct dwarf_file file;
	struct dwarf_unit unit = make_unit(&file, 4, &none);
	struct dwarf_extent extent = {.low_pc = {.form = DW_FORM_addr, .number = 0x10},
		.high_pc = {.form = DW_FORM_addr, .number = 0x30}};
	struct dwarf_range_walk walk;

	dwarf_range_begin(&unit, &extent, &walk);
	check_next(&walk, 0x10, 0x30);
	check_end(&walk);
	extent.high_pc.form = DW_FORM_data4;
	dwarf_range_begin(&unit, &extent, &walk);
	check_next(&walk, 0x10, 0x40);
	check_end(&walk);
	extent.high_pc.form = 0;
	dwarf_range_begin(&unit, &extent, &walk);
	check_end(&walk);
	/* An index without a table. */
	extent = (struct dwarf_extent){.low_pc = {.form = DW_FORM_addrx, .number = 3},
		.high_pc = {.form = DW_FORM_data4, .number = 3}};
	dwarf_range_begin(&unit, &extent, &walk);
	check_end(&walk);
}

static void old_lists_have_bases_and_an_end(void)
{
	struct tiny_dwarf tiny = {0};
	struct dwarf_range_walk walk;
	struct dwarf_file file;
	struct dwarf_unit unit;

	tiny_number(&tiny, 0x10, 8);
	tiny_number(&tiny, 0x20, 8);
	tiny_number(&tiny, UINT64_MAX, 8);
	tiny_number(&tiny, 0x5000, 8);
	tiny_number(&tiny, 1, 8);
	tiny_number(&tiny, 2, 8);
	tiny_number(&tiny, 0, 8);
	tiny_number(&tiny, 0, 8);
	unit = make_unit(&file, 4, &tiny);
	walk = begin(&unit, DW_FORM_sec_offset, 0);
	check_next(&walk, 0x1010, 0x1020);
	check_next(&walk, 0x5001, 0x5002);
	check_end(&walk);
	walk = begin(&unit, DW_FORM_sec_offset, 1000);
	check_end(&walk);
	/* Cut before its end. */
	unit.ranges.byte_count = 20;
	walk = begin(&unit, DW_FORM_sec_offset, 0);
	check_next(&walk, 0x1010, 0x1020);
	check_end(&walk);
	/* Of a split unit: counted from its skeleton's base. */
	unit.ranges.byte_count = tiny.byte_count;
	unit.is_split = true;
	unit.ranges_base = 16;
	walk = begin(&unit, DW_FORM_sec_offset, 0);
	check_next(&walk, 0x5001, 0x5002);
}

static void put_entries(struct tiny_dwarf *tiny)
{
	tiny_bytes(tiny, DW_RLE_offset_pair, 0x10, 0x20);
	tiny_bytes(tiny, DW_RLE_startx_length, 1, 5);
	tiny_bytes(tiny, DW_RLE_startx_endx, 0, 1);
	tiny_bytes(tiny, DW_RLE_base_addressx, 1, DW_RLE_offset_pair, 1, 2);
	tiny_bytes(tiny, DW_RLE_base_address);
	tiny_number(tiny, 0x9000, 8);
	tiny_bytes(tiny, DW_RLE_offset_pair, 3, 4);
	tiny_bytes(tiny, DW_RLE_start_length);
	tiny_number(tiny, 0x7000, 8);
	tiny_bytes(tiny, 9, DW_RLE_start_end);
	tiny_number(tiny, 0x8000, 8);
	tiny_number(tiny, 0x8001, 8);
}

static void check_entries(struct dwarf_range_walk walk)
{
	check_next(&walk, 0x1010, 0x1020);
	check_next(&walk, 0x3000, 0x3005);
	check_next(&walk, 0x2000, 0x3000);
	check_next(&walk, 0x3001, 0x3002);
	check_next(&walk, 0x9003, 0x9004);
	check_next(&walk, 0x7000, 0x7009);
	check_next(&walk, 0x8000, 0x8001);
	check_end(&walk);
}

static void new_lists_know_seven_kinds_of_entries(void)
{
	struct tiny_dwarf tiny = {0}, addresses = {0};
	struct dwarf_range_walk walk;
	struct dwarf_file file;
	struct dwarf_unit unit;

	/* A table of one offset, counted from itself. */
	tiny_number(&tiny, 4, 4);
	put_entries(&tiny);
	tiny_bytes(&tiny, DW_RLE_end_of_list);
	tiny_number(&addresses, 0x2000, 8);
	tiny_number(&addresses, 0x3000, 8);
	unit = make_unit(&file, 5, &tiny);
	unit.addr = tiny_span(&addresses);
	check_entries(begin(&unit, DW_FORM_sec_offset, 4));
	check_entries(begin(&unit, DW_FORM_rnglistx, 0));
	walk = begin(&unit, DW_FORM_rnglistx, 1000);
	check_end(&walk);
	/* An address that is not in the table ends the list, as does an unknown kind. */
	unit.addr.byte_count = 8;
	walk = begin(&unit, DW_FORM_sec_offset, 4);
	check_next(&walk, 0x1010, 0x1020);
	check_end(&walk);
	tiny.bytes[4] = 0x55;
	walk = begin(&unit, DW_FORM_sec_offset, 4);
	check_end(&walk);
}

static void a_list_without_an_end_is_cut(void)
{
	static struct tiny_dwarf tiny;
	struct dwarf_range_walk walk;
	struct dwarf_file file;
	struct dwarf_unit unit = make_unit(&file, 5, &tiny);
	uint64_t start, end;
	uint32_t count = 0;

	for (int i = 0; i < TINY_DWARF_BYTES / 3; i++)
		tiny_bytes(&tiny, DW_RLE_offset_pair, 1, 2);
	unit.parts.rnglists = tiny_span(&tiny);
	walk = begin(&unit, DW_FORM_sec_offset, 0);
	walk.left = 100;
	while (dwarf_range_next(&walk, &start, &end))
		count++;
	CHECK_EQ(count, 100);
}

int main(void)
{
	RUN(one_range_has_an_end_or_a_length);
	RUN(old_lists_have_bases_and_an_end);
	RUN(new_lists_know_seven_kinds_of_entries);
	RUN(a_list_without_an_end_is_cut);
	return 0;
}
