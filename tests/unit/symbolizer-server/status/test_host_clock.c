/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_clock.h"

#include "tests/support/check.h"

#define NOW (UINT64_C(1700000000) * NS_PER_S)
#define BOOT (UINT64_C(1000) * NS_PER_S)
#define WINDOW (10 * NS_PER_S)

/* Window NUMBER of a host whose clock is SKEW_S ahead, which came DELAY_S later. */
static void note(struct host_clock *clock, uint64_t number, int64_t skew_s, uint64_t delay_s)
{
	struct clock_reading host = {
		.realtime_ns = NOW + number * WINDOW + (uint64_t)(skew_s * (int64_t)NS_PER_S),
		.boottime_ns = BOOT + number * WINDOW,
	};

	host_clock_note(clock, &host, NOW + number * WINDOW + delay_s * NS_PER_S);
}

static int64_t skew_s(const struct host_clock *clock)
{
	return host_clock_skew(clock) / (int64_t)NS_PER_S;
}

static void a_clock_ahead_or_behind_is_told(void)
{
	struct host_clock clock = {.count = 0};

	CHECK_EQ(host_clock_skew(&clock), 0);
	note(&clock, 0, 86400, 0);
	CHECK_EQ(skew_s(&clock), 86400);
	host_clock_reset(&clock);
	CHECK_EQ(host_clock_skew(&clock), 0);
	for (uint64_t i = 0; i < 100; i++)
		note(&clock, i, -7200, 0);
	CHECK_EQ(skew_s(&clock), -7200);
}

static void batches_that_waited_are_no_error_of_the_clock(void)
{
	struct host_clock clock = {.count = 0};

	/* Twenty windows that were kept for two hundred seconds come at once. */
	for (uint64_t i = 0; i < 20; i++)
		note(&clock, i, 0, 200 - i * 10);
	CHECK_EQ(skew_s(&clock), -10);
	note(&clock, 20, 0, 0);
	CHECK_EQ(skew_s(&clock), 0);
}

static void a_clock_that_is_set_is_believed_after_half_of_the_windows(void)
{
	struct host_clock clock = {.count = 0};

	for (uint64_t i = 0; i < 30; i++)
		note(&clock, i, 3600, 0);
	CHECK_EQ(skew_s(&clock), 3600);
	for (uint64_t i = 30; i < 44; i++)
		note(&clock, i, 0, 0);
	CHECK_EQ(skew_s(&clock), 3600);
	for (uint64_t i = 44; i < 47; i++)
		note(&clock, i, 0, 0);
	CHECK_EQ(skew_s(&clock), 0);
}

int main(void)
{
	RUN(a_clock_ahead_or_behind_is_told);
	RUN(batches_that_waited_are_no_error_of_the_clock);
	RUN(a_clock_that_is_set_is_believed_after_half_of_the_windows);
	return 0;
}
