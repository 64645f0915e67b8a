/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/timeline.h"

#include <stddef.h>

#include "store/base/clock.h"

/* A range is divided by this, and the quotient rounded to a step that people count in. */
#define STEP_COUNT_WISHED 1500

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)

uint64_t timeline_step(uint64_t range_ns)
{
	/* The first row whose limit the quotient does not exceed. */
	static const struct {
		uint64_t limit_ns;
		uint64_t step_ns;
	} steps[] = {
		{17500 * NS_PER_MS, 15 * NS_PER_S},
		{25 * NS_PER_S, 20 * NS_PER_S},
		{45 * NS_PER_S, 30 * NS_PER_S},
		{90 * NS_PER_S, MINUTE_NS},
		{210 * NS_PER_S, 2 * MINUTE_NS},
		{450 * NS_PER_S, 5 * MINUTE_NS},
		{750 * NS_PER_S, 10 * MINUTE_NS},
		{1050 * NS_PER_S, 15 * MINUTE_NS},
		{25 * MINUTE_NS, 20 * MINUTE_NS},
		{45 * MINUTE_NS, 30 * MINUTE_NS},
		{90 * MINUTE_NS, HOUR_NS},
		{150 * MINUTE_NS, 2 * HOUR_NS},
		{270 * MINUTE_NS, 3 * HOUR_NS},
		{9 * HOUR_NS, 6 * HOUR_NS},
		{24 * HOUR_NS, 12 * HOUR_NS},
		{7 * DAY_NS, DAY_NS},
		{21 * DAY_NS, 7 * DAY_NS},
		{42 * DAY_NS, 30 * DAY_NS},
	};
	uint64_t quotient = range_ns / STEP_COUNT_WISHED;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (quotient <= steps[i].limit_ns)
			return steps[i].step_ns;
	}
	return 365 * DAY_NS;
}
