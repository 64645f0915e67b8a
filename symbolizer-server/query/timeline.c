/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/timeline.h"

#include <errno.h>
#include <stdlib.h>

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

int timeline_init(
	struct timeline *timeline, const struct selector *selector, struct time_range range)
{
	uint64_t step_ns = timeline_step(range.until_ns - range.from_ns);
	uint64_t start_ns = range.from_ns / step_ns * step_ns;
	uint64_t count = (range.until_ns - start_ns + step_ns - 1) / step_ns;

	*timeline = (struct timeline){
		.selector = selector,
		.range = range,
		.start_ns = start_ns,
		.step_ns = step_ns,
		.count = (uint32_t)count,
		.sums = calloc((size_t)count + 1, sizeof(int64_t)),
	};
	return timeline->sums ? 0 : -ENOMEM;
}

void timeline_done(struct timeline *timeline)
{
	free(timeline->sums);
	*timeline = (struct timeline){0};
}

static int add_table(struct row_filter *filter, const struct sample_table *table, int64_t *ret_sum)
{
	bool takes = false;
	int r = row_filter_takes_type(filter, table, &takes);

	for (uint32_t i = 0; r == 0 && takes && i < table->row_count; i++) {
		struct sample_part part = {0};

		r = row_filter_part(filter, table, &table->rows[i], &part);
		if (__builtin_add_overflow(*ret_sum, part.value, ret_sum))
			*ret_sum = INT64_MAX;
	}
	return r;
}

static int add_step(struct timeline *timeline, uint32_t step, const struct profile *profile)
{
	uint64_t from_ns = timeline->start_ns + step * timeline->step_ns;
	uint64_t until_ns = from_ns + timeline->step_ns;
	struct time_range range = timeline->range;
	struct row_filter filter;
	int r;

	if (range.from_ns < from_ns)
		range.from_ns = from_ns;
	if (range.until_ns > until_ns)
		range.until_ns = until_ns;
	row_filter_init(&filter, timeline->selector, range);
	r = row_filter_open(&filter, profile);
	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++)
		r = add_table(&filter, &profile->types[i], &timeline->sums[step]);
	row_filter_done(&filter);
	return r;
}

int timeline_add(struct timeline *timeline, const struct profile *profile)
{
	uint64_t from_ns = profile_window_epoch_ns(profile);
	uint64_t until_ns = profile_window_end_epoch_ns(profile);
	uint64_t first, end;
	int r = 0;

	/* The grid of slots may begin half a slot before the window or after. */
	until_ns += PROFILE_SLOT_NS;
	first = from_ns > timeline->start_ns ? (from_ns - timeline->start_ns) / timeline->step_ns
					     : 0;
	end = until_ns > timeline->start_ns
		? (until_ns - timeline->start_ns - 1) / timeline->step_ns + 1
		: 0;
	for (uint64_t i = first; r == 0 && i < end && i < timeline->count; i++)
		r = add_step(timeline, (uint32_t)i, profile);
	return r;
}
