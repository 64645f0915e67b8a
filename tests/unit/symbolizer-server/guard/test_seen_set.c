/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/guard/seen_set.h"

#include <errno.h>

#include "tests/support/check.h"

static void what_was_added_is_there_and_nothing_else(void)
{
	struct seen_set set;

	seen_set_init(&set, 100000);
	CHECK(!seen_set_has(&set, 0));
	for (uint64_t i = 0; i < 50000; i++)
		CHECK_EQ(seen_set_add(&set, i * 0x9e3779b97f4a7c15), 0);
	CHECK_EQ(seen_set_count(&set), 50000);
	for (uint64_t i = 0; i < 50000; i++) {
		CHECK(seen_set_has(&set, i * 0x9e3779b97f4a7c15));
		CHECK(!seen_set_has(&set, (i + 50000) * 0x9e3779b97f4a7c15));
	}
	CHECK_EQ(seen_set_add(&set, 0), 0);
	CHECK_EQ(seen_set_count(&set), 50000);
	seen_set_clear(&set);
	CHECK_EQ(seen_set_count(&set), 0);
	CHECK(!seen_set_has(&set, 0x9e3779b97f4a7c15));
	seen_set_done(&set);
}

static void no_more_than_its_limit_goes_in(void)
{
	struct seen_set set;

	seen_set_init(&set, 3);
	for (uint64_t i = 1; i <= 3; i++)
		CHECK_EQ(seen_set_add(&set, i), 0);
	CHECK_EQ(seen_set_add(&set, 4), -E2BIG);
	CHECK_EQ(seen_set_add(&set, 2), 0);
	CHECK(!seen_set_has(&set, 4));
	seen_set_done(&set);
}

static void counts_survive_the_growth_of_the_table(void)
{
	struct seen_counts counts;

	seen_counts_init(&counts, 1000);
	CHECK_EQ(seen_counts_get(&counts, 5), 0);
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 1; i <= 1000; i++)
			CHECK_EQ(seen_counts_add(&counts, i), 0);
	}
	for (uint64_t i = 1; i <= 1000; i++)
		CHECK_EQ(seen_counts_get(&counts, i), 3);
	CHECK_EQ(seen_counts_add(&counts, 1001), -E2BIG);
	CHECK_EQ(seen_counts_get(&counts, 1001), 0);
	seen_counts_clear(&counts);
	CHECK_EQ(seen_counts_get(&counts, 7), 0);
	seen_counts_done(&counts);
}

int main(void)
{
	RUN(what_was_added_is_there_and_nothing_else);
	RUN(no_more_than_its_limit_goes_in);
	RUN(counts_survive_the_growth_of_the_table);
	return 0;
}
