/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/chain.h"

#include <string.h>

#include "tests/support/check.h"

struct number {
	const char *name;
	uint64_t value;
};

static bool find(void *context, const char *name, uint64_t *ret_value)
{
	for (const struct number *number = context; number->name; number++) {
		if (strcmp(number->name, name) == 0) {
			*ret_value = number->value;
			return true;
		}
	}
	return false;
}

static const struct chain_stage plain = {"plain", "things", "", CHAIN_SERVER, false,
	{{"in", CHAIN_IN, NULL, NULL}, {"out", CHAIN_OUT, NULL, NULL},
		{"waits", CHAIN_WAITING, NULL, NULL}, {"aside", CHAIN_ASIDE, "a", NULL},
		{"lost", CHAIN_LOST, "l", "r"}, {"note", CHAIN_NOTE, "n", NULL}}};

static struct chain_reading read_plain(uint64_t in)
{
	struct number numbers[] = {
		{"in", in}, {"out", 60}, {"waits", 5}, {"aside", 20}, {"lost", 15}, {NULL, 0}};

	return chain_read(&plain, find, numbers, 4);
}

static void what_adds_up_is_accounted_for(void)
{
	struct chain_reading reading = read_plain(100);

	CHECK(reading.known);
	CHECK_EQ(reading.unaccounted, 0);
	CHECK_EQ(reading.sums[CHAIN_LOST], 15);
	CHECK_EQ(reading.values[3], 20);
}

static void what_vanished_or_appeared_is_unaccounted(void)
{
	CHECK_EQ(read_plain(101).unaccounted, 1);
	CHECK_EQ(read_plain(93).unaccounted, 7);
}

static void a_stage_without_all_of_its_counters_is_not_known(void)
{
	struct number numbers[] = {{"in", 1}, {"note", 1}, {NULL, 0}};

	CHECK(!chain_read(&plain, find, numbers, 4).known);
}

static const struct chain_stage ticks = {"ticks", "ticks", "", CHAIN_HOST, true,
	{{"in", CHAIN_IN, NULL, NULL}, {"out", CHAIN_OUT, NULL, NULL}}};

static void one_tick_a_cpu_may_be_under_way(void)
{
	struct number numbers[] = {{"in", 104}, {"out", 100}, {NULL, 0}};
	struct chain_reading reading = chain_read(&ticks, find, numbers, 4);

	CHECK_EQ(reading.unaccounted, 0);
	CHECK_EQ(reading.sums[CHAIN_WAITING], 4);
	CHECK_EQ(chain_read(&ticks, find, numbers, 3).unaccounted, 4);
	numbers[0].value = 99;
	CHECK_EQ(chain_read(&ticks, find, numbers, 1).unaccounted, 0);
	CHECK_EQ(chain_read(&ticks, find, numbers, 1).sums[CHAIN_WAITING], 0);
}

static const struct chain_stage rings = {"rings", "samples", "", CHAIN_HOST, false,
	{{"in", CHAIN_IN, NULL, NULL}, {"out", CHAIN_OUT, NULL, NULL},
		{"bad", CHAIN_LOST, "b", NULL}, {"due", CHAIN_DUE, NULL, NULL}}};

static void what_is_due_must_have_come_and_the_rest_waits(void)
{
	struct number numbers[] = {{"in", 100}, {"out", 88}, {"bad", 2}, {"due", 90}, {NULL, 0}};
	struct chain_reading reading = chain_read(&rings, find, numbers, 4);

	CHECK_EQ(reading.unaccounted, 0);
	CHECK_EQ(reading.sums[CHAIN_WAITING], 10);
	numbers[3].value = 93;
	reading = chain_read(&rings, find, numbers, 4);
	CHECK_EQ(reading.unaccounted, 3);
	CHECK_EQ(reading.sums[CHAIN_WAITING], 7);
	numbers[0].value = 80;
	CHECK_EQ(chain_read(&rings, find, numbers, 4).unaccounted, 10);
}

static void hosts_are_added_and_faults_do_not_cancel(void)
{
	struct chain_reading sum = {.stage = NULL}, more = read_plain(101), less = read_plain(98);
	struct chain_reading unknown = {.stage = &plain};

	chain_add(&sum, &unknown);
	CHECK(!sum.known);
	chain_add(&sum, &more);
	chain_add(&sum, &less);
	chain_add(&sum, &unknown);
	CHECK(sum.known);
	CHECK_EQ(sum.unaccounted, 3);
	CHECK_EQ(sum.sums[CHAIN_IN], 199);
	CHECK_EQ(sum.values[4], 30);
}

int main(void)
{
	RUN(what_adds_up_is_accounted_for);
	RUN(what_vanished_or_appeared_is_unaccounted);
	RUN(a_stage_without_all_of_its_counters_is_not_known);
	RUN(one_tick_a_cpu_may_be_under_way);
	RUN(what_is_due_must_have_come_and_the_rest_waits);
	RUN(hosts_are_added_and_faults_do_not_cancel);
	return 0;
}
