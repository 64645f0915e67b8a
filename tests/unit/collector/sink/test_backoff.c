/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/backoff.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

#define AGENT_COUNT 500

static void the_bound_doubles_and_stops(void)
{
	struct backoff backoff;

	backoff_init(&backoff, 100, 1000, 1);
	for (uint64_t bound = 100; bound < 5000; bound *= 2)
		CHECK(backoff_next(&backoff) <= (bound < 1000 ? bound : 1000));
	CHECK_EQ(backoff.bound_ns, 1000);
	backoff_reset(&backoff);
	CHECK_EQ(backoff.bound_ns, 100);
	CHECK(backoff_next(&backoff) <= 100);
}

static void equal_seeds_wait_equally(void)
{
	struct backoff one, other;

	backoff_init(&one, NS_PER_S, 60 * NS_PER_S, 77);
	backoff_init(&other, NS_PER_S, 60 * NS_PER_S, 77);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(backoff_next(&one), backoff_next(&other));
}

/* After a break, every tenth of the first bound sees some agents and none sees most of them. */
static void a_fleet_does_not_come_back_at_once(void)
{
	unsigned tenths[10] = {0};

	for (uint64_t seed = 0; seed < AGENT_COUNT; seed++) {
		struct backoff backoff;

		backoff_init(&backoff, 15 * NS_PER_S, 30 * NS_PER_S, seed);
		tenths[backoff_next(&backoff) * 10 / (15 * NS_PER_S + 1)]++;
	}
	for (int i = 0; i < 10; i++)
		CHECK(tenths[i] > AGENT_COUNT / 20 && tenths[i] < AGENT_COUNT / 6);
}

static void a_time_between_two_bounds_is_between_them(void)
{
	struct backoff backoff;

	backoff_init(&backoff, 1, 1, 5);
	for (int i = 0; i < 100; i++) {
		uint64_t time_ns = backoff_between(&backoff, 300, 310);

		CHECK(time_ns >= 300 && time_ns <= 310);
	}
	CHECK_EQ(backoff_between(&backoff, 7, 7), 7);
	(void)backoff_between(&backoff, 0, UINT64_MAX);
}

int main(void)
{
	RUN(the_bound_doubles_and_stops);
	RUN(equal_seeds_wait_equally);
	RUN(a_fleet_does_not_come_back_at_once);
	RUN(a_time_between_two_bounds_is_between_them);
	return 0;
}
