/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/life_table.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/torture.h"

static struct life_name name(const char *text)
{
	return (struct life_name){text, strlen(text)};
}

static int add(struct life_table *table, const char *command, const char *parent, uint64_t execs)
{
	struct life_sums sums = {.execs = execs, .cpu_ns = 10 * execs};

	return life_table_add(table, name(command), name(parent), &sums);
}

static void rows_of_one_command_and_parent_are_one(void)
{
	struct life_table table;

	CHECK_EQ(life_table_init(&table, 10), 0);
	CHECK_EQ(add(&table, "ps", "sh", 1), 0);
	CHECK_EQ(add(&table, "ps", "bash", 2), 0);
	CHECK_EQ(add(&table, "ps", "sh", 3), 0);
	CHECK_EQ(table.count, 2);
	CHECK_EQ(table.rows[0].sums.execs, 4);
	CHECK_EQ(table.rows[0].sums.cpu_ns, 40);
	CHECK_EQ(table.rows[1].sums.execs, 2);
	life_table_done(&table);
}

static void sorted_rows_rise_by_command_then_parent(void)
{
	static const char *const wanted[][2] = {
		{"", ""}, {"awk", "sh"}, {"ps", "bash"}, {"ps", "sh"}, {"psql", ""}};
	struct life_table table;

	CHECK_EQ(life_table_init(&table, 10), 0);
	for (int i = 4; i >= 0; i--)
		CHECK_EQ(add(&table, wanted[i][0], wanted[i][1], 1), 0);
	life_table_sort(&table);
	for (uint32_t i = 0; i < 5; i++) {
		CHECK_STR(life_table_command(&table, i).text, wanted[i][0]);
		CHECK_STR(life_table_parent(&table, i).text, wanted[i][1]);
	}
	life_table_done(&table);
}

static void what_does_not_fit_changes_nothing(void)
{
	char long_name[LIFE_NAME_BYTES_MAX + 1];
	struct life_sums most = {.exits = INT64_MAX}, more = {.exits = (uint64_t)INT64_MAX + 1};
	struct life_table table;

	memset(long_name, 'a', sizeof(long_name));
	CHECK_EQ(life_table_init(&table, 2), 0);
	CHECK_EQ(life_table_add(&table, (struct life_name){long_name, sizeof(long_name)},
			 name("sh"), &most),
		-E2BIG);
	CHECK_EQ(life_table_add(&table, name("a"), name("sh"), &more), -EOVERFLOW);
	CHECK_EQ(table.count, 0);
	CHECK_EQ(life_table_add(&table, name("a"), name("sh"), &most), 0);
	CHECK_EQ(life_table_add(&table, name("a"), name("sh"), &most), -EOVERFLOW);
	CHECK_EQ(table.rows[0].sums.exits, INT64_MAX);
	CHECK_EQ(add(&table, "b", "sh", 1), 0);
	CHECK_EQ(add(&table, "c", "sh", 1), -E2BIG);
	CHECK_EQ(table.count, 2);
	life_table_done(&table);
}

static int scenario(void *context)
{
	struct life_table table;
	int r = life_table_init(&table, 100);

	(void)context;
	if (r < 0)
		return r;
	for (int i = 0; r == 0 && i < 40; i++) {
		char text[16];
		uint32_t count = table.count;

		snprintf(text, sizeof(text), "command %d", i);
		r = add(&table, text, "sh", 1);
		CHECK_EQ(table.count, count + (r == 0));
	}
	if (r == 0)
		life_table_sort(&table);
	life_table_done(&table);
	return r;
}

static void without_memory_nothing_is_half_done(void)
{
	torture(scenario, NULL, 4);
}

int main(void)
{
	RUN(rows_of_one_command_and_parent_are_one);
	RUN(sorted_rows_rise_by_command_then_parent);
	RUN(what_does_not_fit_changes_nothing);
	RUN(without_memory_nothing_is_half_done);
	return 0;
}
