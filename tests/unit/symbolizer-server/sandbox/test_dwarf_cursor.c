/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_cursor.h"

#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"

static void numbers_are_read_in_either_byte_order(void)
{
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;
	struct dwarf_cursor cursor;

	tiny_bytes(&tiny, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18);
	span = tiny_span(&tiny);
	cursor = dwarf_cursor_at(&span, 0, false);
	CHECK_EQ(dwarf_cursor_u8(&cursor), 1);
	CHECK_EQ(dwarf_cursor_u16(&cursor), 0x0302);
	CHECK_EQ(dwarf_cursor_u32(&cursor), 0x07060504);
	CHECK_EQ(dwarf_cursor_number(&cursor, 3), 0x0a0908);
	CHECK_EQ(dwarf_cursor_u64(&cursor), 0x1211100f0e0d0c0b);
	CHECK(!cursor.bad);
	CHECK_EQ(dwarf_cursor_left(&cursor), 0);
	cursor = dwarf_cursor_at(&span, 0, true);
	CHECK_EQ(dwarf_cursor_u16(&cursor), 0x0102);
	CHECK_EQ(dwarf_cursor_number(&cursor, 3), 0x030405);
	CHECK_EQ(dwarf_cursor_number(&cursor, 4), 0x06070809);
	CHECK_EQ(dwarf_cursor_number(&cursor, 8), 0x0a0b0c0d0e0f1011);
}

static void leb128_has_any_length(void)
{
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;
	struct dwarf_cursor cursor;

	tiny_bytes(&tiny, 0x7f, 0xff, 0x00, 0xe5, 0x8e, 0x26);
	tiny_bytes(&tiny, 0x7f, 0x80, 0x7f, 0xff, 0x00, 0x3f);
	/* Eleven bytes: what is beyond 64 bits is left out. */
	tiny_bytes(&tiny, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
	span = tiny_span(&tiny);
	cursor = dwarf_cursor_at(&span, 0, false);
	CHECK_EQ(dwarf_cursor_uleb(&cursor), 127);
	CHECK_EQ(dwarf_cursor_uleb(&cursor), 127);
	CHECK_EQ(dwarf_cursor_uleb(&cursor), 624485);
	CHECK_EQ(dwarf_cursor_sleb(&cursor), -1);
	CHECK_EQ(dwarf_cursor_sleb(&cursor), -128);
	CHECK_EQ(dwarf_cursor_sleb(&cursor), 127);
	CHECK_EQ(dwarf_cursor_sleb(&cursor), 63);
	CHECK(dwarf_cursor_uleb(&cursor) == UINT64_MAX);
	CHECK(!cursor.bad && dwarf_cursor_left(&cursor) == 0);
}

static void what_does_not_fit_is_bad_and_stays_so(void)
{
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span, none = {0};
	struct dwarf_cursor cursor;

	tiny_bytes(&tiny, 0x80, 0x80, 0x80);
	span = tiny_span(&tiny);
	cursor = dwarf_cursor_at(&span, 0, false);
	CHECK_EQ(dwarf_cursor_uleb(&cursor), 0);
	CHECK(cursor.bad);
	cursor = dwarf_cursor_at(&span, 1, false);
	CHECK_EQ(dwarf_cursor_sleb(&cursor), 0);
	CHECK(cursor.bad);
	cursor = dwarf_cursor_at(&span, 0, false);
	CHECK_EQ(dwarf_cursor_u32(&cursor), 0);
	CHECK_EQ(dwarf_cursor_u8(&cursor), 0);
	CHECK(cursor.bad);
	cursor = dwarf_cursor_at(&span, 0, false);
	CHECK_EQ(dwarf_cursor_number(&cursor, 5), 0);
	CHECK(cursor.bad);
	cursor = dwarf_cursor_at(&span, 0, false);
	dwarf_cursor_skip(&cursor, UINT64_MAX);
	CHECK(cursor.bad);
	cursor = dwarf_cursor_at(&span, 4, false);
	CHECK(cursor.bad);
	cursor = dwarf_cursor_at(&none, 0, false);
	CHECK(cursor.bad);
	CHECK_EQ(dwarf_cursor_u8(&cursor), 0);
}

static void texts_end_inside_of_their_span(void)
{
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;
	struct dwarf_cursor cursor;

	tiny_text(&tiny, "one");
	tiny_text(&tiny, "");
	tiny_bytes(&tiny, 'x');
	span = tiny_span(&tiny);
	cursor = dwarf_cursor_at(&span, 0, false);
	CHECK_STR(dwarf_cursor_text(&cursor), "one");
	CHECK_STR(dwarf_cursor_text(&cursor), "");
	CHECK(!dwarf_cursor_text(&cursor));
	CHECK(cursor.bad);
	CHECK_STR(dwarf_span_text(&span, 1), "ne");
	CHECK(!dwarf_span_text(&span, 5));
	CHECK(!dwarf_span_text(&span, 100));
}

static void a_part_ends_where_it_should(void)
{
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;
	struct dwarf_cursor cursor, part;

	tiny_bytes(&tiny, 1, 2, 3, 4);
	span = tiny_span(&tiny);
	cursor = dwarf_cursor_at(&span, 0, false);
	part = dwarf_cursor_part(&cursor, 3);
	CHECK_EQ(dwarf_cursor_left(&part), 3);
	CHECK_EQ(dwarf_cursor_u8(&cursor), 4);
	part = dwarf_cursor_part(&cursor, 3);
	CHECK_EQ(dwarf_cursor_left(&part), 0);
}

int main(void)
{
	RUN(numbers_are_read_in_either_byte_order);
	RUN(leb128_has_any_length);
	RUN(what_does_not_fit_is_bad_and_stays_so);
	RUN(texts_end_inside_of_their_span);
	RUN(a_part_ends_where_it_should);
	return 0;
}
