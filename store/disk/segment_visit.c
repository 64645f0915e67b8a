/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a range takes of a group, by hours:
 *
 *   range   |--------------------------------------------------|
 *   hours  |  9  | 10  | 11  | 12  | 13  | 14  | 15  | 16  | 17  |
 *   from    rows | sums| sums| sums of six hours ............. | rows
 *
 * Each hour is answered once, by the coarsest section that lies in the range and in one step. A
 * section that turns out to be damaged is answered for by the next finer one.
 */
#include "store/disk/segment_visit.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/must.h"
#include "store/disk/segment_chunk_visit.h"
#include "store/disk/segment_series_visit.h"
#include "store/disk/segment_slots_visit.h"
#include "store/profile/grow.h"

static bool on_grid(uint64_t time_ns)
{
	return time_ns % SEGMENT_BUCKET_NS == 0;
}

/* Whether all that the group has in [FROM_NS, UNTIL_NS) is in the range and in one step. */
static bool is_whole(const struct segment_visit *visit, uint64_t from_ns, uint64_t until_ns)
{
	const struct segment_request *request = visit->request;
	struct segment_range times = segment_visit_times(visit, from_ns, until_ns);

	return request->from_ns <= times.from_ns && request->until_ns >= times.until_ns &&
		segment_step_end(request, times.from_ns) >= times.until_ns;
}

/* Whether the parts of the hour that a range and steps cut are whole buckets. */
static bool cut_on_grid(const struct segment_visit *visit, uint64_t from_ns, uint64_t until_ns)
{
	const struct segment_request *request = visit->request;
	struct segment_range times = segment_visit_times(visit, from_ns, until_ns);
	uint64_t step_end_ns;

	if (request->from_ns > times.from_ns) {
		times.from_ns = request->from_ns;
		if (!on_grid(times.from_ns))
			return false;
	}
	if (request->until_ns < times.until_ns) {
		times.until_ns = request->until_ns;
		if (!on_grid(times.until_ns))
			return false;
	}
	step_end_ns = segment_step_end(request, times.from_ns);
	return step_end_ns >= times.until_ns || (on_grid(step_end_ns) && on_grid(request->step_ns));
}

static enum segment_hour_state state_of(const struct segment_visit *visit, uint64_t hour)
{
	const struct segment_request *request = visit->request;
	uint64_t from_ns = hour * SEGMENT_HOUR_NS, until_ns = from_ns + SEGMENT_HOUR_NS;

	if (request->from_ns >= until_ns || request->until_ns <= from_ns)
		return SEGMENT_HOUR_DONE;
	if (is_whole(visit, from_ns, until_ns))
		return SEGMENT_HOUR_SUMS;
	if (request->detail == SEGMENT_DETAIL_SERIES && cut_on_grid(visit, from_ns, until_ns))
		return SEGMENT_HOUR_BUCKETS;
	return SEGMENT_HOUR_ROWS;
}

static int plan_compare(const void *left, const void *right)
{
	const struct segment_hour_plan *one = left, *other = right;

	return (one->hour > other->hour) - (one->hour < other->hour);
}

/* The hours that have anything: each has its section of sums. */
static int plan_hours(struct segment_plan *plan)
{
	const struct segment_head *head = &plan->visit->group->head;
	uint8_t kind = plan->visit->request->detail == SEGMENT_DETAIL_SERIES
		? SEGMENT_SECTION_SERIES
		: SEGMENT_SECTION_SUMS;

	for (uint32_t i = 0; i < head->section_count; i++) {
		const struct segment_section *section = &head->sections[i];
		int r;

		if (section->kind != kind || section->hour_count != 1)
			continue;
		r = grow_array(&plan->hours, &plan->hour_capacity, plan->hour_count,
			SEGMENT_SECTION_COUNT_MAX);
		if (r < 0)
			return r;
		plan->hours[plan->hour_count++] = (struct segment_hour_plan){
			section->hour, i, state_of(plan->visit, section->hour)};
	}
	if (plan->hour_count > 0)
		qsort(plan->hours, plan->hour_count, sizeof(*plan->hours), plan_compare);
	return 0;
}

struct segment_hour_plan *segment_plan_find(const struct segment_plan *plan, uint64_t hour)
{
	uint32_t low = 0, high = plan->hour_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (plan->hours[middle].hour < hour)
			low = middle + 1;
		else
			high = middle;
	}
	return low < plan->hour_count ? &plan->hours[low] : NULL;
}

/* Whether all of [HOUR, HOUR + COUNT) is in the range, in one step, and not answered yet. */
static bool may_answer(const struct segment_plan *plan, uint64_t hour, uint32_t count)
{
	struct segment_hour_plan *at = segment_plan_find(plan, hour);

	if (!at || !is_whole(plan->visit, hour * SEGMENT_HOUR_NS, (hour + count) * SEGMENT_HOUR_NS))
		return false;
	for (; at < plan->hours + plan->hour_count && at->hour < hour + count; at++) {
		if (at->state != SEGMENT_HOUR_SUMS)
			return false;
	}
	return true;
}

static void set_state(
	struct segment_plan *plan, uint64_t hour, uint32_t count, enum segment_hour_state state)
{
	struct segment_hour_plan *at = segment_plan_find(plan, hour);

	for (; at && at < plan->hours + plan->hour_count && at->hour < hour + count; at++)
		at->state = state;
}

bool segment_visit_wants(const struct segment_visit *visit, uint32_t set)
{
	return !visit->sets || visit->sets[set];
}

static int add_sums(struct segment_plan *plan, const struct segment_sums *sums)
{
	const struct segment_visit *visit = plan->visit;
	int r = 0;

	for (uint32_t i = 0; i < sums->type_count; i++) {
		const struct segment_sum_list *list = &sums->types[i];

		for (uint32_t j = 0; r == 0 && visit->types[i] && j < list->count; j++) {
			const struct segment_sum *sum = &list->sums[j];
			struct sample_row row = {.stack = sum->first,
				.thread = sum->second,
				.cpu = SAMPLE_CPU_UNKNOWN,
				.value = sum->value};

			if (segment_visit_wants(visit, sum->second))
				r = segment_piece_add(&plan->piece, i, &row, sum->count);
		}
	}
	return r;
}

void segment_plan_emit(struct segment_plan *plan, uint64_t from_ns, uint64_t until_ns)
{
	struct segment_range times = segment_visit_times(plan->visit, from_ns, until_ns);

	segment_piece_emit(&plan->piece, plan->visit->series,
		plan->visit->group->tables->labels.count, times.from_ns, times.until_ns);
}

/* Damage is counted, and answered for elsewhere. */
int segment_plan_sums(struct segment_plan *plan, uint32_t place, struct segment_sums *ret_sums)
{
	struct segment_visited *visited = &plan->visit->visited;
	int r = segment_group_sums(plan->visit->group, place, ret_sums);

	if (r < 0) {
		visited->damaged += !segment_error_is_ours(r);
		return r;
	}
	visited->sums_read++;
	for (uint32_t i = 0; i < ret_sums->type_count; i++)
		visited->row_count += ret_sums->types[i].count;
	return 0;
}

static int answer_by_sums(struct segment_plan *plan, uint32_t place)
{
	const struct segment_section *section = &plan->visit->group->head.sections[place];
	struct segment_sums sums;
	int r;

	if (!may_answer(plan, section->hour, section->hour_count))
		return 0;
	r = segment_plan_sums(plan, place, &sums);
	if (r < 0 && section->hour_count == 1 && !segment_error_is_ours(r))
		set_state(plan, section->hour, 1, SEGMENT_HOUR_ROWS);
	if (r < 0)
		return segment_error_is_ours(r) ? r : 0;
	r = add_sums(plan, &sums);
	segment_sums_done(&sums);
	if (r < 0)
		return r;
	segment_plan_emit(plan, section->hour * SEGMENT_HOUR_NS,
		(section->hour + section->hour_count) * SEGMENT_HOUR_NS);
	set_state(plan, section->hour, section->hour_count, SEGMENT_HOUR_DONE);
	return 0;
}

/* Coarsest first. */
static int visit_sums(struct segment_plan *plan)
{
	const struct segment_head *head = &plan->visit->group->head;
	uint32_t below = UINT32_MAX;
	int r = 0;

	while (r == 0 && below > 1 && plan->visit->answer == 0) {
		uint32_t coarsest = 0;

		for (uint32_t i = 0; i < head->section_count; i++) {
			const struct segment_section *section = &head->sections[i];

			if (section->kind == SEGMENT_SECTION_SUMS && section->hour_count < below &&
				section->hour_count > coarsest)
				coarsest = section->hour_count;
		}
		for (uint32_t i = 0; r == 0 && i < head->section_count; i++) {
			const struct segment_section *section = &head->sections[i];

			if (section->kind == SEGMENT_SECTION_SUMS &&
				section->hour_count == coarsest && plan->visit->answer == 0)
				r = answer_by_sums(plan, i);
		}
		below = coarsest;
	}
	return r;
}

/* What of the chunk's time is to be answered by its rows: at most its own hour and the one behind. */
static uint32_t ranges_of(const struct segment_plan *plan, const struct segment_section *section,
	struct segment_range *ret_ranges)
{
	const struct segment_request *request = plan->visit->request;
	uint32_t count = 0;

	for (uint64_t hour = section->hour; hour < section->hour + SEGMENT_RANGE_COUNT_MAX;
		hour++) {
		const struct segment_hour_plan *at = segment_plan_find(plan, hour);
		struct segment_range range = {hour * SEGMENT_HOUR_NS, (hour + 1) * SEGMENT_HOUR_NS};

		if (!at || at->hour != hour || at->state != SEGMENT_HOUR_ROWS)
			continue;
		range.from_ns = range.from_ns > request->from_ns ? range.from_ns : request->from_ns;
		range.until_ns =
			range.until_ns < request->until_ns ? range.until_ns : request->until_ns;
		if (range.from_ns < range.until_ns && range.from_ns < section->until_ns)
			ret_ranges[count++] = range;
	}
	return count;
}

/* With threads and CPUs, or as windows, all comes from rows. */
static uint32_t whole_range_of(const struct segment_plan *plan,
	const struct segment_section *section, struct segment_range *ret_ranges)
{
	const struct segment_request *request = plan->visit->request;

	ret_ranges[0] = (struct segment_range){request->from_ns, request->until_ns};
	return request->from_ns < section->until_ns &&
		request->until_ns > section->hour * SEGMENT_HOUR_NS;
}

static int visit_chunk(struct segment_plan *plan, uint32_t place)
{
	struct segment_visit *visit = plan->visit;
	const struct segment_section *section = &visit->group->head.sections[place];
	struct segment_range ranges[SEGMENT_RANGE_COUNT_MAX];
	bool summed = visit->request->detail >= SEGMENT_DETAIL_STACKS;
	uint32_t count =
		summed ? ranges_of(plan, section, ranges) : whole_range_of(plan, section, ranges);
	int r;

	if (count == 0)
		return 0;
	r = visit->request->detail == SEGMENT_DETAIL_SLOTS
		? segment_slots_visit(visit, place, &ranges[0])
		: segment_chunk_visit(visit, place, ranges, count);
	if (r < 0 && !segment_error_is_ours(r)) {
		visit->visited.damaged++;
		return 0;
	}
	return r;
}

static int visit_chunks(struct segment_plan *plan)
{
	const struct segment_head *head = &plan->visit->group->head;
	int r = 0;

	for (uint32_t i = 0; r == 0 && plan->visit->answer == 0 && i < head->section_count; i++) {
		if (head->sections[i].kind == SEGMENT_SECTION_ROWS)
			r = visit_chunk(plan, i);
	}
	return r;
}

static int visit_all(struct segment_visit *visit)
{
	struct segment_plan plan = {.visit = visit};
	int r = segment_piece_init(&plan.piece, visit);

	if (r == 0 && visit->request->detail >= SEGMENT_DETAIL_STACKS)
		r = plan_hours(&plan);
	if (r == 0 && visit->request->detail == SEGMENT_DETAIL_STACKS)
		r = visit_sums(&plan);
	if (r == 0 && visit->request->detail == SEGMENT_DETAIL_SERIES)
		r = segment_series_visit(&plan);
	if (r == 0)
		r = visit_chunks(&plan);
	segment_piece_done(&plan.piece);
	free(plan.hours);
	return r;
}

int segment_group_visit(const struct segment_group *group, const struct segment_request *request,
	segment_piece_fn visit, void *context, struct segment_visited *ret_visited)
{
	struct segment_visit work;
	int r;

	must(group->depth == SEGMENT_STACKS || request->detail == SEGMENT_DETAIL_SERIES);
	r = segment_visit_init(&work, group, request, visit, context);
	if (r < 0)
		return r;
	if (request->from_ns < request->until_ns)
		r = visit_all(&work);
	segment_visit_done(&work);
	*ret_visited = work.visited;
	return r < 0 ? r : work.answer;
}
