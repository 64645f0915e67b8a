/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/counter.h"

#include "tests/support/check.h"

static void each_counter_has_a_name_of_its_own(void)
{
	for (int i = 0; i < COUNTER_MAX; i++) {
		CHECK(counter_name((enum counter)i)[0] != '\0');
		CHECK(counter_meaning((enum counter)i)[0] != '\0');
		for (int j = 0; j < i; j++)
			CHECK(strcmp(counter_name((enum counter)i),
				      counter_name((enum counter)j)) != 0);
	}
}

static void a_counter_of_a_stop_is_named_after_it(void)
{
	CHECK_STR(counter_name((enum counter)COUNTER_OF_USER_STOP(STOP_complete)),
		"user_stop_complete");
	CHECK_STR(counter_name((enum counter)COUNTER_OF_USER_STOP(STOP_refused)),
		"user_stop_refused");
	CHECK_EQ(COUNTER_OF_USER_STOP(STOP_MAX), COUNTER_MAX);
}

static void what_is_no_counter_is_unknown(void)
{
	CHECK_STR(counter_name(COUNTER_MAX), "unknown");
	CHECK_STR(counter_meaning((enum counter) - 1), "unknown");
}

int main(void)
{
	RUN(each_counter_has_a_name_of_its_own);
	RUN(a_counter_of_a_stop_is_named_after_it);
	RUN(what_is_no_counter_is_unknown);
	return 0;
}
