/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/clock.h"

#include <stddef.h>
#include <time.h>

#include "tests/support/check.h"

static uint64_t distance(uint64_t one, uint64_t other)
{
	return one > other ? one - other : other - one;
}

static void the_three_clocks_are_read_at_one_instant(void)
{
	struct clock clock = clock_system();
	uint64_t before_ns = clock_monotonic_ns();
	struct clock_reading reading = clock_read(&clock);
	uint64_t after_ns = clock_monotonic_ns();
	uint64_t realtime_ns = clock_realtime_ns();

	CHECK(reading.monotonic_ns >= before_ns);
	CHECK(reading.monotonic_ns <= after_ns);
	CHECK(reading.boottime_ns >= reading.monotonic_ns - NS_PER_MS);
	CHECK(distance(reading.realtime_ns, realtime_ns) < NS_PER_S);
	CHECK(distance(reading.realtime_ns / NS_PER_S, (uint64_t)time(NULL)) <= 1);
}

static struct clock_reading read_given(void *context)
{
	return *(const struct clock_reading *)context;
}

static void a_test_may_give_its_own_time(void)
{
	struct clock_reading given = {1, 2, 3};
	struct clock clock = {read_given, &given};

	CHECK_EQ(clock_read(&clock).monotonic_ns, 1);
	CHECK_EQ(clock_read(&clock).boottime_ns, 2);
	CHECK_EQ(clock_read(&clock).realtime_ns, 3);
}

static void the_time_of_day_may_start_elsewhere(void)
{
	const uint64_t start_ns = UINT64_C(1700000000) * NS_PER_S;
	struct clock clock = clock_system();

	clock_start_at(start_ns);
	CHECK(clock_realtime_ns() >= start_ns);
	CHECK(clock_realtime_ns() < start_ns + NS_PER_S);
	CHECK(clock_read(&clock).realtime_ns >= start_ns);
	CHECK(clock_read(&clock).realtime_ns < start_ns + 2 * NS_PER_S);
	/* What measures lengths stays. */
	CHECK(clock_read(&clock).boottime_ns >= clock_read(&clock).monotonic_ns - NS_PER_S);
	clock_start_at((uint64_t)time(NULL) * NS_PER_S);
}

int main(void)
{
	RUN(the_three_clocks_are_read_at_one_instant);
	RUN(a_test_may_give_its_own_time);
	RUN(the_time_of_day_may_start_elsewhere);
	return 0;
}
