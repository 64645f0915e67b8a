/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/tally/tally.h"

#include "tests/support/check.h"

static void every_counter_has_a_name_and_a_meaning(void)
{
	for (int i = 0; i < TALLY_MAX; i++) {
		CHECK(tally_name((enum tally_counter)i)[0] != '\0');
		CHECK(tally_meaning((enum tally_counter)i)[0] != '\0');
	}
	CHECK_STR(tally_name(TALLY_execs), "execs");
}

static void counts_add_up(void)
{
	struct tally tally = {0};

	tally_add(&tally, TALLY_forks, 2);
	tally_add(&tally, TALLY_forks, 3);
	CHECK_EQ(tally_value(&tally, TALLY_forks), 5);
	CHECK_EQ(tally_value(&tally, TALLY_exits), 0);
}

int main(void)
{
	RUN(every_counter_has_a_name_and_a_meaning);
	RUN(counts_add_up);
	return 0;
}
