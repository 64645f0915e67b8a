/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/perf_map_line.h"

#include <errno.h>

#include "tests/support/check.h"

static void check_line(const char *text, uint64_t start, uint32_t size, const char *name)
{
	struct perf_map_line line;

	CHECK_EQ(perf_map_parse_line(text, strlen(text), &line), 0);
	CHECK_EQ(line.start, start);
	CHECK_EQ(line.size, size);
	CHECK_EQ(line.name_length, strlen(name));
	CHECK(memcmp(line.name, name, line.name_length) == 0);
}

static void numbers_come_with_and_without_a_prefix_in_either_case(void)
{
	check_line("7f12a0 1c foo", 0x7f12a0, 0x1c, "foo");
	check_line("0x7F12A0 0X1C foo", 0x7f12a0, 0x1c, "foo");
	check_line("  00007f12a0\t1c \t foo", 0x7f12a0, 0x1c, "foo");
	check_line("fffffffffffffffe 1 last", UINT64_C(0xfffffffffffffffe), 1, "last");
	check_line("0 ffffffff all", 0, UINT32_MAX, "all");
}

static void names_hold_blanks_and_what_other_formats_divide_by(void)
{
	check_line("10 20 void A.f(int, long[])", 0x10, 0x20, "void A.f(int, long[])");
	check_line("10 20 JS:*fib /a b/x.js:1:13", 0x10, 0x20, "JS:*fib /a b/x.js:1:13");
	check_line("10 20 a;b", 0x10, 0x20, "a;b");
	check_line("10 20 name\r", 0x10, 0x20, "name");
	check_line("10 20 name  ", 0x10, 0x20, "name");
	check_line("10 20 0x30", 0x10, 0x20, "0x30");
	check_line("10 20 \xc3\xa4", 0x10, 0x20, "\xc3\xa4");
}

static void lines_that_are_none_are_refused_and_output_untouched(void)
{
	static const char *const texts[] = {"", " ", "10", "10 ", "10 20", "10 20 ", "10 20\r",
		"10  20  ", "x 20 a", "10 y a", "0x 20 a", "10 0x a", "-1 20 a", "10 -20 a",
		"10 0 empty", "10 100000000 large", "ffffffffffffffff 1 wraps",
		"10000000000000000 1 long", "1020 name", "10,20 name", "10 20 a\tb", "10 20 a\x7f",
		"root:x:0:0:root:/root:/bin/sh"};
	struct perf_map_line line = {.start = 7};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_EQ(perf_map_parse_line(texts[i], strlen(texts[i]), &line), -EBADMSG);
	CHECK_EQ(perf_map_parse_line("10 20 a\0b", 9, &line), -EBADMSG);
	CHECK_EQ(line.start, 7);
}

static void long_names_are_cut_between_characters_and_longer_lines_refused(void)
{
	static const char head[] = {'1', '0', ' ', '2', '0', ' '};
	char text[PERF_MAP_LINE_BYTES_MAX + 2];
	struct perf_map_line line;

	memset(text, 'a', sizeof(text));
	memcpy(text, head, sizeof(head));
	CHECK_EQ(perf_map_parse_line(text, PERF_MAP_LINE_BYTES_MAX, &line), 0);
	CHECK_EQ(line.name_length, PERF_MAP_NAME_BYTES_MAX);
	CHECK_EQ(perf_map_parse_line(text, PERF_MAP_LINE_BYTES_MAX + 1, &line), -EBADMSG);
	/* The last byte that fits begins a character of two. */
	text[sizeof(head) + PERF_MAP_NAME_BYTES_MAX - 1] = '\xc3';
	text[sizeof(head) + PERF_MAP_NAME_BYTES_MAX] = '\xa4';
	CHECK_EQ(perf_map_parse_line(text, 3000, &line), 0);
	CHECK_EQ(line.name_length, PERF_MAP_NAME_BYTES_MAX - 1);
}

int main(void)
{
	RUN(numbers_come_with_and_without_a_prefix_in_either_case);
	RUN(names_hold_blanks_and_what_other_formats_divide_by);
	RUN(lines_that_are_none_are_refused_and_output_untouched);
	RUN(long_names_are_cut_between_characters_and_longer_lines_refused);
	return 0;
}
