/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/maps_parser.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/check.h"

static void a_file_line_is_read(void)
{
	const char *text =
		"7f0000001000-7f0000022000 r-xp 00001000 fe:01 123456                     "
		"/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
	struct maps_line line;

	CHECK_EQ(maps_parse_line(text, strlen(text), &line), 0);
	CHECK(line.start == 0x7f0000001000 && line.end == 0x7f0000022000);
	CHECK_EQ(line.offset, 0x1000);
	CHECK_EQ(line.dev_major, 0xfe);
	CHECK_EQ(line.dev_minor, 1);
	CHECK_EQ(line.inode, 123456);
	CHECK(line.readable && !line.writable && line.executable && !line.shared);
	CHECK_EQ(line.path_length, strlen("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"));
	CHECK(line.path[0] == '/');
}

static void lines_without_a_name_are_read(void)
{
	static const char *const texts[] = {"1000-2000 rwxp 00000000 00:00 0 ",
		"1000-2000 rwxp 00000000 00:00 0", "1000-2000 rwxs 00000000 00:00 0      "};
	struct maps_line line;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK_EQ(maps_parse_line(texts[i], strlen(texts[i]), &line), 0);
		CHECK_EQ(line.path_length, 0);
	}
	CHECK(line.shared);
}

static void names_may_hold_blanks(void)
{
	const char *text = "1000-2000 r--p 00000000 00:01 9 /tmp/a b (deleted)";
	struct maps_line line;

	CHECK_EQ(maps_parse_line(text, strlen(text), &line), 0);
	CHECK_EQ(line.path_length, strlen("/tmp/a b (deleted)"));
	CHECK_EQ(maps_path_length(line.path, line.path_length), strlen("/tmp/a b"));
}

static void broken_lines_are_refused_and_output_untouched(void)
{
	static const char *const texts[] = {"", "1000", "1000-", "1000-2000",
		"2000-1000 r--p 0 0:0 0", "1000-1000 r--p 0 0:0 0", "1000-2000 q--p 0 0:0 0",
		"1000-2000 r--p", "1000-2000 r--p 0", "1000-2000 r--p 0 0:0",
		"1000-2000 r--p 0 0:0 ", "1000-2000 r--p 0 0:0 x", "1000-2000 r--p 0 0:0 1x",
		"10000000000000000-20000000000000000 r--p 0 0:0 0",
		"1000-2000 r--p 0 100000000:0 0", "1000-2000 r--p 0 0:0 99999999999999999999",
		"G000-2000 r--p 0 0:0 0"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct maps_line line = {.inode = 77};

		CHECK_EQ(maps_parse_line(texts[i], strlen(texts[i]), &line), -EBADMSG);
		CHECK_EQ(line.inode, 77);
	}
}

static enum maps_kind kind(const char *path)
{
	return maps_kind_of(path, strlen(path));
}

static void kinds_are_told_by_name(void)
{
	CHECK_EQ(kind("/usr/bin/python3.11"), MAPS_FILE);
	CHECK_EQ(kind("/tmp/x (deleted)"), MAPS_FILE);
	CHECK_EQ(kind("/memfd:jit (deleted)"), MAPS_FILE);
	CHECK_EQ(kind("[vdso]"), MAPS_VDSO);
	CHECK_EQ(kind(""), MAPS_NONE);
	CHECK_EQ(kind("//anon"), MAPS_NONE);
	CHECK_EQ(kind("[stack]"), MAPS_NONE);
	CHECK_EQ(kind("[vsyscall]"), MAPS_NONE);
	CHECK_EQ(kind("[anon:v8]"), MAPS_NONE);
	CHECK_EQ(kind("/dev/zero (deleted)"), MAPS_NONE);
	CHECK_EQ(kind("/SYSV00000000 (deleted)"), MAPS_NONE);
	CHECK_EQ(kind("anon_inode:[perf_event]"), MAPS_NONE);
}

static void expect_base(const char *path, const char *expected)
{
	size_t length;
	const char *base = maps_base_name(path, strlen(path), &length);

	CHECK_EQ(length, strlen(expected));
	CHECK(memcmp(base, expected, length) == 0);
}

static void the_base_name_is_the_last_component(void)
{
	expect_base("/usr/lib/libc.so.6", "libc.so.6");
	expect_base("/usr/lib/libc.so.6 (deleted)", "libc.so.6");
	expect_base("libc.so.6", "libc.so.6");
	expect_base("/a/", "a/");
	expect_base("/", "/");
	expect_base("/memfd:x (deleted)", "memfd:x");
}

static void every_line_of_this_process_is_read(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char text[MAPS_LINE_BYTES_MAX];
	unsigned executable = 0;

	CHECK(file);
	while (fgets(text, sizeof(text), file)) {
		struct maps_line line;

		CHECK_EQ(maps_parse_line(text, strcspn(text, "\n"), &line), 0);
		executable += line.executable;
	}
	(void)fclose(file);
	CHECK(executable >= 2);
}

int main(void)
{
	RUN(a_file_line_is_read);
	RUN(lines_without_a_name_are_read);
	RUN(names_may_hold_blanks);
	RUN(broken_lines_are_refused_and_output_untouched);
	RUN(kinds_are_told_by_name);
	RUN(the_base_name_is_the_last_component);
	RUN(every_line_of_this_process_is_read);
	return 0;
}
