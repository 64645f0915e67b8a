/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/window_span.h"

#include <stdlib.h>

#include "store/profile/profile.h"
#include "tests/support/check.h"

#define WINDOW (10 * NS_PER_S)
/* Epoch time of monotonic zero in these tests: not on any grid. */
#define ZERO (UINT64_C(1700000003) * NS_PER_S + 7 * NS_PER_MS)

static struct clock_reading at(uint64_t monotonic_ns)
{
	return (struct clock_reading){monotonic_ns, monotonic_ns + 5, monotonic_ns + ZERO};
}

static void the_first_window_begins_on_the_grid_and_is_short(void)
{
	for (uint64_t ms = 0; ms < 20000; ms += 37) {
		struct clock_reading clocks = at(100 * NS_PER_S + ms * NS_PER_MS);
		struct window_span span = window_span_first(&clocks, WINDOW);
		uint64_t length = span.end_ns - span.start_ns;

		CHECK_EQ((span.start_ns + ZERO) % PROFILE_SLOT_NS, 0);
		CHECK(span.start_ns <= clocks.monotonic_ns);
		CHECK(clocks.monotonic_ns - span.start_ns < PROFILE_SLOT_NS);
		CHECK(length > 0 && length <= 2 * WINDOW_FIRST_NS);
		if (length != WINDOW_FIRST_NS)
			CHECK_EQ((span.end_ns + ZERO) % WINDOW, 0);
	}
}

static void later_windows_touch_and_end_at_multiples(void)
{
	struct clock_reading clocks = at(12345678901);
	struct window_span span = window_span_first(&clocks, WINDOW);

	for (int i = 0; i < 10; i++) {
		struct window_span next = window_span_next(span.end_ns, &clocks, WINDOW);

		CHECK_EQ(next.start_ns, span.end_ns);
		CHECK_EQ((next.end_ns + ZERO) % WINDOW, 0);
		CHECK(next.end_ns - next.start_ns <= WINDOW);
		if (i > 0)
			CHECK_EQ(next.end_ns - next.start_ns, WINDOW);
		span = next;
		clocks = at(span.end_ns + 30 * NS_PER_MS);
	}
}

/* A slewed clock moves the ends a little, never makes a sliver of a window. */
static void slewing_makes_no_tiny_window(void)
{
	uint64_t end_ns = 7 * WINDOW - ZERO % WINDOW;

	for (int64_t drift = -9; drift <= 9; drift++) {
		struct clock_reading clocks = at(end_ns);
		struct window_span span;

		clocks.realtime_ns += (uint64_t)(drift * (int64_t)NS_PER_MS);
		span = window_span_next(end_ns, &clocks, WINDOW);
		CHECK_EQ(span.start_ns, end_ns);
		CHECK(span.end_ns - span.start_ns > WINDOW - 10 * NS_PER_MS);
		CHECK(span.end_ns - span.start_ns < WINDOW + 10 * NS_PER_MS);
	}
}

static void steps_and_sleep_are_told_from_slewing(void)
{
	struct clock_reading before = at(1000 * NS_PER_S), after = at(1001 * NS_PER_S);

	CHECK(!window_clocks_stepped(&before, &after));
	after.realtime_ns += 9 * NS_PER_MS;
	CHECK(!window_clocks_stepped(&before, &after));
	after.realtime_ns -= 3600 * NS_PER_S;
	CHECK(window_clocks_stepped(&before, &after));
	CHECK(!window_host_slept(&before, &after));
	after = at(1001 * NS_PER_S);
	after.boottime_ns += 600 * NS_PER_S;
	after.realtime_ns += 600 * NS_PER_S;
	CHECK(window_clocks_stepped(&before, &after));
	CHECK(window_host_slept(&before, &after));
}

static void a_cut_lies_on_the_new_grid_and_not_before_its_floor(void)
{
	unsigned seed = 5;

	for (int i = 0; i < 1000; i++) {
		struct clock_reading clocks = at(1000 * NS_PER_S + (uint64_t)rand_r(&seed));
		uint64_t cut_ns = window_cut(&clocks, 0);

		CHECK_EQ((cut_ns + ZERO) % PROFILE_SLOT_NS, 0);
		CHECK(cut_ns <= clocks.monotonic_ns);
		CHECK(clocks.monotonic_ns - cut_ns < PROFILE_SLOT_NS);
		CHECK_EQ(window_cut(&clocks, clocks.monotonic_ns), clocks.monotonic_ns);
	}
	CHECK_EQ(window_cut(&(struct clock_reading){3, 3, 15 * NS_PER_MS}, 0), 3);
}

int main(void)
{
	RUN(the_first_window_begins_on_the_grid_and_is_short);
	RUN(later_windows_touch_and_end_at_multiples);
	RUN(slewing_makes_no_tiny_window);
	RUN(steps_and_sleep_are_told_from_slewing);
	RUN(a_cut_lies_on_the_new_grid_and_not_before_its_floor);
	return 0;
}
