/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"

/* Room for groups grows from here. */
#define CAPACITY_FIRST 16u

static size_t group_width(const struct series *series)
{
	return (size_t)series->plane_count * series->cut.steps.count;
}

static uint32_t group_count_max(uint32_t plane_count, uint32_t step_count)
{
	uint32_t count = SERIES_SUM_COUNT_MAX / (plane_count * (step_count > 0 ? step_count : 1));

	if (count > LABEL_GROUPS_COUNT_MAX)
		return LABEL_GROUPS_COUNT_MAX;
	return count > 0 ? count : 1;
}

int series_init(struct series *series, const struct series_question *question)
{
	int r;

	*series = (struct series){.match = question->match};
	series->plane_count = question->match ? SERIES_PLANE_COUNT : 1;
	row_filter_init(&series->filter, question->selector, question->range);
	step_cut_init(&series->cut, &question->steps, question->range);
	series->rest_sums = calloc(group_width(series) + 1, sizeof(*series->rest_sums));
	r = label_groups_init(&series->groups, &question->by,
		group_count_max(series->plane_count, question->steps.count));
	if (r == 0 && !series->rest_sums)
		r = -ENOMEM;
	if (r < 0)
		series_done(series);
	return r;
}

void series_done(struct series *series)
{
	row_filter_done(&series->filter);
	step_cut_done(&series->cut);
	label_groups_done(&series->groups);
	free(series->totals);
	free(series->sums);
	free(series->rest_sums);
	*series = (struct series){0};
}

/* Every group that is known has its sums. */
static int grow(struct series *series)
{
	uint32_t capacity = series->capacity;
	size_t width = group_width(series);
	struct series_group *totals;
	int64_t *sums;

	if (series->groups.count <= capacity)
		return 0;
	while (capacity < series->groups.count)
		capacity = capacity > 0 ? capacity * 2 : CAPACITY_FIRST;
	totals = reallocarray(series->totals, capacity, sizeof(*totals));
	if (!totals)
		return -ENOMEM;
	series->totals = totals;
	/* One more than needed, so that a range without steps is no special case. */
	sums = reallocarray(series->sums, capacity * width + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	series->sums = sums;
	memset(totals + series->capacity, 0, (capacity - series->capacity) * sizeof(*totals));
	memset(sums + series->capacity * width, 0,
		(capacity - series->capacity) * width * sizeof(*sums));
	series->capacity = capacity;
	return 0;
}

static int64_t *sums_of(const struct series *series, uint32_t group)
{
	return group == LABEL_GROUPS_REST ? series->rest_sums
					  : series->sums + group * group_width(series);
}

struct sink {
	struct series *series;
	struct series_group *totals;
	int64_t *sums; /* of the group */
	uint8_t flags; /* of the stack */
};

static void add_sum(struct series *series, int64_t *sum, int64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		series->overflow = true;
}

static void add_part(void *context, uint32_t step, struct sample_part part)
{
	struct sink *sink = context;
	struct series *series = sink->series;
	uint32_t step_count = series->cut.steps.count;

	/* No sum of one step can overflow if that of all does not. */
	add_sum(series, &series->total, part.value);
	if (series->overflow)
		return;
	series->sample_count += part.count;
	sink->totals->total += part.value;
	sink->totals->sample_count += part.count;
	sink->sums[step] += part.value;
	if (sink->flags & FUNCTION_MATCH_SELF)
		sink->sums[SERIES_SELF * step_count + step] += part.value;
	if (sink->flags & FUNCTION_MATCH_IN)
		sink->sums[SERIES_IN * step_count + step] += part.value;
}

static int add_row(
	struct series *series, const struct sample_table *table, const struct sample_row *row)
{
	struct sink sink = {.series = series};
	uint32_t group;
	bool accepted;
	int r = row_filter_accepts(&series->filter, row, &accepted);

	if (r < 0 || !accepted || row->value < 0)
		return r;
	if (series->match) {
		sink.flags = series->match->stacks[row->stack];
		if (sink.flags & FUNCTION_MATCH_LATER)
			return 0;
	}
	r = label_groups_find(&series->groups, row, &group);
	if (r == 0)
		r = grow(series);
	if (r < 0)
		return r;
	sink.sums = sums_of(series, group);
	sink.totals = group == LABEL_GROUPS_REST ? &series->rest : &series->totals[group];
	step_cut_row(&series->cut, table, row, add_part, &sink);
	return series->overflow ? -EOVERFLOW : 0;
}

static int open_profile(struct series *series, const struct profile *profile)
{
	int r = row_filter_open(&series->filter, profile);

	if (r == 0)
		r = step_cut_open(&series->cut, profile);
	if (r == 0)
		r = label_groups_open(&series->groups, profile);
	if (r == 0 && series->match)
		r = function_match_open(series->match, profile);
	return r;
}

int series_add(struct series *series, const struct profile *profile)
{
	int r = open_profile(series, profile);

	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		bool takes = false;

		r = row_filter_takes_type(&series->filter, table, &takes);
		for (uint32_t row = 0; r == 0 && takes && row < table->row_count; row++)
			r = add_row(series, table, &table->rows[row]);
	}
	return r;
}

const int64_t *series_sums(const struct series *series, uint32_t group, enum series_plane plane)
{
	must((uint32_t)plane < series->plane_count);
	return sums_of(series, group) + (size_t)plane * series->cut.steps.count;
}

static int order_texts(const struct series *series, uint32_t one, uint32_t other)
{
	for (uint32_t i = 0; i < series->groups.names.count; i++) {
		size_t a_length, b_length, shorter;
		const char *a = label_groups_text(&series->groups, one, i, &a_length);
		const char *b = label_groups_text(&series->groups, other, i, &b_length);
		int order;

		shorter = a_length < b_length ? a_length : b_length;
		order = memcmp(a, b, shorter);
		if (order != 0 || a_length != b_length)
			return order != 0 ? order : (a_length < b_length ? -1 : 1);
	}
	return 0;
}

static int order_groups(const void *one, const void *other, void *context)
{
	const struct series *series = context;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	int64_t a_total = series->totals[a].total, b_total = series->totals[b].total;

	if (a_total != b_total)
		return a_total > b_total ? -1 : 1;
	return order_texts(series, a, b);
}

static void add_to_rest(struct series *series, uint32_t group)
{
	const int64_t *sums = sums_of(series, group);

	series->rest.total += series->totals[group].total;
	series->rest.sample_count += series->totals[group].sample_count;
	for (size_t i = 0; i < group_width(series); i++)
		series->rest_sums[i] += sums[i];
}

/* Groups of which the range has a part: a window at its edge may have named others. */
static uint32_t list_groups(const struct series *series, uint32_t *order)
{
	uint32_t listed = 0;

	for (uint32_t i = 0; i < series->groups.count; i++) {
		if (i < series->capacity &&
			(series->totals[i].sample_count > 0 || series->totals[i].total > 0))
			order[listed++] = i;
	}
	return listed;
}

int series_rank(struct series *series, uint32_t count, uint32_t **ret_order, uint32_t *ret_count)
{
	uint32_t *order = malloc(((size_t)series->groups.count + 1) * sizeof(*order));
	uint32_t listed;

	if (!order)
		return -ENOMEM;
	listed = list_groups(series, order);
	qsort_r(order, listed, sizeof(*order), order_groups, series);
	for (uint32_t i = count; i < listed; i++)
		add_to_rest(series, order[i]);
	*ret_order = order;
	*ret_count = listed;
	return 0;
}
