/* SPDX-License-Identifier: Apache-2.0 */
#include "store/settings/command_line.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define WORDS_MAX 8

static struct values {
	char *text;
	bool is_on;
	uint64_t number;
} values;

static const struct setting rows[] = {
	{"text", "TEXT", SETTING_TEXT, offsetof(struct values, text), .help = "words"},
	{"switch", NULL, SETTING_SWITCH, offsetof(struct values, is_on), .help = "on or off"},
	{"number", "N", SETTING_NUMBER, offsetof(struct values, number), .min = 1, .max = 99,
		.initial = "5", .help = "how many"},
};

static const struct setting_table table = {
	rows, sizeof(rows) / sizeof(rows[0]), "thing: does it", "/nonexistent/thing.conf"};

static enum command_line_action action;
static struct setting_fault fault;

static int parse(const char *const *words)
{
	char *copies[WORDS_MAX] = {0};
	int count = 0, r;

	for (; words[count]; count++)
		copies[count] = strdup(words[count]);
	setting_table_done(&table, &values);
	values = (struct values){0};
	r = command_line_parse(&table, count, copies, &values, &action, &fault);
	for (int i = 0; i < count; i++)
		free(copies[i]);
	return r;
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static void flags_come_in_both_forms(void)
{
	CHECK_EQ(PARSE("--text", "a=b", "--number=7", "--switch"), 0);
	CHECK_EQ(action, COMMAND_LINE_RUN);
	CHECK_STR(values.text, "a=b");
	CHECK_EQ(values.number, 7);
	CHECK(values.is_on);
	CHECK_EQ(PARSE("--switch=false", "--text=--switch"), 0);
	CHECK(!values.is_on);
	CHECK_STR(values.text, "--switch");
	CHECK_EQ(values.number, 5);
}

static void a_flag_goes_before_the_file(void)
{
	work_write_text("thing.conf", "number = 9;\ntext = \"filed\";\n");
	CHECK_EQ(PARSE("--number", "7", "--config", work_path("thing.conf")), 0);
	CHECK_EQ(values.number, 7);
	CHECK_STR(values.text, "filed");
	CHECK_EQ(PARSE("--config=/nonexistent/other.conf"), -ENOENT);
}

static void help_looks_at_nothing_else(void)
{
	CHECK_EQ(PARSE("--number=1000", "--help", "--config", "/nonexistent"), 0);
	CHECK_EQ(action, COMMAND_LINE_HELP);
	CHECK_EQ(PARSE("--version"), 0);
	CHECK_EQ(action, COMMAND_LINE_VERSION);
	command_line_print_help(&table, stdout);
}

static void refused(int r, const char *what)
{
	CHECK_EQ(r, -EINVAL);
	CHECK_STR(fault.text, what);
}

static void misuse_is_named(void)
{
	refused(PARSE("--numbers", "3"), "unknown flag --numbers; --help tells what there is");
	refused(PARSE("stray"), "unknown argument stray; --help tells what there is");
	refused(PARSE("--"), "unknown argument --; --help tells what there is");
	refused(PARSE(""), "unknown argument ; --help tells what there is");
	refused(PARSE("--=x"), "unknown argument --=x; --help tells what there is");
	refused(PARSE("--number"), "--number needs a value: N");
	refused(PARSE("--number="), "--number needs a value");
	refused(PARSE("--config"), "--config needs a value: PATH");
	refused(PARSE("--help=1"), "--help takes no value");
}

int main(void)
{
	RUN(flags_come_in_both_forms);
	RUN(a_flag_goes_before_the_file);
	RUN(help_looks_at_nothing_else);
	RUN(misuse_is_named);
	setting_table_done(&table, &values);
	return 0;
}
