/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables refer to each other by index, so they are put in order from the bottom up, each by the
 * ranks of what it refers to:
 *
 *   texts -> modules -> frames -> nodes -+-> rows
 *         -> label sets -> threads ------+
 *         -> types, counters, features
 *
 * An entry is reduced to a key of a few integers before sorting; equal keys do not occur in a table
 * that holds each entry once.
 */
#include "proto/wire/canonical.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEY_WORDS 3

struct key {
	uint64_t words[KEY_WORDS];
	uint32_t index;
};

static int key_compare(const void *left, const void *right)
{
	const struct key *one = left, *other = right;

	for (int i = 0; i < KEY_WORDS; i++) {
		if (one->words[i] != other->words[i])
			return one->words[i] < other->words[i] ? -1 : 1;
	}
	return one->index < other->index ? -1 : one->index > other->index;
}

static void *alloc_array(struct arena *arena, size_t count, size_t element_bytes)
{
	if (count > SIZE_MAX / element_bytes)
		return NULL;
	return arena_alloc(arena, count * element_bytes);
}

static uint32_t *alloc_indices(struct arena *arena, size_t count)
{
	return alloc_array(arena, count, sizeof(uint32_t));
}

/* Sorts COUNT keys whose words stand filled in, and gives the order of their indices. */
static int sort_keys(struct arena *arena, struct key *keys, uint32_t count, uint32_t **ret_order)
{
	uint32_t *order = alloc_indices(arena, count);

	if (!order)
		return -ENOMEM;
	if (count > 0)
		qsort(keys, count, sizeof(*keys), key_compare);
	for (uint32_t i = 0; i < count; i++)
		order[i] = keys[i].index;
	*ret_order = order;
	return 0;
}

/* The way back: which rank an index has. */
static int invert(struct arena *arena, const uint32_t *order, uint32_t count, uint32_t **ret_ranks)
{
	uint32_t *ranks = alloc_indices(arena, count);

	if (!ranks)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ranks[order[i]] = i;
	*ret_ranks = ranks;
	return 0;
}

struct text_order {
	const struct string_table *texts;
};

static int text_compare(const void *left, const void *right, void *context)
{
	const struct string_table *texts = ((const struct text_order *)context)->texts;
	uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
	size_t one_length = string_table_length(texts, one);
	size_t other_length = string_table_length(texts, other);
	size_t length = one_length < other_length ? one_length : other_length;
	int r = memcmp(string_table_text(texts, one), string_table_text(texts, other), length);

	if (r != 0)
		return r;
	return one_length < other_length ? -1 : one_length > other_length;
}

static int order_texts(const struct string_table *texts, struct arena *arena, uint32_t **ret_order)
{
	struct text_order by_bytes = {texts};
	uint32_t *order = alloc_indices(arena, texts->count);

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < texts->count; i++)
		order[i] = i;
	qsort_r(order, texts->count, sizeof(*order), text_compare, &by_bytes);
	*ret_order = order;
	return 0;
}

struct module_key {
	const struct module *module;
	uint32_t name_rank;
	uint32_t index;
};

static int module_compare(const void *left, const void *right)
{
	const struct module_key *one = left, *other = right;

	/* Module 0 ("none") stays in front whatever its neighbours are called. */
	if ((one->index == 0) != (other->index == 0))
		return one->index == 0 ? -1 : 1;
	if (one->name_rank != other->name_rank)
		return one->name_rank < other->name_rank ? -1 : 1;
	return build_id_compare(&one->module->build_id, &other->module->build_id);
}

static int order_modules(const struct module_table *modules, const uint32_t *text_ranks,
	struct arena *arena, uint32_t **ret_order)
{
	struct module_key *keys = alloc_array(arena, modules->count, sizeof(*keys));
	uint32_t *order = alloc_indices(arena, modules->count);

	if (!keys || !order)
		return -ENOMEM;
	for (uint32_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->modules[i];

		keys[i] = (struct module_key){module, text_ranks[module->name], i};
	}
	qsort(keys, modules->count, sizeof(*keys), module_compare);
	for (uint32_t i = 0; i < modules->count; i++)
		order[i] = keys[i].index;
	*ret_order = order;
	return 0;
}

static int order_frames(const struct frame_table *frames, const uint32_t *module_ranks,
	const uint32_t *text_ranks, struct arena *arena, uint32_t **ret_order)
{
	struct key *keys = alloc_array(arena, frames->count, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->count; i++) {
		const struct frame *frame = &frames->frames[i];

		keys[i].words[0] = module_ranks[frame->module];
		keys[i].words[1] = (uint64_t)frame->kind << 8 | frame->flags;
		keys[i].words[2] =
			frame->flags & FRAME_NAMED ? text_ranks[frame->address] : frame->address;
		keys[i].index = i;
	}
	return sort_keys(arena, keys, frames->count, ret_order);
}

/* Children of a node are linked in the order of their frames; then the tree is read in pre-order,
 * climbing by the parents, so that no depth needs a stack. */
static int order_nodes(const struct stack_table *stacks, const uint32_t *frame_ranks,
	struct arena *arena, uint32_t **ret_order)
{
	uint32_t count = stacks->count, used = 0, at = STACK_EMPTY;
	struct key *keys = alloc_array(arena, count, sizeof(*keys));
	uint32_t *first = alloc_indices(arena, count), *next = alloc_indices(arena, count);
	uint32_t *order = alloc_indices(arena, count);

	if (!keys || !first || !next || !order)
		return -ENOMEM;
	first[STACK_EMPTY] = next[STACK_EMPTY] = STACK_EMPTY;
	for (uint32_t i = 1; i < count; i++) {
		keys[i] = (struct key){{frame_ranks[stacks->nodes[i].frame]}, i};
		first[i] = next[i] = STACK_EMPTY;
	}
	qsort(keys + 1, count - 1, sizeof(*keys), key_compare);
	for (uint32_t i = count - 1; i > 0; i--) {
		uint32_t child = keys[i].index, parent = stacks->nodes[child].parent;

		next[child] = first[parent];
		first[parent] = child;
	}
	for (;;) {
		if (first[at] != STACK_EMPTY) {
			at = first[at];
		} else {
			while (at != STACK_EMPTY && next[at] == STACK_EMPTY)
				at = stacks->nodes[at].parent;
			if (at == STACK_EMPTY)
				break;
			at = next[at];
		}
		order[used++] = at;
	}
	*ret_order = order;
	return 0;
}

struct set_key {
	const uint32_t *text_ranks;
	const struct label *labels;
	uint32_t count;
	uint32_t index;
};

static int set_compare(const void *left, const void *right)
{
	const struct set_key *one = left, *other = right;

	for (uint32_t i = 0; i < one->count && i < other->count; i++) {
		uint32_t one_key = one->text_ranks[one->labels[i].key];
		uint32_t other_key = other->text_ranks[other->labels[i].key];
		uint32_t one_value = one->text_ranks[one->labels[i].value];
		uint32_t other_value = other->text_ranks[other->labels[i].value];

		if (one_key != other_key)
			return one_key < other_key ? -1 : 1;
		if (one_value != other_value)
			return one_value < other_value ? -1 : 1;
	}
	return one->count < other->count ? -1 : one->count > other->count;
}

static int order_label_sets(const struct label_table *labels, const uint32_t *text_ranks,
	struct arena *arena, uint32_t **ret_order)
{
	struct set_key *keys = alloc_array(arena, labels->count, sizeof(*keys));
	uint32_t *order = alloc_indices(arena, labels->count);

	if (!keys || !order)
		return -ENOMEM;
	for (uint32_t i = 0; i < labels->count; i++) {
		const struct label_set *set = &labels->sets[i];

		keys[i] = (struct set_key){text_ranks,
			set->count > 0 ? &labels->labels[set->first] : NULL, set->count, i};
	}
	qsort(keys, labels->count, sizeof(*keys), set_compare);
	for (uint32_t i = 0; i < labels->count; i++)
		order[i] = keys[i].index;
	*ret_order = order;
	return 0;
}

static int order_threads(const struct thread_table *threads, const uint32_t *set_ranks,
	const uint32_t *text_ranks, struct arena *arena, uint32_t **ret_order)
{
	struct key *keys = alloc_array(arena, threads->count, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < threads->count; i++) {
		const struct thread *thread = &threads->threads[i];

		keys[i].words[0] = (uint64_t)thread->pid << 32 | thread->tid;
		keys[i].words[1] = text_ranks[thread->name];
		keys[i].words[2] = set_ranks[thread->labels];
		keys[i].index = i;
	}
	return sort_keys(arena, keys, threads->count, ret_order);
}

static int order_head_tables(const struct profile *profile, const uint32_t *text_ranks,
	struct arena *arena, struct canonical *canonical)
{
	struct key *cpus = alloc_array(arena, profile->cpu_count, sizeof(*cpus));
	struct key *counters = alloc_array(arena, profile->counter_count, sizeof(*counters));
	struct key *features = alloc_array(arena, profile->feature_count, sizeof(*features));
	struct key *types = alloc_array(arena, profile->type_count, sizeof(*types));
	int r;

	if (!cpus || !counters || !features || !types)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		const struct profile_cpu *cpu = &profile->cpus[i];

		cpus[i] = (struct key){{cpu->cpu, cpu->busy_ns, cpu->idle_ns}, i};
	}
	for (uint32_t i = 0; i < profile->counter_count; i++) {
		const struct profile_counter *counter = &profile->counters[i];

		counters[i] = (struct key){{text_ranks[counter->name], counter->value}, i};
	}
	for (uint32_t i = 0; i < profile->feature_count; i++) {
		const struct profile_feature *feature = &profile->features[i];

		features[i] = (struct key){
			{text_ranks[feature->name], feature->state, text_ranks[feature->reason]},
			i};
	}
	for (uint32_t i = 0; i < profile->type_count; i++)
		types[i] = (struct key){{text_ranks[profile->types[i].type]}, i};
	r = sort_keys(arena, cpus, profile->cpu_count, &canonical->cpus);
	if (r == 0)
		r = sort_keys(arena, counters, profile->counter_count, &canonical->counters);
	if (r == 0)
		r = sort_keys(arena, features, profile->feature_count, &canonical->features);
	if (r == 0)
		r = sort_keys(arena, types, profile->type_count, &canonical->types);
	return r;
}

/* NODE_RANKS: 0 for the empty stack, then pre-order. */
static int order_rows(const struct profile *profile, const uint32_t *node_ranks,
	const uint32_t *thread_ranks, struct arena *arena, struct canonical *canonical)
{
	size_t used = 0;

	canonical->row_count = 0;
	for (uint32_t i = 0; i < profile->type_count; i++)
		canonical->row_count += profile->types[i].row_count;
	canonical->rows = alloc_array(arena, canonical->row_count, sizeof(*canonical->rows));
	if (!canonical->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		uint32_t type = canonical->types[i];
		const struct sample_table *table = &profile->types[type];
		struct key *keys = alloc_array(arena, table->row_count, sizeof(*keys));

		if (!keys)
			return -ENOMEM;
		for (uint32_t j = 0; j < table->row_count; j++) {
			const struct sample_row *row = &table->rows[j];

			keys[j] = (struct key){
				{node_ranks[row->stack], thread_ranks[row->thread], row->cpu}, j};
		}
		if (table->row_count > 0)
			qsort(keys, table->row_count, sizeof(*keys), key_compare);
		for (uint32_t j = 0; j < table->row_count; j++)
			canonical->rows[used++] = (struct canonical_row){type, keys[j].index};
	}
	return 0;
}

/* Orders stacks and threads, then the rows that join them. */
static int order_samples(const struct profile *profile, const uint32_t *frame_ranks,
	const uint32_t *set_ranks, const uint32_t *text_ranks, struct arena *arena,
	struct canonical *canonical)
{
	uint32_t *node_ranks = alloc_indices(arena, profile->stacks.count);
	uint32_t *thread_ranks;
	int r;

	if (!node_ranks)
		return -ENOMEM;
	r = order_nodes(&profile->stacks, frame_ranks, arena, &canonical->nodes);
	if (r < 0)
		return r;
	node_ranks[STACK_EMPTY] = 0;
	for (uint32_t i = 1; i < profile->stacks.count; i++)
		node_ranks[canonical->nodes[i - 1]] = i;
	r = order_threads(&profile->threads, set_ranks, text_ranks, arena, &canonical->threads);
	if (r < 0)
		return r;
	r = invert(arena, canonical->threads, profile->threads.count, &thread_ranks);
	if (r < 0)
		return r;
	return order_rows(profile, node_ranks, thread_ranks, arena, canonical);
}

int canonical_make(
	const struct profile *profile, struct arena *arena, struct canonical *ret_canonical)
{
	struct canonical made = {0};
	uint32_t *text_ranks, *module_ranks, *frame_ranks, *set_ranks;
	int r = order_texts(&profile->strings, arena, &made.texts);

	if (r == 0)
		r = invert(arena, made.texts, profile->strings.count, &text_ranks);
	if (r == 0)
		r = order_modules(&profile->modules, text_ranks, arena, &made.modules);
	if (r == 0)
		r = invert(arena, made.modules, profile->modules.count, &module_ranks);
	if (r == 0)
		r = order_frames(&profile->frames, module_ranks, text_ranks, arena, &made.frames);
	if (r == 0)
		r = invert(arena, made.frames, profile->frames.count, &frame_ranks);
	if (r == 0)
		r = order_label_sets(&profile->labels, text_ranks, arena, &made.label_sets);
	if (r == 0)
		r = invert(arena, made.label_sets, profile->labels.count, &set_ranks);
	if (r == 0)
		r = order_head_tables(profile, text_ranks, arena, &made);
	if (r == 0)
		r = order_samples(profile, frame_ranks, set_ranks, text_ranks, arena, &made);
	if (r < 0)
		return r;
	*ret_canonical = made;
	return 0;
}
