/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/tally.h"

#include "tests/support/check.h"

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
	RUN(counts_add_up);
	return 0;
}
