/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_form.h"

#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"

static const struct dwarf_unit_head head = {.version = 5, .address_bytes = 8, .offset_bytes = 4};

/* Skipping a value and reading it move by the same number of bytes. */
static void each_form_is_skipped_as_it_is_read(void)
{
	const struct dwarf_unit_head heads[] = {
		{.version = 2, .address_bytes = 4, .offset_bytes = 4},
		{.version = 4, .address_bytes = 8, .offset_bytes = 8},
		{.version = 5, .address_bytes = 8, .offset_bytes = 4},
	};
	struct tiny_dwarf tiny = {0};
	struct dwarf_span span;

	/* As LEB128, as a text and as the length of a block it is short. */
	tiny_bytes(&tiny, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	span = tiny_span(&tiny);
	for (size_t h = 0; h < sizeof(heads) / sizeof(heads[0]); h++) {
		for (uint32_t form = 0; form < 0x2100; form++) {
			struct dwarf_cursor one = dwarf_cursor_at(&span, 0, false), other = one;
			uint32_t byte_count = dwarf_form_bytes((uint16_t)form, heads[h].version,
				heads[h].address_bytes, heads[h].offset_bytes);

			dwarf_form_skip(&one, (uint16_t)form, &heads[h]);
			dwarf_form_read(&other, (uint16_t)form, 0, &heads[h]);
			CHECK(one.at == other.at && one.bad == other.bad);
			if (byte_count != DWARF_FORM_VARIES)
				CHECK_EQ(one.at - span.bytes, byte_count);
		}
	}
}

static struct dwarf_value read_form(const struct tiny_dwarf *tiny, uint16_t form, int64_t constant)
{
	struct dwarf_span span = tiny_span(tiny);
	struct dwarf_cursor cursor = dwarf_cursor_at(&span, 0, false);

	return dwarf_form_read(&cursor, form, constant, &head);
}

static void values_are_read_as_they_stand(void)
{
	struct tiny_dwarf tiny = {0};

	tiny_bytes(&tiny, 0x7f, 1, 2, 3, 4, 5, 6, 0);
	CHECK_EQ(read_form(&tiny, DW_FORM_data1, 0).number, 0x7f);
	CHECK_EQ(read_form(&tiny, DW_FORM_addr, 0).number, 0x000605040302017f);
	CHECK_EQ(read_form(&tiny, DW_FORM_sdata, 0).number, -1);
	CHECK_EQ(read_form(&tiny, DW_FORM_strx3, 0).number, 0x02017f);
	CHECK_EQ(read_form(&tiny, DW_FORM_strp, 0).number, 0x0302017f);
	CHECK_EQ(read_form(&tiny, DW_FORM_implicit_const, -5).number, -5);
	CHECK_EQ(read_form(&tiny, DW_FORM_flag_present, 0).number, 1);
	CHECK_STR(read_form(&tiny, DW_FORM_string, 0).text, "\x7f\x01\x02\x03\x04\x05\x06");
}

static void a_form_may_stand_before_its_value_once(void)
{
	struct tiny_dwarf tiny = {0};

	tiny_bytes(&tiny, DW_FORM_data2, 1, 2);
	CHECK_EQ(read_form(&tiny, DW_FORM_indirect, 0).number, 0x0201);
	CHECK_EQ(read_form(&tiny, DW_FORM_indirect, 0).form, DW_FORM_data2);
	tiny.bytes[0] = DW_FORM_indirect;
	CHECK_EQ(read_form(&tiny, DW_FORM_indirect, 0).form, 0);
	tiny.bytes[0] = DW_FORM_implicit_const;
	CHECK_EQ(read_form(&tiny, DW_FORM_indirect, 0).form, 0);
}

static void what_is_unknown_or_too_long_is_no_value(void)
{
	struct tiny_dwarf tiny = {0};

	tiny_bytes(&tiny, 9, 1, 2);
	CHECK_EQ(read_form(&tiny, 0x7e, 0).form, 0);
	CHECK_EQ(read_form(&tiny, DW_FORM_data4, 0).form, 0);
	CHECK_EQ(read_form(&tiny, DW_FORM_block1, 0).form, 0);
	CHECK_EQ(read_form(&tiny, DW_FORM_string, 0).form, 0);
}

int main(void)
{
	RUN(each_form_is_skipped_as_it_is_read);
	RUN(values_are_read_as_they_stand);
	RUN(a_form_may_stand_before_its_value_once);
	RUN(what_is_unknown_or_too_long_is_no_value);
	return 0;
}
