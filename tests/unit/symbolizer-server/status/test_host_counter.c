/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_counter.h"

#include "tests/support/check.h"

static void counters_have_a_meaning_and_an_order(void)
{
	static const char *const names[] = {"kernel_received", "kernel_user_stop_complete",
		"collector_samples_received", "sink_samples_acknowledged"};
	uint32_t last = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t rank = host_counter_rank(names[i]);

		CHECK(rank != HOST_COUNTER_UNKNOWN);
		CHECK(i == 0 || rank > last);
		CHECK(*host_counter_meaning(rank));
		last = rank;
	}
}

static void unknown_ones_have_none(void)
{
	CHECK_EQ(host_counter_rank("received"), HOST_COUNTER_UNKNOWN);
	CHECK_STR(host_counter_meaning(HOST_COUNTER_UNKNOWN), "");
}

int main(void)
{
	RUN(counters_have_a_meaning_and_an_order);
	RUN(unknown_ones_have_none);
	return 0;
}
