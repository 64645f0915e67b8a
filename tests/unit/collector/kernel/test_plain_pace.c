/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_pace.h"

#include "collector/kernel/pace.h"
#include "store/base/clock.h"
#include "tests/support/check.h"

#define BUDGET (UINT64_C(8) << 20)

static void a_rate_that_fits_stays_as_it_is(void)
{
	CHECK_EQ(plain_pace_choose(19, 2, BUDGET).period_ns, pace_period_ns(19));
	CHECK_EQ(plain_pace_choose(99, 2, BUDGET).period_ns, pace_period_ns(99));
	CHECK_EQ(plain_pace_choose(19, 25, BUDGET).period_ns, pace_period_ns(19));
	/* Out of step with whole milliseconds, as any rate. */
	CHECK(plain_pace_choose(100, 1, BUDGET).period_ns != 10 * NS_PER_MS);
}

static void the_budget_holds_for_any_host(void)
{
	static const uint32_t rates[] = {1, 19, 97, 999, 10000};

	for (uint32_t cpus = 1; cpus <= 8192; cpus = cpus * 3 / 2 + 1) {
		for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
			struct plain_pace pace = plain_pace_choose(rates[i], cpus, BUDGET);
			uint64_t a_second =
				(uint64_t)cpus * PLAIN_RECORD_BYTES * NS_PER_S / pace.period_ns;

			/* The escape from whole milliseconds raises a rate by 0.8 %. */
			CHECK(a_second <= BUDGET / 100 * 101);
			CHECK(pace.period_ns + pace.period_ns / 100 >= pace_period_ns(rates[i]));
		}
	}
}

static void a_host_of_very_many_cpus_is_sampled_less_than_once_a_second(void)
{
	struct plain_pace pace = plain_pace_choose(19, 1000, BUDGET);

	CHECK(pace.period_ns > 2 * NS_PER_S && pace.period_ns < 3 * NS_PER_S);
}

static void rings_hold_two_seconds_within_their_limits(void)
{
	for (uint32_t cpus = 1; cpus <= 8192; cpus *= 2) {
		size_t bytes = plain_pace_choose(99, cpus, BUDGET).ring_bytes;

		CHECK((bytes & (bytes - 1)) == 0);
		CHECK(bytes >= PLAIN_RING_BYTES_MIN && bytes <= 4 << 20);
		CHECK(bytes * cpus <= 16 << 20 || bytes == PLAIN_RING_BYTES_MIN);
	}
	CHECK_EQ(plain_pace_choose(99, 2, BUDGET).ring_bytes, 4 << 20);
	CHECK_EQ(plain_pace_choose(19, 2, BUDGET).ring_bytes, 1 << 20);
}

int main(void)
{
	RUN(a_rate_that_fits_stays_as_it_is);
	RUN(the_budget_holds_for_any_host);
	RUN(a_host_of_very_many_cpus_is_sampled_less_than_once_a_second);
	RUN(rings_hold_two_seconds_within_their_limits);
	return 0;
}
