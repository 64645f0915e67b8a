/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/collector_counter.h"

#include "tests/support/check.h"

static void each_has_a_name_of_its_own_and_a_meaning(void)
{
	for (uint32_t i = 0; i < COLLECTOR_COUNTER_COUNT; i++) {
		CHECK_EQ(collector_counter_rank(collector_counter_name(i)), i);
		CHECK(strlen(collector_counter_meaning(i)) > 5);
	}
}

static void they_stand_in_the_order_of_a_samples_way(void)
{
	CHECK_STR(collector_counter_name(COUNTER_received), "kernel_received");
	CHECK_STR(collector_counter_name(COUNTER_OF_USER_STOP(STOP_complete)),
		"kernel_user_stop_complete");
	CHECK_STR(collector_counter_name(COUNTER_OF_USER_STOP(STOP_refused)),
		"kernel_user_stop_refused");
	CHECK_EQ(COUNTER_OF_USER_STOP(STOP_MAX), COUNTER_MAX);
	CHECK_STR(collector_counter_name(COLLECTOR_RANK_OF_TALLY + TALLY_execs), "collector_execs");
	CHECK_STR(collector_counter_name(COLLECTOR_RANK_OF_SINK + SINK_COUNTER_BATCHES_SENT),
		"sink_batches_sent");
	for (uint32_t i = COLLECTOR_RANK_OF_SINK; i < COLLECTOR_COUNTER_COUNT; i++)
		CHECK(strncmp(collector_counter_name(i), "sink_", 5) == 0);
}

static void unknown_ones_have_no_meaning(void)
{
	CHECK_EQ(collector_counter_rank("received"), COLLECTOR_COUNTER_UNKNOWN);
	CHECK_STR(collector_counter_meaning(COLLECTOR_COUNTER_UNKNOWN), "");
	CHECK_STR(collector_counter_name(COLLECTOR_COUNTER_COUNT), "");
}

int main(void)
{
	RUN(each_has_a_name_of_its_own_and_a_meaning);
	RUN(they_stand_in_the_order_of_a_samples_way);
	RUN(unknown_ones_have_no_meaning);
	return 0;
}
