/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/window_span.h"

#include "store/profile/profile.h"

/* A first window that would be this long without being cut is not cut: no window is tiny. */
#define FIRST_UNCUT_NS (2 * WINDOW_FIRST_NS)

/* Epoch time of monotonic zero. A host without a set clock may have booted before the epoch. */
static uint64_t epoch_of_zero(const struct clock_reading *clocks)
{
	return clocks->realtime_ns - clocks->monotonic_ns;
}

struct window_span window_span_first(const struct clock_reading *clocks, uint64_t window_ns)
{
	struct window_span span = window_span_next(window_cut(clocks, 0), clocks, window_ns);

	if (span.end_ns - span.start_ns > FIRST_UNCUT_NS)
		span.end_ns = span.start_ns + WINDOW_FIRST_NS;
	return span;
}

struct window_span window_span_next(
	uint64_t start_ns, const struct clock_reading *clocks, uint64_t window_ns)
{
	uint64_t zero_ns = epoch_of_zero(clocks);
	/* Slewing may have moved the start a little off its point of the grid. */
	uint64_t epoch_ns = start_ns + zero_ns + PROFILE_SLOT_NS / 2;
	uint64_t end_epoch_ns = (epoch_ns / window_ns + 1) * window_ns;

	return (struct window_span){start_ns, end_epoch_ns - zero_ns};
}

static uint64_t distance(uint64_t one, uint64_t other)
{
	int64_t difference = (int64_t)(one - other);

	return difference < 0 ? (uint64_t)-difference : (uint64_t)difference;
}

bool window_host_slept(const struct clock_reading *before, const struct clock_reading *after)
{
	return distance(before->boottime_ns - before->monotonic_ns,
		       after->boottime_ns - after->monotonic_ns) > WINDOW_STEP_NS;
}

bool window_clocks_stepped(const struct clock_reading *before, const struct clock_reading *after)
{
	return window_host_slept(before, after) ||
		distance(epoch_of_zero(before), epoch_of_zero(after)) > WINDOW_STEP_NS;
}

uint64_t window_cut(const struct clock_reading *clocks, uint64_t floor_ns)
{
	uint64_t cut_ns = clocks->monotonic_ns - clocks->realtime_ns % PROFILE_SLOT_NS;

	/* Within the first 20 ms after boot the grid may begin before the clock does. */
	if (cut_ns > clocks->monotonic_ns)
		cut_ns = clocks->monotonic_ns;
	return cut_ns < floor_ns ? floor_ns : cut_ns;
}
