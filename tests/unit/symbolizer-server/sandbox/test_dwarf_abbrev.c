/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_abbrev.h"

#include <errno.h>

#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"

static const struct dwarf_unit_head head = {.version = 5, .address_bytes = 8, .offset_bytes = 4};

static void put_shape(struct tiny_dwarf *tiny, uint64_t code, uint16_t form)
{
	tiny_uleb(tiny, code);
	tiny_bytes(
		tiny, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_strp, DW_AT_low_pc, DW_FORM_addr);
	tiny_uleb(tiny, DW_AT_call_line);
	tiny_uleb(tiny, form);
	if (form == DW_FORM_implicit_const)
		tiny_bytes(tiny, 0x7b);
	tiny_bytes(tiny, 0, 0);
}

static void shapes_are_found_by_code(void)
{
	struct abbrev_table table = {0};
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;
	const struct abbrev *abbrev;

	put_shape(&tiny, 1, DW_FORM_data2);
	put_shape(&tiny, 2, DW_FORM_udata);
	put_shape(&tiny, 3, DW_FORM_implicit_const);
	tiny_bytes(&tiny, 0);
	span = tiny_span(&tiny);
	CHECK_EQ(abbrev_table_read(&table, &span, &head, false), 0);
	CHECK(table.dense);
	abbrev = abbrev_find(&table, 1);
	CHECK_EQ(abbrev->byte_count, 4 + 8 + 2);
	CHECK_EQ(abbrev->tag, DW_TAG_subprogram);
	CHECK(abbrev->has_children && abbrev->has_code);
	CHECK_EQ(abbrev_find(&table, 2)->byte_count, ABBREV_LENGTH_VARIES);
	abbrev = abbrev_find(&table, 3);
	CHECK_EQ(abbrev->byte_count, 4 + 8);
	CHECK_EQ(table.attributes[abbrev->attribute_first + 2].constant, -5);
	CHECK(!abbrev_find(&table, 0) && !abbrev_find(&table, 4));
	abbrev_table_done(&table);
}

static void codes_may_come_in_any_order_and_twice(void)
{
	struct abbrev_table table = {0};
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;

	put_shape(&tiny, 1000000, DW_FORM_data2);
	put_shape(&tiny, 7, DW_FORM_data4);
	put_shape(&tiny, 7, DW_FORM_data1);
	tiny_bytes(&tiny, 0);
	span = tiny_span(&tiny);
	CHECK_EQ(abbrev_table_read(&table, &span, &head, false), 0);
	CHECK(!table.dense);
	CHECK_EQ(abbrev_find(&table, 7)->byte_count, 4 + 8 + 4);
	CHECK_EQ(abbrev_find(&table, 1000000)->byte_count, 4 + 8 + 2);
	CHECK(!abbrev_find(&table, 8) && !abbrev_find(&table, 2000000));
	abbrev_table_done(&table);
}

static void damage_is_told(void)
{
	struct dwarf_unit_head outside = {.version = 5, .abbrev_offset = 1000};
	struct abbrev_table table = {0};
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;

	put_shape(&tiny, 1, DW_FORM_data2);
	span = tiny_span(&tiny);
	/* Without its last byte the pair that ends a shape is cut. */
	span.byte_count--;
	CHECK_EQ(abbrev_table_read(&table, &span, &head, false), -EBADMSG);
	CHECK_EQ(abbrev_table_read(&table, &span, &outside, false), -EBADMSG);
	/* The byte that ends the last table of a section may be missing. */
	span.byte_count++;
	CHECK_EQ(abbrev_table_read(&table, &span, &head, false), 0);
	CHECK_EQ(table.count, 1);
	abbrev_table_done(&table);
}

static void a_cache_keeps_what_was_used_last(void)
{
	struct abbrev_cache cache = {0};
	struct tiny_dwarf tiny = {0};
	const struct abbrev_table *first, *again;
	struct dwarf_unit_head other = head;
	struct dwarf_span span;

	for (int i = 0; i < 2 * ABBREV_CACHE_TABLES; i++)
		tiny_bytes(&tiny, 1, DW_TAG_subprogram, 0, 0, 0, 0);
	span = tiny_span(&tiny);
	CHECK_EQ(abbrev_cache_get(&cache, &span, &head, false, &first), 0);
	CHECK_EQ(abbrev_cache_get(&cache, &span, &head, false, &again), 0);
	CHECK(first == again);
	/* The same bytes mean other lengths to a unit of another kind. */
	other.offset_bytes = 8;
	CHECK_EQ(abbrev_cache_get(&cache, &span, &other, false, &again), 0);
	CHECK(first != again);
	for (int i = 0; i < 2 * ABBREV_CACHE_TABLES; i++) {
		other.abbrev_offset = 6 * (uint64_t)i;
		CHECK_EQ(abbrev_cache_get(&cache, &span, &other, false, &again), 0);
		CHECK_EQ(again->count, 1);
	}
	abbrev_cache_done(&cache);
}

int main(void)
{
	RUN(shapes_are_found_by_code);
	RUN(codes_may_come_in_any_order_and_twice);
	RUN(damage_is_told);
	RUN(a_cache_keeps_what_was_used_last);
	return 0;
}
