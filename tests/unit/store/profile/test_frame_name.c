/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/frame_name.h"

#include "tests/support/check.h"

static struct string_table strings;

static struct frame_name read_text(const char *text, size_t length)
{
	uint32_t string;

	CHECK_EQ(string_table_add(&strings, text, length, &string), 0);
	return frame_name_read(&strings, string);
}

#define READ(text) read_text(text, sizeof(text) - 1)

static void a_name_alone_says_nothing_more(void)
{
	struct frame_name name = READ("main");

	CHECK_STR(name.function, "main");
	CHECK(!name.file);
	CHECK_EQ(name.line, 0);
	CHECK_STR(READ("").function, "");
}

static void file_and_line_stand_behind_it(void)
{
	struct frame_name name = READ("main\0a.c\0"
				      "42");

	CHECK_STR(name.function, "main");
	CHECK_STR(name.file, "a.c");
	CHECK_EQ(name.line, 42);
	name = READ("main\0a.c");
	CHECK_STR(name.file, "a.c");
	CHECK_EQ(name.line, 0);
	name = READ("main\0\0"
		    "7");
	CHECK(!name.file);
	CHECK_EQ(name.line, 7);
}

static void what_is_no_line_is_none(void)
{
	CHECK_EQ(READ("f\0a.c\0").line, 0);
	CHECK_EQ(READ("f\0a.c\0"
		      "12x")
			 .line,
		0);
	CHECK_EQ(READ("f\0a.c\0"
		      "4294967295")
			 .line,
		4294967295);
	CHECK_EQ(READ("f\0a.c\0"
		      "4294967296")
			 .line,
		0);
	CHECK_EQ(READ("f\0a.c\0"
		      "3\0"
		      "4")
			 .line,
		3);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(a_name_alone_says_nothing_more);
	RUN(file_and_line_stand_behind_it);
	RUN(what_is_no_line_is_none);
	string_table_done(&strings);
	return 0;
}
