/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/pace.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

static void a_rate_out_of_step_keeps_its_period(void)
{
	static const uint32_t rates[] = {3, 7, 19, 49, 97, 99, 199, 997, 999, 4999};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		CHECK_EQ(pace_period_ns(rates[i]), NS_PER_S / rates[i]);
}

static void a_rate_in_step_with_milliseconds_is_raised_a_little(void)
{
	static const uint32_t rates[] = {1, 2, 5, 10, 20, 25, 50, 100, 125, 200, 250, 500, 1000};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t plain_ns = NS_PER_S / rates[i], period_ns = pace_period_ns(rates[i]);
		uint64_t off_ns = period_ns % NS_PER_MS;

		CHECK(period_ns < plain_ns && period_ns > plain_ns - plain_ns / 100);
		CHECK(off_ns > 1000 && off_ns < NS_PER_MS - 1000);
	}
}

static void every_rate_has_a_period_near_to_it(void)
{
	for (uint32_t hz = 1; hz <= 10000; hz++) {
		uint64_t plain_ns = NS_PER_S / hz, period_ns = pace_period_ns(hz);

		CHECK(period_ns > 0 && period_ns <= plain_ns);
		CHECK(period_ns >= plain_ns - plain_ns / 100);
	}
}

static void cpus_start_evenly_within_one_period(void)
{
	CHECK_EQ(pace_delay_ns(1000, 0, 4), 0);
	CHECK_EQ(pace_delay_ns(1000, 1, 4), 250);
	CHECK_EQ(pace_delay_ns(1000, 3, 4), 750);
	CHECK_EQ(pace_delay_ns(NS_PER_S, 8191, 8192), NS_PER_S * 8191 / 8192);
	CHECK_EQ(pace_delay_ns(1000, 0, 1), 0);
}

static void only_ticks_that_surely_are_missing_count(void)
{
	CHECK_EQ(pace_ticks_missed(100, 1000, 10), 0);
	CHECK_EQ(pace_ticks_missed(100, 1000, 9), 0);
	CHECK_EQ(pace_ticks_missed(100, 1000, 7), 2);
	CHECK_EQ(pace_ticks_missed(100, 1000, 11), 0);
	CHECK_EQ(pace_ticks_missed(100, 99, 0), 0);
	CHECK_EQ(pace_ticks_missed(100, 0, 0), 0);
}

int main(void)
{
	RUN(a_rate_out_of_step_keeps_its_period);
	RUN(a_rate_in_step_with_milliseconds_is_raised_a_little);
	RUN(every_rate_has_a_period_near_to_it);
	RUN(cpus_start_evenly_within_one_period);
	RUN(only_ticks_that_surely_are_missing_count);
	return 0;
}
