/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/time_steps.h"

#include <errno.h>
#include <stddef.h>

#include "store/base/clock.h"

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)

int time_steps_init(
	struct time_range range, uint64_t step_ns, uint32_t count_max, struct time_steps *ret_steps)
{
	uint64_t start_ns = range.from_ns / step_ns * step_ns;
	uint64_t count = 0;

	if (range.until_ns > range.from_ns)
		count = (range.until_ns - 1 - start_ns) / step_ns + 1;
	if (count > count_max)
		return -E2BIG;
	*ret_steps = (struct time_steps){start_ns, step_ns, (uint32_t)count};
	return 0;
}

uint64_t time_steps_choose(uint64_t range_ns, uint64_t step_ns_min, uint32_t count_max)
{
	static const uint64_t lengths[] = {
		20 * NS_PER_MS,
		100 * NS_PER_MS,
		200 * NS_PER_MS,
		500 * NS_PER_MS,
		NS_PER_S,
		2 * NS_PER_S,
		5 * NS_PER_S,
		10 * NS_PER_S,
		20 * NS_PER_S,
		30 * NS_PER_S,
		MINUTE_NS,
		2 * MINUTE_NS,
		5 * MINUTE_NS,
		10 * MINUTE_NS,
		20 * MINUTE_NS,
		30 * MINUTE_NS,
		HOUR_NS,
		2 * HOUR_NS,
		4 * HOUR_NS,
		6 * HOUR_NS,
		12 * HOUR_NS,
	};
	uint64_t days;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		/* A range that begins within a step reaches into one more. */
		if (lengths[i] >= step_ns_min && range_ns / lengths[i] + 1 < count_max)
			return lengths[i];
	}
	days = range_ns / DAY_NS / (count_max > 2 ? count_max - 2 : 1) + 1;
	return days * DAY_NS;
}

void time_steps_reach(const struct time_steps *steps, uint64_t from_ns, uint64_t until_ns,
	uint32_t *ret_first, uint32_t *ret_end)
{
	uint64_t first = 0, end = 0;

	if (from_ns > steps->start_ns)
		first = (from_ns - steps->start_ns) / steps->step_ns;
	if (until_ns > steps->start_ns)
		end = (until_ns - 1 - steps->start_ns) / steps->step_ns + 1;
	if (end > steps->count)
		end = steps->count;
	if (first > end)
		first = end;
	*ret_first = (uint32_t)first;
	*ret_end = (uint32_t)end;
}
