/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First everything that the rows of the part need is marked, from rows down to texts; then each
 * table numbers what is marked, in canonical order, from 0 or, where entry 0 is implied, from 1.
 */
#include "proto/wire/body_selection.h"

#include <errno.h>

#define MARKED (UINT32_MAX - 1)

struct selector {
	const struct profile *profile;
	const struct canonical *canonical;
	const struct body_part *part;
	const struct profile_wire_limits *limits;
	struct arena *arena;
	struct body_selection made;
};

static int selection_make(struct selector *selector, uint32_t count, struct selection *selection)
{
	selection->numbers = arena_alloc(selector->arena, count * sizeof(*selection->numbers));
	if (!selection->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		selection->numbers[i] = BODY_UNSELECTED;
	return 0;
}

static int make_selections(struct selector *selector)
{
	const struct profile *profile = selector->profile;
	int r = selection_make(selector, profile->strings.count, &selector->made.texts);

	if (r == 0)
		r = selection_make(selector, profile->modules.count, &selector->made.modules);
	if (r == 0)
		r = selection_make(selector, profile->frames.count, &selector->made.frames);
	if (r == 0)
		r = selection_make(selector, profile->stacks.count, &selector->made.nodes);
	if (r == 0)
		r = selection_make(selector, profile->labels.count, &selector->made.label_sets);
	if (r == 0)
		r = selection_make(selector, profile->threads.count, &selector->made.threads);
	return r;
}

static void mark(struct selection *selection, uint32_t index)
{
	selection->numbers[index] = MARKED;
}

static bool is_marked(const struct selection *selection, uint32_t index)
{
	return selection->numbers[index] != BODY_UNSELECTED;
}

static void mark_rows(struct selector *selector)
{
	const struct stack_node *nodes = selector->profile->stacks.nodes;

	for (size_t i = 0; i < selector->part->count; i++) {
		const struct canonical_row *at =
			&selector->canonical->rows[selector->part->first + i];
		const struct sample_table *table = &selector->profile->types[at->type];
		const struct sample_row *row = &table->rows[at->row];

		mark(&selector->made.threads, row->thread);
		mark(&selector->made.texts, table->type);
		selector->made.sample_count += row->count;
		for (uint32_t node = row->stack;
			node != STACK_EMPTY && !is_marked(&selector->made.nodes, node);
			node = nodes[node].parent)
			mark(&selector->made.nodes, node);
	}
}

static void mark_stacks(struct selector *selector)
{
	const struct profile *profile = selector->profile;

	for (uint32_t i = 1; i < profile->stacks.count; i++) {
		if (is_marked(&selector->made.nodes, i))
			mark(&selector->made.frames, profile->stacks.nodes[i].frame);
	}
	for (uint32_t i = 0; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.frames[i];

		if (!is_marked(&selector->made.frames, i))
			continue;
		mark(&selector->made.modules, frame->module);
		if (frame->flags & FRAME_NAMED)
			mark(&selector->made.texts, (uint32_t)frame->address);
	}
	for (uint32_t i = 0; i < profile->modules.count; i++) {
		if (is_marked(&selector->made.modules, i))
			mark(&selector->made.texts, profile->modules.modules[i].name);
	}
}

static void mark_threads(struct selector *selector)
{
	const struct profile *profile = selector->profile;

	for (uint32_t i = 0; i < profile->threads.count; i++) {
		if (!is_marked(&selector->made.threads, i))
			continue;
		mark(&selector->made.texts, profile->threads.threads[i].name);
		mark(&selector->made.label_sets, profile->threads.threads[i].labels);
	}
	for (uint32_t i = 0; i < profile->labels.count; i++) {
		const struct label_set *set = &profile->labels.sets[i];

		if (!is_marked(&selector->made.label_sets, i))
			continue;
		for (uint32_t j = 0; j < set->count; j++) {
			mark(&selector->made.texts, profile->labels.labels[set->first + j].key);
			mark(&selector->made.texts, profile->labels.labels[set->first + j].value);
		}
	}
}

static void mark_head(struct selector *selector)
{
	const struct profile *profile = selector->profile;
	const struct profile_head *head = &profile->head;

#define MARK_TEXT(name) mark(&selector->made.texts, head->name);
	PROFILE_HEAD_TEXTS(MARK_TEXT)
#undef MARK_TEXT
	for (uint32_t i = 0; selector->part->leads && i < profile->counter_count; i++)
		mark(&selector->made.texts, profile->counters[i].name);
	for (uint32_t i = 0; selector->part->leads && i < profile->feature_count; i++) {
		mark(&selector->made.texts, profile->features[i].name);
		mark(&selector->made.texts, profile->features[i].reason);
		mark(&selector->made.texts, profile->features[i].remedy);
	}
	for (uint32_t i = 0; selector->part->leads && i < profile->type_count; i++)
		mark(&selector->made.texts, profile->types[i].type);
}

/* Numbers what is marked in the given ORDER. With IMPLIED, entry 0 has number 0 and is not sent. */
static void number(struct selection *selection, const uint32_t *order, uint32_t count, bool implied)
{
	uint32_t next = implied ? 1 : 0;

	if (implied)
		selection->numbers[0] = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (selection->numbers[order[i]] == MARKED)
			selection->numbers[order[i]] = next++;
	}
	selection->count = next - (implied ? 1 : 0);
}

static int number_all(struct selector *selector)
{
	const struct profile *profile = selector->profile;
	const struct canonical *canonical = selector->canonical;
	const struct profile_wire_limits *limits = selector->limits;

	number(&selector->made.texts, canonical->texts, profile->strings.count, true);
	number(&selector->made.modules, canonical->modules, profile->modules.count, true);
	number(&selector->made.frames, canonical->frames, profile->frames.count, false);
	number(&selector->made.nodes, canonical->nodes, profile->stacks.count - 1, true);
	number(&selector->made.label_sets, canonical->label_sets, profile->labels.count, true);
	number(&selector->made.threads, canonical->threads, profile->threads.count, false);
	if (selector->made.texts.count > limits->text_count_max ||
		selector->made.modules.count > limits->module_count_max ||
		selector->made.frames.count > limits->frame_count_max ||
		selector->made.nodes.count > limits->node_count_max ||
		selector->made.threads.count > limits->thread_count_max ||
		selector->part->count > limits->row_count_max)
		return -E2BIG;
	return 0;
}

int body_select(const struct profile *profile, const struct canonical *canonical,
	const struct body_part *part, const struct profile_wire_limits *limits, struct arena *arena,
	struct body_selection *ret_selection)
{
	struct selector selector = {
		.profile = profile,
		.canonical = canonical,
		.part = part,
		.limits = limits,
		.arena = arena,
	};
	int r = make_selections(&selector);

	if (r < 0)
		return r;
	mark_rows(&selector);
	mark_threads(&selector);
	mark_stacks(&selector);
	mark_head(&selector);
	r = number_all(&selector);
	if (r < 0)
		return r;
	*ret_selection = selector.made;
	return 0;
}
