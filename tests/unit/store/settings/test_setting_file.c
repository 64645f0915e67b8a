/* SPDX-License-Identifier: Apache-2.0 */
#include "store/settings/setting_file.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct values {
	char *text;
	struct setting_list list;
	bool is_on;
	uint64_t number;
	uint64_t bytes;
} values;

static const struct setting rows[] = {
	{"text", "TEXT", SETTING_TEXT, offsetof(struct values, text), .help = ""},
	{"list", "TEXT", SETTING_LIST, offsetof(struct values, list), .help = ""},
	{"switch", NULL, SETTING_SWITCH, offsetof(struct values, is_on), .help = ""},
	{"number", "N", SETTING_NUMBER, offsetof(struct values, number), .min = 1, .max = 1000,
		.help = ""},
	{"bytes", "N", SETTING_NUMBER, offsetof(struct values, bytes), .read = setting_read_size,
		.max = UINT64_MAX, .help = ""},
};

static const struct setting_table table = {
	rows, sizeof(rows) / sizeof(rows[0]), "a table", "/nonexistent"};

static struct setting_fault fault;

static int read_text(const char *text)
{
	setting_table_done(&table, &values);
	work_write_text("file.conf", text);
	return setting_file_read(&table, work_path("file.conf"), &values, &fault);
}

static void texts_numbers_and_lists_are_set(void)
{
	CHECK_EQ(read_text("# a comment\n"
			   "text = \"10.0.0.1:4041\";\n"
			   "number = 97;\n"
			   "bytes = 3000000000L;\n"
			   "list = [\"/a/*\", \"/b/*\"];\n"
			   "switch = true;\n"),
		0);
	CHECK_STR(values.text, "10.0.0.1:4041");
	CHECK_EQ(values.number, 97);
	CHECK_EQ(values.bytes, 3000000000);
	CHECK_EQ(values.list.count, 2);
	CHECK_STR(values.list.items[1], "/b/*");
	CHECK(values.is_on);
	CHECK_EQ(read_text("number = \"20\";\nbytes = \"2G\";\nswitch = false;\n"), 0);
	CHECK_EQ(values.number, 20);
	CHECK_EQ(values.bytes, UINT64_C(2) << 30);
	CHECK(!values.is_on);
	CHECK_EQ(read_text(""), 0);
}

static void expect_fault(const char *text, const char *place, const char *what)
{
	CHECK_EQ(read_text(text), -EINVAL);
	if (!strstr(fault.text, place) || !strstr(fault.text, what))
		fprintf(stderr, "fault: %s\n", fault.text);
	CHECK(strstr(fault.text, place));
	CHECK(strstr(fault.text, what));
}

static void faults_name_file_and_line(void)
{
	expect_fault("number = 97;\nfrequency = 3;\n", "file.conf:2", "frequency");
	expect_fault("\n\nnumber = 0;\n", "file.conf:3", "1 to 1000");
	expect_fault("number = \n", "file.conf:", "");
	expect_fault("number = true;\n", "file.conf:1", "1 to 1000");
	expect_fault("number = 1.5;\n", "file.conf:1", "a text, a number");
	expect_fault("text = { host = \"a\"; };\n", "file.conf:1", "a text, a number");
	expect_fault("number = -3;\n", "file.conf:1", "-3");
	expect_fault("switch = 1;\n", "file.conf:1", "true or false");
	expect_fault("config = \"other\";\n", "file.conf:1", "config");
}

static void a_missing_file_is_told_apart(void)
{
	CHECK_EQ(setting_file_read(&table, work_path("missing.conf"), &values, &fault), -ENOENT);
	CHECK(strstr(fault.text, "missing.conf"));
}

int main(void)
{
	RUN(texts_numbers_and_lists_are_set);
	RUN(faults_name_file_and_line);
	RUN(a_missing_file_is_told_apart);
	setting_table_done(&table, &values);
	return 0;
}
