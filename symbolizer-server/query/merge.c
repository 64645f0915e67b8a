/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile is merged in three passes over its stacks, none of which follows a stack to its root:
 *
 *   1. rows:      what the query takes of each row is added to the leaf of its stack
 *   2. backwards: a node is wanted if it or one of its children is (parents come before children)
 *   3. forwards:  each wanted node finds or makes its node in the tree, below its parent's, unless
 *                 it is known from an earlier profile of the same dictionary
 *
 * so the cost is O(rows + nodes), however deep the stacks are.
 *
 * Dictionaries of one service are much alike, file after file, and each is in order: first its frames
 * and then its nodes are looked for behind those found last, which memory gives as fast as it can.
 */
#include "symbolizer-server/query/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/query/root_labels.h"
#include "symbolizer-server/query/row_label.h"

#define NOT_MAPPED UINT32_MAX
/* Of frames, while those that are to be mapped are gathered. */
#define FRAME_WANTED (UINT32_MAX - 1)

/* What a stack node of the profile being merged has. */
struct merge_leaf {
	int64_t value;
	bool wanted;
};

int merge_init(struct merge *merge, const struct selector *selector, struct time_range range)
{
	int r;

	*merge = (struct merge){0};
	row_filter_init(&merge->filter, selector, range);
	r = string_table_init(&merge->strings);
	if (r == 0)
		r = module_table_init(&merge->modules);
	if (r == 0)
		r = frame_table_init(&merge->frames);
	if (r == 0)
		r = growing_tree_init(&merge->tree, 0);
	if (r < 0)
		merge_done(merge);
	return r;
}

void merge_keep_lanes(struct merge *merge, uint32_t lane_count)
{
	must(lane_count <= MERGE_LANE_COUNT_MAX && merge->tree.count == 1);
	merge->lane_count = lane_count;
}

void merge_keep_root(struct merge *merge, struct root_labels *root)
{
	must(merge->lane_count == 0 && merge->tree.count == 1);
	merge->root = root;
}

void merge_turn(struct merge *merge, const struct selector *selector, struct time_range range)
{
	row_filter_done(&merge->filter);
	row_filter_init(&merge->filter, selector, range);
	merge->period_known = false;
	merge->period = 0;
}

void merge_release(struct merge *merge)
{
	row_filter_done(&merge->filter);
	string_table_done(&merge->strings);
	module_table_done(&merge->modules);
	frame_table_done(&merge->frames);
	growing_tree_done(&merge->tree);
	free(merge->scratch.modules);
	free(merge->scratch.frames);
	free(merge->scratch.nodes);
	free(merge->scratch.stacks);
	free(merge->scratch.threads);
	free(merge->lanes);
	merge->lanes = NULL;
	merge->lane_capacity = 0;
	merge->scratch = (struct merge_scratch){0};
}

void merge_done(struct merge *merge)
{
	merge_release(merge);
	*merge = (struct merge){0};
}

/* Room for COUNT elements whose old values are of no use any more. */
static int reserve(void **array, uint32_t *capacity, uint32_t count, size_t element_bytes)
{
	if (count <= *capacity)
		return 0;
	free(*array);
	*capacity = 0;
	*array = malloc(count * element_bytes);
	if (!*array)
		return -ENOMEM;
	*capacity = count;
	return 0;
}

#define reserve_array(array, capacity, count)                                      \
	__extension__({                                                            \
		void *array_ = *(array);                                           \
		int r_ = reserve(&array_, (capacity), (count), sizeof(**(array))); \
		*(array) = array_;                                                 \
		r_;                                                                \
	})

/* What was found out about a dictionary holds for all profiles that share it. */
static int prepare_dictionary(struct merge_scratch *scratch, const struct profile *profile)
{
	int r;

	if (profile->dictionary != 0 && profile->dictionary == scratch->dictionary)
		return 0;
	scratch->dictionary = 0;
	r = reserve_array(&scratch->modules, &scratch->module_capacity, profile->modules.count);
	/* One more than needed, so that none is no special case. */
	if (r == 0)
		r = reserve_array(
			&scratch->frames, &scratch->frame_capacity, profile->frames.count + 1);
	if (r == 0)
		r = reserve_array(&scratch->nodes, &scratch->node_capacity, profile->stacks.count);
	if (r < 0)
		return r;
	memset(scratch->modules, 0xff, profile->modules.count * sizeof(*scratch->modules));
	memset(scratch->frames, 0xff, profile->frames.count * sizeof(*scratch->frames));
	memset(scratch->nodes, 0xff, profile->stacks.count * sizeof(*scratch->nodes));
	scratch->nodes[0] = GROWING_TREE_ROOT;
	scratch->frame_next = scratch->node_next = 0;
	scratch->dictionary = profile->dictionary;
	return 0;
}

static int prepare_scratch(struct merge *merge, const struct profile *profile)
{
	struct merge_scratch *scratch = &merge->scratch;
	int r = prepare_dictionary(scratch, profile);

	if (r == 0)
		r = reserve_array(
			&scratch->stacks, &scratch->stack_capacity, profile->stacks.count);
	if (r == 0)
		r = reserve_array(
			&scratch->threads, &scratch->thread_capacity, profile->threads.count + 1);
	if (r < 0)
		return r;
	memset(scratch->stacks, 0, profile->stacks.count * sizeof(*scratch->stacks));
	if (merge->hosts)
		memset(scratch->threads, 0, profile->threads.count);
	return 0;
}

int merge_open(struct merge *merge, const struct profile *profile)
{
	return prepare_dictionary(&merge->scratch, profile);
}

size_t merge_bytes(const struct merge *merge)
{
	return merge->tree.capacity * sizeof(*merge->tree.nodes) +
		child_map_bytes(&merge->tree.crowded) +
		(size_t)merge->lane_capacity * merge->lane_count * sizeof(*merge->lanes) +
		merge->frames.capacity * sizeof(*merge->frames.frames) +
		merge->scratch.stack_capacity * sizeof(*merge->scratch.stacks) +
		merge->scratch.node_capacity * sizeof(*merge->scratch.nodes) +
		merge->scratch.frame_capacity * sizeof(*merge->scratch.frames);
}

static int add_row(struct merge *merge, const struct sample_table *table,
	const struct sample_row *row, bool *ret_taken)
{
	struct merge_leaf *leaf = &merge->scratch.stacks[row->stack];
	struct sample_part part;
	int r = row_filter_part(&merge->filter, table, row, &part);

	if (r < 0)
		return r;
	if (part.count == 0 && part.value == 0)
		return 0;
	if (part.value < 0) {
		merge->negative_count++;
		return 0;
	}
	/* No node's total can overflow if the sum of all values does not. */
	if (__builtin_add_overflow(merge->total, part.value, &merge->total))
		return -EOVERFLOW;
	merge->sample_count += part.count;
	*ret_taken = true;
	if (merge->hosts)
		merge->scratch.threads[row->thread] = 1;
	if (merge->root)
		return root_labels_add(merge->root, row, part.value);
	leaf->value += part.value;
	leaf->wanted = true;
	return 0;
}

static int add_rows(struct merge *merge, const struct sample_table *table, bool *ret_taken)
{
	bool taken = false;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++)
		r = add_row(merge, table, &table->rows[i], &taken);
	if (r < 0 || !taken)
		return r;
	if (merge->period_known && merge->period != table->period)
		merge->period = 0;
	else
		merge->period = table->period;
	merge->period_known = true;
	*ret_taken = true;
	return 0;
}

static int map_string(
	struct merge *merge, const struct profile *profile, uint64_t string, uint32_t *ret_string)
{
	return string_table_add(&merge->strings,
		string_table_text(&profile->strings, (uint32_t)string),
		string_table_length(&profile->strings, (uint32_t)string), ret_string);
}

static int map_module(
	struct merge *merge, const struct profile *profile, uint32_t module, uint32_t *ret_module)
{
	uint32_t *mapped = &merge->scratch.modules[module];

	if (*mapped == NOT_MAPPED) {
		struct module copy = profile->modules.modules[module];
		int r = map_string(merge, profile, copy.name, &copy.name);

		if (r == 0)
			r = module_table_add(&merge->modules, &copy, mapped);
		if (r < 0)
			return r;
	}
	*ret_module = *mapped;
	return 0;
}

static int map_frame(struct merge *merge, const struct profile *profile, uint32_t frame)
{
	struct merge_scratch *scratch = &merge->scratch;
	struct frame copy = profile->frames.frames[frame];
	int r = map_module(merge, profile, copy.module, &copy.module);

	if (r == 0 && (copy.flags & FRAME_NAMED)) {
		uint32_t name;

		r = map_string(merge, profile, copy.address, &name);
		copy.address = r == 0 ? name : 0;
	}
	if (r == 0)
		r = frame_table_add_along(
			&merge->frames, &copy, &scratch->frame_next, &scratch->frames[frame]);
	return r;
}

int merge_map_frame(
	struct merge *merge, const struct profile *profile, uint32_t frame, uint32_t *ret_frame)
{
	uint32_t *mapped = &merge->scratch.frames[frame];
	int r = *mapped == NOT_MAPPED ? map_frame(merge, profile, frame) : 0;

	if (r == 0)
		*ret_frame = *mapped;
	return r;
}

/* Every node has its lanes. */
static int grow_lanes(struct merge *merge)
{
	uint32_t count = merge->tree.count, capacity = merge->tree.capacity;
	int64_t *lanes;

	if (count <= merge->lane_capacity || merge->lane_count == 0)
		return 0;
	lanes = reallocarray(merge->lanes, capacity, merge->lane_count * sizeof(*lanes));
	if (!lanes)
		return -ENOMEM;
	memset(lanes + (size_t)merge->lane_capacity * merge->lane_count, 0,
		(size_t)(capacity - merge->lane_capacity) * merge->lane_count * sizeof(*lanes));
	merge->lanes = lanes;
	merge->lane_capacity = capacity;
	return 0;
}

static void add_to_lane(struct merge *merge, const struct profile *profile)
{
	const struct merge_leaf *leaves = merge->scratch.stacks;
	const uint32_t *nodes = merge->scratch.nodes;

	if (merge->lane_count == 0)
		return;
	for (uint32_t i = 0; i < profile->stacks.count; i++) {
		if (leaves[i].value != 0)
			merge->lanes[(size_t)nodes[i] * merge->lane_count + merge->lane] +=
				leaves[i].value;
	}
}

/* Marks the nodes that are wanted and not known yet, and their frames; gives how many there are. Above
 * a node that is known all are. */
static uint32_t mark_unknown(struct merge *merge, const struct profile *profile)
{
	struct merge_leaf *leaves = merge->scratch.stacks;
	const struct stack_node *stacks = profile->stacks.nodes;
	const uint32_t *nodes = merge->scratch.nodes;
	uint32_t *frames = merge->scratch.frames;
	uint32_t count = 0;

	for (uint32_t i = profile->stacks.count - 1; i > 0; i--) {
		if (!leaves[i].wanted || nodes[i] != NOT_MAPPED)
			continue;
		leaves[stacks[i].parent].wanted = true;
		if (frames[stacks[i].frame] == NOT_MAPPED)
			frames[stacks[i].frame] = FRAME_WANTED;
		count++;
	}
	return count;
}

/* The marked frames first, in the order of the dictionary. */
static int find_nodes(struct merge *merge, const struct profile *profile)
{
	const struct merge_leaf *leaves = merge->scratch.stacks;
	const struct stack_node *stacks = profile->stacks.nodes;
	const uint32_t *frames = merge->scratch.frames;
	uint32_t *nodes = merge->scratch.nodes;
	int r = 0;

	if (mark_unknown(merge, profile) == 0)
		return 0;
	for (uint32_t i = 0; r == 0 && i < profile->frames.count; i++) {
		if (frames[i] == FRAME_WANTED)
			r = map_frame(merge, profile, i);
	}
	for (uint32_t i = 1; r == 0 && i < profile->stacks.count; i++) {
		if (leaves[i].wanted && nodes[i] == NOT_MAPPED)
			r = growing_tree_child_along(&merge->tree, nodes[stacks[i].parent],
				frames[stacks[i].frame], &merge->scratch.node_next, &nodes[i]);
	}
	return r;
}

static int add_stacks(struct merge *merge, const struct profile *profile)
{
	const struct merge_leaf *leaves = merge->scratch.stacks;
	int r = find_nodes(merge, profile);

	if (r == 0)
		r = grow_lanes(merge);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < profile->stacks.count; i++) {
		if (leaves[i].value != 0)
			merge->tree.nodes[merge->scratch.nodes[i]].self += leaves[i].value;
	}
	add_to_lane(merge, profile);
	return 0;
}

/* A block is of one host; a piece of what was compacted tells it in its labels. */
static int note_hosts(struct merge *merge, const struct profile *profile)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < profile->threads.count; i++) {
		char number[ROW_LABEL_NUMBER_BYTES];
		struct row_label_value host;

		if (!merge->scratch.threads[i])
			continue;
		host = row_label_of_thread(profile, i, "host", number);
		r = string_table_add(merge->hosts, host.text, host.length, &(uint32_t){0});
	}
	return r;
}

static int add_taken(struct merge *merge, const struct profile *profile)
{
	int r = merge->hosts ? note_hosts(merge, profile) : 0;

	if (r < 0)
		return r;
	return merge->root ? root_labels_merge(merge->root, merge, profile)
			   : add_stacks(merge, profile);
}

int merge_label_frame(struct merge *merge, const char *text, size_t length, uint32_t *ret_frame)
{
	struct frame frame = {.kind = MERGE_FRAME_LABEL, .flags = FRAME_NAMED};
	uint32_t string;
	int r = string_table_add(&merge->strings, text, length, &string);

	frame.address = string;
	return r < 0 ? r : frame_table_add(&merge->frames, &frame, ret_frame);
}

int merge_add(struct merge *merge, const struct profile *profile)
{
	bool taken = false;
	int r = row_filter_open(&merge->filter, profile);

	if (r == 0)
		r = prepare_scratch(merge, profile);
	if (r == 0 && merge->root)
		r = root_labels_open(merge->root, profile);
	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		bool takes = false;

		r = row_filter_takes_type(&merge->filter, table, &takes);
		if (r == 0 && takes)
			r = add_rows(merge, table, &taken);
	}
	if (r < 0 || !taken)
		return r;
	return add_taken(merge, profile);
}
