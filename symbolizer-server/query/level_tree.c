/* SPDX-License-Identifier: Apache-2.0 */
/*
 *            total                 places, level by level:   0      1  2     3  4  5
 *           /     \                                          total  a  b     c  d  e
 *          a       b
 *        / |       |               the children of a place are neighbours, so a place needs only
 *       c  d       e               the first of them and their number.
 *
 * First every node gets its place. If there are too many, places are taken by falling total, for
 * as long as they and the `(n small)` that stand for the rest fit: a parent is never smaller than
 * its child and comes before it, so the places taken are always one tree.
 */
#include "symbolizer-server/query/level_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A sort of places goes over them once for this many bits of their totals. */
#define DIGIT_BITS 11
#define DIGIT_COUNT (1u << DIGIT_BITS)
#define TOTAL_BITS 64
/* Sorting all names pays off from about here. */
#define NODES_A_RANKED_FUNCTION 16

struct place {
	uint32_t node; /* of the call tree */
	uint32_t parent; /* place */
	uint32_t child_first; /* place */
	uint32_t child_count;
	uint32_t subtree_count; /* nodes, itself included */
	uint32_t children_left; /* not taken yet */
	bool taken;
};

struct work {
	const struct call_tree *calls;
	enum level_tree_order order;
	const uint8_t
		*marks; /* of each node of the call tree: to be left out last; NULL: none is */
	uint32_t
		*child_first; /* of each node of the call tree, and one more: the end of the last */
	uint32_t *children; /* nodes of the call tree, grouped by parent */
	struct place *places;
	uint32_t *ranks; /* of each function by name; NULL: texts are compared */
	uint32_t *by_total; /* places, by falling total */
	uint32_t *origins; /* of each node of the result but the `(n small)`: its place */
};

static int order_siblings(const void *one, const void *other, void *context)
{
	const struct work *work = context;
	const struct call_tree *calls = work->calls;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	uint32_t a_function = calls->tree.nodes[a].what, b_function = calls->tree.nodes[b].what;

	if (work->order == LEVEL_TREE_BY_TOTAL && calls->totals[a] != calls->totals[b])
		return calls->totals[a] > calls->totals[b] ? -1 : 1;
	if (!work->ranks)
		return function_table_compare(calls->functions, a_function, b_function);
	return work->ranks[a_function] < work->ranks[b_function] ? -1 : 1;
}

static int order_functions(const void *one, const void *other, void *functions)
{
	return function_table_compare(functions, *(const uint32_t *)one, *(const uint32_t *)other);
}

/* Where few functions make many nodes, names are compared once a function, not once a pair of
 * siblings. */
static int rank_functions(struct work *work)
{
	struct function_table *functions = work->calls->functions;
	uint32_t count = functions->count;
	uint32_t *sorted;

	if (count > work->calls->tree.count / NODES_A_RANKED_FUNCTION)
		return 0;
	sorted = malloc(count * sizeof(*sorted));
	work->ranks = malloc(count * sizeof(*work->ranks));
	if (!sorted || !work->ranks) {
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), order_functions, functions);
	for (uint32_t i = 0; i < count; i++)
		work->ranks[sorted[i]] = i;
	free(sorted);
	return 0;
}

/* Groups the nodes by parent and sorts each group. */
static void group_children(struct work *work)
{
	const struct growing_node *nodes = work->calls->tree.nodes;
	uint32_t count = work->calls->tree.count;
	uint32_t *first = work->child_first;

	for (uint32_t i = 1; i < count; i++)
		first[nodes[i].parent + 1]++;
	for (uint32_t i = 0; i < count; i++)
		first[i + 1] += first[i];
	/* Filling moves each first to its end, which is the first of the next. */
	for (uint32_t i = count - 1; i > 0; i--)
		work->children[--first[nodes[i].parent + 1]] = i;
	for (uint32_t i = 0; i < count; i++)
		first[i] = first[i + 1];
	first[count] = count - 1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t child_count = first[i + 1] - first[i];

		if (child_count > 1)
			qsort_r(work->children + first[i], child_count, sizeof(uint32_t),
				order_siblings, work);
	}
}

static void place_nodes(struct work *work)
{
	uint32_t count = work->calls->tree.count, placed = 1;

	work->places[0] = (struct place){.node = 0};
	for (uint32_t i = 0; i < count; i++) {
		struct place *place = &work->places[i];
		const uint32_t *first = &work->child_first[place->node];

		place->child_first = placed;
		place->child_count = first[1] - first[0];
		place->children_left = place->child_count;
		place->subtree_count = 1;
		for (uint32_t j = first[0]; j < first[1]; j++)
			work->places[placed++] =
				(struct place){.node = work->children[j], .parent = i};
	}
	for (uint32_t i = count - 1; i > 0; i--)
		work->places[work->places[i].parent].subtree_count += work->places[i].subtree_count;
}

static int64_t place_total(const struct work *work, uint32_t place)
{
	return work->calls->totals[work->places[place].node];
}

/* One round of a radix sort: from FROM to TO by digit ROUND of what is missing to the largest
 * total, so that larger ones come first; equal ones stay in order. */
static void sort_by_digit(
	const struct work *work, const uint32_t *from, uint32_t *to, unsigned round)
{
	uint64_t largest = (uint64_t)work->calls->totals[0];
	uint32_t count = work->calls->tree.count, ends[DIGIT_COUNT + 1] = {0};

	for (uint32_t i = 0; i < count; i++) {
		ends[((largest - (uint64_t)place_total(work, from[i])) >> round * DIGIT_BITS) %
				DIGIT_COUNT +
			1]++;
	}
	for (uint32_t i = 0; i < DIGIT_COUNT; i++)
		ends[i + 1] += ends[i];
	for (uint32_t i = 0; i < count; i++)
		to[ends[((largest - (uint64_t)place_total(work, from[i])) >> round * DIGIT_BITS) %
			DIGIT_COUNT]++] = from[i];
}

/* Fills by_total. A hundred thousand places have few distinct totals and many digits in common, so
 * this takes a third of the time of a sort that compares. */
static int sort_places(struct work *work)
{
	uint32_t count = work->calls->tree.count;
	uint32_t *from = work->by_total, *to = malloc(count * sizeof(*to));

	if (!to)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		from[i] = i;
	for (unsigned i = 0; i * DIGIT_BITS < TOTAL_BITS &&
		(uint64_t)work->calls->totals[0] >> i * DIGIT_BITS > 0;
		i++) {
		uint32_t *sorted = to;

		sort_by_digit(work, from, to, i);
		to = from;
		from = sorted;
	}
	work->by_total = from;
	free(to);
	return 0;
}

/* Takes the places whose nodes have a mark, or those that have none, by falling total for as long as
 * the result has room; false: it has none. */
static bool take_places(struct work *work, uint32_t node_count_max, bool marked, uint64_t *size)
{
	for (uint32_t i = 0; i < work->calls->tree.count; i++) {
		struct place *place = &work->places[work->by_total[i]];
		struct place *parent = &work->places[place->parent];
		bool last_child = place != work->places && parent->children_left == 1;

		if (work->marks && (work->marks[place->node] != 0) != marked)
			continue;
		/* Itself and a `(n small)` for its children, in place of its parent's. */
		*size += 1 + (place->child_count > 0 ? 1u : 0u) - (last_child ? 1u : 0u);
		if (*size > node_count_max)
			return false;
		place->taken = true;
		if (place != work->places)
			parent->children_left--;
	}
	return true;
}

/* Takes all places, or as many as fit; gives the room that the result needs. */
static int choose_places(struct work *work, uint32_t node_count_max, uint32_t *ret_room)
{
	uint32_t count = work->calls->tree.count;
	uint64_t size = 0;
	int r;

	if (count > node_count_max) {
		r = sort_places(work);
		if (r < 0)
			return r;
		if (!work->marks || take_places(work, node_count_max, true, &size))
			take_places(work, node_count_max, false, &size);
		*ret_room = node_count_max;
		return 0;
	}
	for (uint32_t i = 0; i < count; i++)
		work->places[i].taken = true;
	*ret_room = count;
	return 0;
}

static int add_small(struct level_tree *tree, uint32_t count, uint32_t *ret_function)
{
	struct function small = {.kind = FUNCTION_TRIMMED};
	char text[32];
	int length = snprintf(text, sizeof(text), "(%" PRIu32 " small)", count);
	int r = function_table_add_text(tree->functions, text, (size_t)length, &small.name);

	return r < 0 ? r : function_table_add(tree->functions, &small, ret_function);
}

/* Adds the lanes of PLACE to those of NODE. */
static void add_lanes(
	const struct work *work, struct level_tree *tree, uint32_t node, uint32_t place)
{
	size_t lane_count = tree->lane_count;
	const int64_t *from = work->calls->lanes + work->places[place].node * lane_count;

	for (size_t i = 0; i < lane_count; i++)
		tree->lanes[node * lane_count + i] += from[i];
}

static void emit(struct work *work, struct level_tree *tree, uint32_t place)
{
	uint32_t node = work->places[place].node;

	work->origins[tree->count] = place;
	add_lanes(work, tree, tree->count, place);
	tree->nodes[tree->count++] = (struct level_node){
		.function = work->calls->tree.nodes[node].what,
		.total = work->calls->totals[node],
		.inlined = call_tree_is_inlined(work->calls, node),
	};
}

/* The children of PLACE that were not taken, as one. */
static int emit_small(struct work *work, struct level_tree *tree, const struct place *parent)
{
	struct level_node small = {0};
	uint32_t count = 0, last = 0;
	int r;

	for (uint32_t i = parent->child_first; i < parent->child_first + parent->child_count; i++) {
		if (work->places[i].taken)
			continue;
		small.total += place_total(work, i);
		count += work->places[i].subtree_count;
		last = i;
	}
	if (count == 0)
		return 0;
	if (count == 1) {
		emit(work, tree, last);
		return 0;
	}
	for (uint32_t i = parent->child_first; i < parent->child_first + parent->child_count; i++) {
		if (!work->places[i].taken)
			add_lanes(work, tree, tree->count, i);
	}
	r = add_small(tree, count, &small.function);
	if (r < 0)
		return r;
	small.small_count = count;
	tree->nodes[tree->count++] = small;
	tree->small_count++;
	return 0;
}

static void swap(int64_t *one, int64_t *other)
{
	int64_t kept = *one;

	*one = *other;
	*other = kept;
}

/* Siblings stay sorted: the last of COUNT children moves up to where its total belongs. */
static void settle_last(struct work *work, struct level_tree *tree, uint32_t count)
{
	uint32_t at = tree->count - 1;
	struct level_node node = tree->nodes[at];
	uint32_t origin = work->origins[at];
	size_t lane_count = tree->lane_count;

	while (--count > 0 && tree->nodes[at - 1].total < node.total) {
		tree->nodes[at] = tree->nodes[at - 1];
		work->origins[at] = work->origins[at - 1];
		for (size_t i = 0; i < lane_count; i++)
			swap(&tree->lanes[at * lane_count + i],
				&tree->lanes[(at - 1) * lane_count + i]);
		at--;
	}
	tree->nodes[at] = node;
	work->origins[at] = origin;
}

static int emit_children(struct work *work, struct level_tree *tree, uint32_t parent_index)
{
	const struct place *parent = &work->places[work->origins[parent_index]];
	uint32_t first = tree->count, kept;
	int r;

	for (uint32_t i = parent->child_first; i < parent->child_first + parent->child_count; i++) {
		if (work->places[i].taken)
			emit(work, tree, i);
	}
	kept = tree->count - first;
	r = emit_small(work, tree, parent);
	if (r < 0)
		return r;
	if (work->order == LEVEL_TREE_BY_TOTAL && tree->count - first > kept)
		settle_last(work, tree, tree->count - first);
	tree->nodes[parent_index].child_first = first;
	tree->nodes[parent_index].child_count = tree->count - first;
	return 0;
}

static int build(struct work *work, struct level_tree *tree, uint32_t node_count_max)
{
	uint32_t room;
	int r = rank_functions(work);

	if (r < 0)
		return r;
	group_children(work);
	place_nodes(work);
	r = choose_places(work, node_count_max, &room);
	if (r < 0)
		return r;
	tree->nodes = malloc(room * sizeof(*tree->nodes));
	tree->lane_count = work->calls->lane_count;
	if (tree->lane_count > 0)
		tree->lanes = calloc((size_t)room * tree->lane_count, sizeof(*tree->lanes));
	if (!tree->nodes || (tree->lane_count > 0 && !tree->lanes))
		return -ENOMEM;
	emit(work, tree, 0);
	for (uint32_t i = 0; r == 0 && i < tree->count; i++) {
		if (tree->nodes[i].small_count == 0 && work->places[work->origins[i]].taken)
			r = emit_children(work, tree, i);
	}
	return r;
}

int level_tree_init_focused(struct level_tree *tree, const struct call_tree *calls,
	enum level_tree_order order, uint32_t node_count_max, const uint8_t *marks)
{
	size_t count = calls->tree.count;
	struct work work = {
		.calls = calls,
		.order = order,
		.marks = marks,
		.child_first = calloc(count + 2, sizeof(uint32_t)),
		.children = calloc(count + 1, sizeof(uint32_t)),
		.places = calloc(count + 1, sizeof(struct place)),
		.by_total = calloc(count + 1, sizeof(uint32_t)),
		.origins = calloc(count + 1, sizeof(uint32_t)),
	};
	int r = -ENOMEM;

	*tree = (struct level_tree){.functions = calls->functions};
	if (node_count_max < LEVEL_TREE_NODE_COUNT_MIN)
		node_count_max = LEVEL_TREE_NODE_COUNT_MIN;
	if (work.child_first && work.children && work.places && work.by_total && work.origins)
		r = build(&work, tree, node_count_max);
	free(work.child_first);
	free(work.children);
	free(work.places);
	free(work.ranks);
	free(work.by_total);
	free(work.origins);
	if (r < 0)
		level_tree_done(tree);
	return r;
}

int level_tree_init(struct level_tree *tree, const struct call_tree *calls,
	enum level_tree_order order, uint32_t node_count_max)
{
	return level_tree_init_focused(tree, calls, order, node_count_max, NULL);
}

void level_tree_done(struct level_tree *tree)
{
	free(tree->nodes);
	free(tree->lanes);
	*tree = (struct level_tree){0};
}

int64_t level_tree_self(const struct level_tree *tree, uint32_t node)
{
	const struct level_node *at = &tree->nodes[node];
	int64_t self = at->total;

	for (uint32_t i = 0; i < at->child_count; i++)
		self -= tree->nodes[at->child_first + i].total;
	return self;
}
