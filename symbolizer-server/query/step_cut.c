/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/step_cut.h"

#include <errno.h>
#include <stdlib.h>

void step_cut_init(struct step_cut *cut, const struct time_steps *steps, struct time_range range)
{
	*cut = (struct step_cut){.steps = *steps, .range = range};
}

void step_cut_done(struct step_cut *cut)
{
	free(cut->bounds);
	*cut = (struct step_cut){0};
}

static int reserve(struct step_cut *cut, uint32_t count)
{
	uint32_t *bounds;

	if (count <= cut->capacity)
		return 0;
	bounds = reallocarray(cut->bounds, count, sizeof(*bounds));
	if (!bounds)
		return -ENOMEM;
	cut->bounds = bounds;
	cut->capacity = count;
	return 0;
}

static uint64_t clip(struct time_range range, uint64_t at_ns)
{
	if (at_ns < range.from_ns)
		return range.from_ns;
	return at_ns > range.until_ns ? range.until_ns : at_ns;
}

int step_cut_open(struct step_cut *cut, const struct profile *profile)
{
	uint64_t start_ns = profile_window_epoch_ns(profile);
	uint32_t slot_count = profile_slot_count(profile);
	/* Slots start on a grid that is rounded: some may start behind the end of the window. */
	uint64_t until_ns = start_ns + (uint64_t)slot_count * PROFILE_SLOT_NS;
	uint32_t end;
	int r;

	time_steps_reach(&cut->steps, start_ns, until_ns, &cut->first, &end);
	cut->count = end - cut->first;
	cut->slot_count = slot_count;
	r = reserve(cut, cut->count + 1);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i <= cut->count; i++) {
		uint64_t at_ns =
			cut->steps.start_ns + (cut->first + (uint64_t)i) * cut->steps.step_ns;

		cut->bounds[i] =
			sample_range_slots_before(start_ns, slot_count, clip(cut->range, at_ns));
	}
	return 0;
}

static void add_part(const struct step_cut *cut, uint32_t at, struct sample_part part,
	step_cut_fn add, void *context)
{
	if (part.count != 0 || part.value != 0)
		add(context, cut->first + at, part);
}

/* The step from FIRST on in which SLOT lies, or the count: bounds rise. */
static uint32_t step_of(const struct step_cut *cut, uint32_t first, uint32_t slot)
{
	uint32_t low = first, high = cut->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (cut->bounds[middle + 1] <= slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* From one slot to the next; a row has few of them, and a window may have hundreds of steps. */
static void cut_slots(const struct step_cut *cut, const struct sample_row *row,
	const uint32_t *slots, step_cut_fn add, void *context)
{
	uint32_t before = 0, step = 0;
	int64_t given;

	while (before < row->count && slots[before] < cut->bounds[0])
		before++;
	given = sample_range_share(row->value, before, row->count);
	while (before < row->count && (step = step_of(cut, step, slots[before])) < cut->count) {
		uint32_t until = before;
		int64_t reached;

		while (until < row->count && slots[until] < cut->bounds[step + 1])
			until++;
		reached = sample_range_share(row->value, until, row->count);
		add_part(cut, step, (struct sample_part){until - before, reached - given}, add,
			context);
		before = until;
		given = reached;
	}
}

static void cut_evenly(const struct step_cut *cut, struct sample_part whole, uint32_t slot_first,
	uint32_t slot_count, step_cut_fn add, void *context)
{
	for (uint32_t i = 0; i < cut->count; i++) {
		uint64_t from = cut->bounds[i] - slot_first,
			 until = cut->bounds[i + 1] - slot_first;
		struct sample_part part = {
			.count = (uint64_t)(sample_range_share(
						    (int64_t)whole.count, until, slot_count) -
				sample_range_share((int64_t)whole.count, from, slot_count)),
			.value = sample_range_share(whole.value, until, slot_count) -
				sample_range_share(whole.value, from, slot_count),
		};

		add_part(cut, i, part, add, context);
	}
}

void step_cut_row(const struct step_cut *cut, const struct sample_table *table,
	const struct sample_row *row, step_cut_fn add, void *context)
{
	struct sample_part whole = {row->count, row->value};

	if (cut->count == 0)
		return;
	if (cut->count == 1 && cut->bounds[0] == 0 && cut->bounds[1] == cut->slot_count)
		add_part(cut, 0, whole, add, context);
	else if (!table->has_slots)
		cut_evenly(cut, whole, 0, cut->slot_count, add, context);
	else if (row->count > 0)
		cut_slots(cut, row, sample_table_slots(table, row), add, context);
}

void step_cut_spread(
	const struct step_cut *cut, struct sample_part part, step_cut_fn add, void *context)
{
	uint32_t slots = cut->count > 0 ? cut->bounds[cut->count] - cut->bounds[0] : 0;

	if (slots > 0)
		cut_evenly(cut, part, cut->bounds[0], slots, add, context);
}
