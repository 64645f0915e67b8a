/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/utf8.h"

#include "tests/support/check.h"

static void characters_of_each_length_are_told(void)
{
	CHECK_EQ(utf8_character("a", 1), 1);
	CHECK_EQ(utf8_character("\0", 1), 1);
	CHECK_EQ(utf8_character("\xc3\xa4", 2), 2);
	CHECK_EQ(utf8_character("\xe2\x82\xac", 3), 3);
	CHECK_EQ(utf8_character("\xf0\x9f\x98\x80", 4), 4);
	CHECK_EQ(utf8_character("\xf4\x8f\xbf\xbf", 4), 4);
}

static void what_is_no_character_is_refused(void)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{"", 0},
		{"\x80", 1}, /* a follower alone */
		{"\xc3", 1}, /* cut off */
		{"\xc3(", 2},
		{"\xc0\xaf", 2}, /* overlong */
		{"\xe0\x80\xaf", 3},
		{"\xed\xa0\x80", 3}, /* a surrogate */
		{"\xf4\x90\x80\x80", 4}, /* above U+10FFFF */
		{"\xf8\x88\x80\x80\x80", 5},
		{"\xe2\x82", 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_EQ(utf8_character(cases[i].text, cases[i].length), 0);
}

static void bytes_that_are_no_text_are_replaced_one_by_one(void)
{
	struct bytes_writer writer;

	bytes_writer_init(&writer, 100);
	utf8_write(&writer, "a\xff\xc3\xa4\xc3", 5);
	bytes_write_u8(&writer, 0);
	CHECK_STR((const char *)writer.bytes, "a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd");
	bytes_writer_done(&writer);
}

int main(void)
{
	RUN(characters_of_each_length_are_told);
	RUN(what_is_no_character_is_refused);
	RUN(bytes_that_are_no_text_are_replaced_one_by_one);
	return 0;
}
