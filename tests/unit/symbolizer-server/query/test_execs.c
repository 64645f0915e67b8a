/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/execs.h"

#include <errno.h>

#include "tests/support/check.h"

static struct selector selector;
static struct execs execs;

static struct life_name name(const char *text)
{
	return (struct life_name){text, strlen(text)};
}

static void begin(const char *query, uint64_t from_ns, uint64_t until_ns)
{
	char error[SELECTOR_ERROR_BYTES_MAX];

	CHECK_EQ(selector_parse(query, strlen(query), &selector, error), 0);
	CHECK(execs_objection(&selector) == NULL);
	CHECK_EQ(execs_init(&execs, &selector, (struct time_range){from_ns, until_ns}), 0);
}

static void end(void)
{
	execs_done(&execs);
	selector_done(&selector);
}

/* A window of ten of HOST: COMMAND started RUNS times by PARENT. */
static int add(
	const char *host, uint64_t start_ns, const char *command, const char *parent, uint64_t runs)
{
	struct life_sums sums = {.execs = runs, .exits = runs, .cpu_ns = 7 * runs};
	struct profile_store_lives window = {name(host), start_ns, start_ns + 10, NULL};
	struct life_table table;
	int r;

	CHECK_EQ(life_table_init(&table, LIFE_COUNT_MAX), 0);
	CHECK_EQ(life_table_add(&table, name(command), name(parent), &sums), 0);
	window.table = &table;
	r = execs_add(&execs, &window);
	life_table_done(&table);
	return r;
}

static void check_row(uint32_t row, const char *command, const char *parent, uint64_t runs)
{
	CHECK(row < execs.lives.count);
	CHECK_STR(life_table_command(&execs.lives, row).text, command);
	CHECK_STR(life_table_parent(&execs.lives, row).text, parent);
	CHECK_EQ(execs_runs(&execs.lives.rows[row].sums), runs);
}

static void a_window_belongs_to_the_range_in_which_it_begins(void)
{
	begin("", 100, 120);
	CHECK_EQ(add("a", 99, "ps", "sh", 1), 0);
	CHECK_EQ(add("a", 100, "ps", "sh", 2), 0);
	CHECK_EQ(add("b", 119, "ps", "sh", 4), 0);
	CHECK_EQ(add("a", 120, "ps", "sh", 8), 0);
	CHECK_EQ(execs_finish(&execs), 0);
	CHECK_EQ(execs.lives.count, 1);
	check_row(0, "ps", "sh", 6);
	CHECK_EQ(execs.covered.from_ns, 100);
	CHECK_EQ(execs.covered.until_ns, 129);
	end();
}

static void the_most_frequent_come_first(void)
{
	struct life_sums all, rest;

	begin("", 0, 1000);
	CHECK_EQ(add("a", 1, "awk", "sh", 3), 0);
	CHECK_EQ(add("a", 1, "ps", "sh", 5), 0);
	CHECK_EQ(add("a", 1, "awk", "bash", 3), 0);
	CHECK_EQ(add("a", 1, "sed", "sh", 1), 0);
	CHECK_EQ(execs_finish(&execs), 0);
	check_row(0, "ps", "sh", 5);
	check_row(1, "awk", "bash", 3);
	check_row(2, "awk", "sh", 3);
	check_row(3, "sed", "sh", 1);
	CHECK_EQ(execs_sum(&execs, 0, &all), 0);
	CHECK_EQ(execs_sum(&execs, 2, &rest), 0);
	CHECK_EQ(all.execs, 12);
	CHECK_EQ(rest.execs, 4);
	CHECK_EQ(rest.cpu_ns, 28);
	end();
}

static void a_process_that_started_nothing_ran_once(void)
{
	struct life_sums sums = {.execs = 2, .forks = 9, .exits = 5, .bare_exits = 3};

	CHECK_EQ(execs_runs(&sums), 5);
}

static void selectors_know_host_command_and_parent(void)
{
	begin("{host=\"a\",command=~\"p.*\",parent!=\"bash\"}", 0, 1000);
	CHECK_EQ(add("a", 1, "ps", "sh", 1), 0);
	CHECK_EQ(add("b", 900, "ps", "sh", 2), 0);
	CHECK_EQ(add("a", 1, "awk", "sh", 4), 0);
	CHECK_EQ(add("a", 1, "ps", "bash", 8), 0);
	CHECK_EQ(add("a", 1, "perl", "sh", 16), 0);
	CHECK_EQ(execs_finish(&execs), 0);
	CHECK_EQ(execs.lives.count, 2);
	check_row(0, "perl", "sh", 16);
	check_row(1, "ps", "sh", 1);
	/* A host that is not asked for covers nothing. */
	CHECK_EQ(execs.covered.until_ns, 11);
	end();
}

static void what_lives_do_not_have_is_an_objection(void)
{
	static const char *const queries[] = {"process_cpu:cpu:nanoseconds:cpu:nanoseconds{}",
		"{pid=\"1\"}", "{host=\"a\",process=\"b\"}"};
	char error[SELECTOR_ERROR_BYTES_MAX];

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		CHECK_EQ(selector_parse(queries[i], strlen(queries[i]), &selector, error), 0);
		CHECK(execs_objection(&selector) != NULL);
		selector_done(&selector);
	}
}

static void sums_beyond_all_measure_are_refused(void)
{
	struct life_sums sums;

	begin("", 0, 1000);
	CHECK_EQ(add("a", 1, "ps", "sh", INT64_MAX / 8), 0);
	CHECK_EQ(add("a", 1, "ps", "sh", INT64_MAX / 8), -EOVERFLOW);
	CHECK_EQ(add("a", 1, "awk", "sh", INT64_MAX / 8), 0);
	CHECK_EQ(execs_finish(&execs), 0);
	CHECK_EQ(execs_sum(&execs, 0, &sums), -EOVERFLOW);
	end();
}

int main(void)
{
	RUN(a_window_belongs_to_the_range_in_which_it_begins);
	RUN(the_most_frequent_come_first);
	RUN(a_process_that_started_nothing_ran_once);
	RUN(selectors_know_host_command_and_parent);
	RUN(what_lives_do_not_have_is_an_objection);
	RUN(sums_beyond_all_measure_are_refused);
	return 0;
}
