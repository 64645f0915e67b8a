/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/kallsyms.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static int parse(const char *text, struct kallsyms_line *line)
{
	return kallsyms_parse_line(text, strlen(text), line);
}

static void lines_of_kernel_and_modules_are_read(void)
{
	struct kallsyms_line line;

	CHECK_EQ(parse("ffffffff81000000 T _text", &line), 0);
	CHECK(line.address == 0xffffffff81000000);
	CHECK(kallsyms_is_function(&line) && kallsyms_is_named(&line, "_text"));
	CHECK(!line.module);
	CHECK_EQ(parse("ffffffffc0400000 t helper\t[nf_tables]", &line), 0);
	CHECK(kallsyms_is_named(&line, "helper"));
	CHECK_EQ(line.module_length, strlen("nf_tables"));
	CHECK(memcmp(line.module, "nf_tables", line.module_length) == 0);
	CHECK_EQ(parse("0 A fixed_percpu_data", &line), 0);
	CHECK(!kallsyms_is_function(&line));
}

static void broken_lines_are_refused(void)
{
	static const char *const texts[] = {"", "T _text", "ffff", "ffff T", "ffff T ", "ffffT x",
		"ffff  T x", "fffffffffffffffff T x", "ffff T x\t", "ffff T x\t[m", "ffff T x\tm]",
		"ffff T \t[m]", "ffff T x\t[]"};
	struct kallsyms_line line;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_EQ(parse(texts[i], &line), -EBADMSG);
}

static void expect_text(const struct kallsyms_range *range, const char *expected)
{
	uint8_t *text;
	size_t byte_count;

	CHECK_EQ(kallsyms_text(work_path("kallsyms"), range, &text, &byte_count), 0);
	CHECK_EQ(byte_count, strlen(expected));
	CHECK(memcmp(text, expected, byte_count) == 0);
	free(text);
}

static const struct kallsyms_range kernel = {
	NULL, UINT64_C(0xffffffff81000000), UINT64_C(0xffffffff82000000)};

static void functions_of_a_range_come_sorted_and_relative(void)
{
	struct kallsyms_range module = {"mod", 0xffffffffc0000000, 0xffffffffc0002000};

	work_write_text("kallsyms",
		"ffffffff81000200 t b\n"
		"ffffffff81000100 T a\n"
		"garbage\n"
		"ffffffff81000100 W a_alias\n"
		"ffffffff81000180 D data\n"
		"0 A absolute\n"
		"ffffffff82000000 T _etext\n"
		"ffffffffc0000040 t mod_late\t[mod]\n"
		"ffffffffc0000010 t mod_early\t[mod]\n"
		"ffffffffc0000020 t other\t[mod2]\n"
		"ffffffffc0003000 t mod_far\t[mod]\n");
	expect_text(&kernel, "100 a\n100 a_alias\n200 b\n");
	expect_text(&module, "10 mod_early\n40 mod_late\n");
}

static void hidden_addresses_are_told_from_an_empty_range(void)
{
	struct kallsyms_range nothing = {"none", 1, 2};
	uint8_t *text;
	size_t byte_count;

	work_write_text("kallsyms", "ffffffff81000100 T a\n");
	CHECK_EQ(kallsyms_text(work_path("kallsyms"), &nothing, &text, &byte_count), -ENOENT);
	work_write_text("kallsyms", "0000000000000000 T a\n0000000000000000 t b\n");
	CHECK_EQ(kallsyms_text(work_path("kallsyms"), &kernel, &text, &byte_count), -EACCES);
	CHECK_EQ(kallsyms_text(work_path("missing"), &kernel, &text, &byte_count), -ENOENT);
}

static int stop_at_second(void *context, const struct kallsyms_line *line)
{
	(void)line;
	return ++*(int *)context == 2 ? -ECANCELED : 0;
}

static int count_lines(void *context, const struct kallsyms_line *line)
{
	(void)line;
	++*(int *)context;
	return 0;
}

static void reading_goes_over_chunks_and_stops_when_told(void)
{
	int count = 0;

	work_run(
		"for i in $(seq 10000 12999); do echo \"ffffffff810$i t function_number_$i\"; done "
		"> kallsyms");
	CHECK_EQ(kallsyms_each(work_path("kallsyms"), count_lines, &count), 0);
	CHECK_EQ(count, 3000);
	count = 0;
	CHECK_EQ(kallsyms_each(work_path("kallsyms"), stop_at_second, &count), -ECANCELED);
	CHECK_EQ(count, 2);
	work_run("(head -c 100000 /dev/zero | tr '\\0' f; printf '\\nffff t last\\n') > kallsyms");
	count = 0;
	CHECK_EQ(kallsyms_each(work_path("kallsyms"), count_lines, &count), 0);
	CHECK_EQ(count, 1);
}

int main(void)
{
	RUN(lines_of_kernel_and_modules_are_read);
	RUN(broken_lines_are_refused);
	RUN(functions_of_a_range_come_sorted_and_relative);
	RUN(hidden_addresses_are_told_from_an_empty_range);
	RUN(reading_goes_over_chunks_and_stops_when_told);
	return 0;
}
