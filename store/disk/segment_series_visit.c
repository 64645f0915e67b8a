/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_series_visit.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"

/* Totals in buckets of any length: those of one step become one piece. */
struct buckets {
	const struct segment_sums *sums;
	enum segment_hour_state state; /* of the hours that they answer for */
	uint64_t first_ns; /* of bucket 0 */
	uint64_t bucket_ns;
	uint32_t bucket_count;
	uint32_t *steps; /* bucket -> its step, counted from 0; UINT32_MAX: not asked for */
	struct segment_range *ranges; /* of steps */
	uint32_t step_count;
};

/* Places of the totals of one type, dealt out: those of step i start at first[i]. */
struct dealt {
	uint32_t *first;
	uint32_t *places;
};

static bool is_asked_for(const struct segment_plan *plan, enum segment_hour_state state,
	uint64_t at_ns, uint64_t end_ns)
{
	const struct segment_request *request = plan->visit->request;
	uint64_t hour = at_ns / SEGMENT_HOUR_NS;
	const struct segment_hour_plan *at = segment_plan_find(plan, hour);
	struct segment_range times = segment_visit_times(plan->visit, at_ns, end_ns);

	return at && at->hour == hour && at->state == state && times.from_ns < times.until_ns &&
		times.from_ns >= request->from_ns && times.until_ns <= request->until_ns;
}

static int find_steps(const struct segment_plan *plan, struct buckets *buckets)
{
	uint64_t step_end_ns = 0;

	buckets->steps = malloc(((size_t)buckets->bucket_count + 1) * sizeof(*buckets->steps));
	buckets->ranges = malloc(((size_t)buckets->bucket_count + 1) * sizeof(*buckets->ranges));
	if (!buckets->steps || !buckets->ranges)
		return -ENOMEM;
	for (uint32_t i = 0; i < buckets->bucket_count; i++) {
		uint64_t at_ns = buckets->first_ns + i * buckets->bucket_ns;
		uint64_t end_ns = at_ns + buckets->bucket_ns;
		struct segment_range times;

		buckets->steps[i] = UINT32_MAX;
		if (!is_asked_for(plan, buckets->state, at_ns, end_ns))
			continue;
		times = segment_visit_times(plan->visit, at_ns, end_ns);
		if (buckets->step_count == 0 || times.from_ns >= step_end_ns) {
			step_end_ns = segment_step_end(plan->visit->request, times.from_ns);
			buckets->ranges[buckets->step_count++].from_ns = at_ns;
		}
		buckets->steps[i] = buckets->step_count - 1;
		buckets->ranges[buckets->step_count - 1].until_ns = end_ns;
	}
	return 0;
}

/* The step of a total, or UINT32_MAX. */
static uint32_t step_of(const struct segment_plan *plan, const struct buckets *buckets,
	const struct segment_sum *sum)
{
	return segment_visit_wants(plan->visit, sum->first) ? buckets->steps[sum->second]
							    : UINT32_MAX;
}

static int deal(const struct segment_plan *plan, const struct buckets *buckets, uint32_t type,
	struct dealt *dealt)
{
	const struct segment_sum_list *list = &buckets->sums->types[type];
	SCOPED_FREE uint32_t *next = calloc((size_t)buckets->step_count + 1, sizeof(*next));

	dealt->first = calloc((size_t)buckets->step_count + 1, sizeof(*dealt->first));
	dealt->places = malloc(((size_t)list->count + 1) * sizeof(*dealt->places));
	if (!next || !dealt->first || !dealt->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t step = step_of(plan, buckets, &list->sums[i]);

		if (step != UINT32_MAX)
			dealt->first[step + 1]++;
	}
	for (uint32_t i = 0; i < buckets->step_count; i++) {
		next[i] = dealt->first[i];
		dealt->first[i + 1] += dealt->first[i];
	}
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t step = step_of(plan, buckets, &list->sums[i]);

		if (step != UINT32_MAX)
			dealt->places[next[step]++] = i;
	}
	return 0;
}

static bool join(struct segment_sum *to, const struct segment_sum *sum)
{
	struct segment_sum whole = *to;

	if (to->first != sum->first ||
		__builtin_add_overflow(to->count, sum->count, &whole.count) ||
		__builtin_add_overflow(to->value, sum->value, &whole.value))
		return false;
	*to = whole;
	return true;
}

static int add_total(struct segment_plan *plan, uint32_t type, const struct segment_sum *sum)
{
	struct sample_row row = {
		.thread = sum->first, .cpu = SAMPLE_CPU_UNKNOWN, .value = sum->value};

	return segment_piece_add(&plan->piece, type, &row, sum->count);
}

/* Totals rise by label set, then bucket: those of one set stand together in each step, too. */
static int add_step(struct segment_plan *plan, const struct buckets *buckets,
	const struct dealt *dealt, uint32_t type, uint32_t step)
{
	const struct segment_sum *sums = buckets->sums->types[type].sums;
	struct segment_sum whole = {0};
	int r = 0;

	for (uint32_t i = dealt->first[step]; r == 0 && i < dealt->first[step + 1]; i++) {
		const struct segment_sum *sum = &sums[dealt->places[i]];

		if (join(&whole, sum))
			continue;
		r = add_total(plan, type, &whole);
		whole = *sum;
	}
	return r == 0 ? add_total(plan, type, &whole) : r;
}

static int emit_steps(
	struct segment_plan *plan, const struct buckets *buckets, const struct dealt *dealt)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && plan->visit->answer == 0 && i < buckets->step_count; i++) {
		for (uint32_t type = 0; r == 0 && type < buckets->sums->type_count; type++) {
			if (dealt[type].first)
				r = add_step(plan, buckets, &dealt[type], type, i);
		}
		if (r == 0)
			segment_plan_emit(
				plan, buckets->ranges[i].from_ns, buckets->ranges[i].until_ns);
	}
	return r;
}

static int visit_buckets(struct segment_plan *plan, struct buckets *buckets)
{
	uint32_t type_count = buckets->sums->type_count;
	SCOPED_FREE struct dealt *dealt = calloc((size_t)type_count + 1, sizeof(*dealt));
	int r = dealt ? find_steps(plan, buckets) : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < type_count; i++) {
		if (plan->visit->types[i] && buckets->sums->types[i].count > 0)
			r = deal(plan, buckets, i, &dealt[i]);
	}
	if (r == 0)
		r = emit_steps(plan, buckets, dealt);
	for (uint32_t i = 0; dealt && i < type_count; i++) {
		free(dealt[i].first);
		free(dealt[i].places);
	}
	free(buckets->steps);
	free(buckets->ranges);
	return r;
}

static bool any_hour(const struct segment_plan *plan, enum segment_hour_state state)
{
	for (uint32_t i = 0; i < plan->hour_count; i++) {
		if (plan->hours[i].state == state)
			return true;
	}
	return false;
}

static void turn_hours(
	struct segment_plan *plan, enum segment_hour_state from, enum segment_hour_state to)
{
	for (uint32_t i = 0; i < plan->hour_count; i++) {
		if (plan->hours[i].state == from)
			plan->hours[i].state = to;
	}
}

/* All hours that lie in one step each. If their totals cannot be read, their buckets will do. */
static int visit_hours(struct segment_plan *plan)
{
	const struct segment_head *head = &plan->visit->group->head;
	struct buckets buckets = {.state = SEGMENT_HOUR_SUMS, .bucket_ns = SEGMENT_HOUR_NS};
	struct segment_sums sums;
	uint32_t place = 0;
	int r;

	while (place < head->section_count &&
		head->sections[place].kind != SEGMENT_SECTION_SERIES_HOURS)
		place++;
	r = place < head->section_count ? segment_plan_sums(plan, place, &sums) : -EBADMSG;
	if (r < 0) {
		turn_hours(plan, SEGMENT_HOUR_SUMS, SEGMENT_HOUR_BUCKETS);
		return segment_error_is_ours(r) ? r : 0;
	}
	buckets.sums = &sums;
	buckets.first_ns = head->sections[place].hour * SEGMENT_HOUR_NS;
	buckets.bucket_count = head->sections[place].hour_count;
	r = visit_buckets(plan, &buckets);
	segment_sums_done(&sums);
	turn_hours(plan, SEGMENT_HOUR_SUMS, SEGMENT_HOUR_DONE);
	return r;
}

/* If its buckets cannot be read, the hour is left to its rows. */
static int visit_hour(struct segment_plan *plan, struct segment_hour_plan *hour)
{
	struct buckets buckets = {.state = SEGMENT_HOUR_BUCKETS,
		.first_ns = hour->hour * SEGMENT_HOUR_NS,
		.bucket_ns = SEGMENT_BUCKET_NS,
		.bucket_count = SEGMENT_BUCKETS_OF_HOUR};
	struct segment_sums sums;
	int r = segment_plan_sums(plan, hour->section, &sums);

	if (r < 0) {
		hour->state = SEGMENT_HOUR_ROWS;
		return segment_error_is_ours(r) ? r : 0;
	}
	buckets.sums = &sums;
	r = visit_buckets(plan, &buckets);
	segment_sums_done(&sums);
	hour->state = SEGMENT_HOUR_DONE;
	return r;
}

int segment_series_visit(struct segment_plan *plan)
{
	int r = any_hour(plan, SEGMENT_HOUR_SUMS) ? visit_hours(plan) : 0;

	for (uint32_t i = 0; r == 0 && plan->visit->answer == 0 && i < plan->hour_count; i++) {
		if (plan->hours[i].state == SEGMENT_HOUR_BUCKETS)
			r = visit_hour(plan, &plan->hours[i]);
	}
	return r;
}
