/* SPDX-License-Identifier: Apache-2.0 */
#include "store/settings/setting.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/check.h"

static struct values {
	char *text;
	struct setting_list list;
	uint64_t number;
	uint64_t choice;
} values;

static bool is_loud(const char *value)
{
	return value[0] >= 'A' && value[0] <= 'Z';
}

static const char *const words[] = {"low", "high", NULL};

static const struct setting rows[] = {
	{"text", "TEXT", SETTING_TEXT, offsetof(struct values, text), .max = 5, .accepts = is_loud,
		.wants = "a loud word", .initial = "A", .help = ""},
	{"list", "TEXT", SETTING_LIST, offsetof(struct values, list), .help = ""},
	{"number", "N", SETTING_NUMBER, offsetof(struct values, number), .min = 2, .max = 9,
		.initial = "5", .help = ""},
	{"choice", "WORD", SETTING_CHOICE, offsetof(struct values, choice), .choices = words,
		.initial = "high", .help = ""},
};

static const struct setting_table table = {
	rows, sizeof(rows) / sizeof(rows[0]), "a table", "/nonexistent"};

static struct setting_fault fault;

static int set(const char *name, const char *value)
{
	return setting_set(setting_find(&table, name), &values, value, &fault);
}

static void a_row_has_its_default(void)
{
	CHECK_EQ(setting_table_set_initial(&table, &values, &fault), 0);
	CHECK_STR(values.text, "A");
	CHECK_EQ(values.number, 5);
	CHECK_EQ(values.choice, 1);
	CHECK_EQ(values.list.count, 0);
	CHECK(!setting_find(&table, "tex"));
}

static void what_is_refused_changes_nothing(void)
{
	CHECK_EQ(set("text", "quiet"), -EINVAL);
	CHECK_STR(fault.text, "--text takes a loud word, not \"quiet\"");
	CHECK_EQ(set("text", "LOUDER"), -EINVAL);
	CHECK_STR(fault.text, "--text is too long");
	CHECK_EQ(set("number", "1"), -EINVAL);
	CHECK_STR(fault.text, "--number takes a number from 2 to 9, not \"1\"");
	CHECK_EQ(set("number", "10"), -EINVAL);
	CHECK_EQ(set("choice", "middle"), -EINVAL);
	CHECK_STR(fault.text, "--choice takes low, high; not \"middle\"");
	CHECK_EQ(set("list", ""), -EINVAL);
	CHECK_STR(values.text, "A");
	CHECK_EQ(values.number, 5);
	CHECK_EQ(values.choice, 1);
	CHECK_EQ(values.list.count, 0);
}

static void a_list_grows_up_to_its_limit(void)
{
	for (int i = 0; i < SETTING_LIST_COUNT_MAX; i++)
		CHECK_EQ(set("list", "one"), 0);
	CHECK_EQ(set("list", "one"), -EINVAL);
	CHECK_STR(fault.text, "--list is given too often");
	CHECK_EQ(values.list.count, SETTING_LIST_COUNT_MAX);
}

static void sizes_have_units(void)
{
	uint64_t bytes;

	CHECK(setting_read_size("0", &bytes) && bytes == 0);
	CHECK(setting_read_size("3k", &bytes) && bytes == 3072);
	CHECK(setting_read_size("2G", &bytes) && bytes == UINT64_C(2) << 30);
	CHECK(setting_read_size("16777215T", &bytes) && bytes == UINT64_C(16777215) << 40);
	CHECK(!setting_read_size("16777216T", &bytes));
	CHECK(!setting_read_size("99999999999999999999", &bytes));
	CHECK(!setting_read_size("5X", &bytes) && !setting_read_size("5KB", &bytes));
	CHECK(!setting_read_size("G", &bytes) && !setting_read_size("-1", &bytes));
	CHECK(!setting_read_number("5K", &bytes) && !setting_read_number("", &bytes));
}

int main(void)
{
	RUN(a_row_has_its_default);
	RUN(what_is_refused_changes_nothing);
	RUN(a_list_grows_up_to_its_limit);
	RUN(sizes_have_units);
	setting_table_done(&table, &values);
	CHECK(!values.text && values.list.count == 0);
	return 0;
}
