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
	uint32_t
		*child_first; /* of each node of the call tree, and one more: the end of the last */
	uint32_t *children; /* nodes of the call tree, grouped by parent */
	struct place *places;
	uint32_t *by_total; /* places, by falling total */
	uint32_t *origins; /* of each node of the result but the `(n small)`: its place */
};

static int order_siblings(const void *one, const void *other, void *context)
{
	const struct work *work = context;
	const struct call_tree *calls = work->calls;
	const struct call_node *a = &calls->nodes[*(const uint32_t *)one];
	const struct call_node *b = &calls->nodes[*(const uint32_t *)other];

	if (work->order == LEVEL_TREE_BY_TOTAL && a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return function_table_compare(calls->functions, a->function, b->function);
}

/* Groups the nodes by parent and sorts each group. */
static void group_children(struct work *work)
{
	const struct call_node *nodes = work->calls->nodes;
	uint32_t count = work->calls->count;
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
	uint32_t count = work->calls->count, placed = 1;

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
	return work->calls->nodes[work->places[place].node].total;
}

static int order_places(const void *one, const void *other, void *context)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	int64_t a_total = place_total(context, a), b_total = place_total(context, b);

	if (a_total != b_total)
		return a_total > b_total ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Takes places by falling total; answers the number of nodes of the result. */
static uint32_t take_places(struct work *work, uint32_t node_count_max)
{
	uint32_t count = work->calls->count;
	uint64_t size = 0;

	for (uint32_t i = 0; i < count; i++)
		work->by_total[i] = i;
	if (count > node_count_max)
		qsort_r(work->by_total, count, sizeof(uint32_t), order_places, work);
	for (uint32_t i = 0; i < count; i++) {
		struct place *place = &work->places[work->by_total[i]];
		struct place *parent = &work->places[place->parent];
		bool last_child = place != work->places && parent->children_left == 1;

		/* Itself and a `(n small)` for its children, in place of its parent's. */
		size += 1 + (place->child_count > 0 ? 1u : 0u) - (last_child ? 1u : 0u);
		if (count > node_count_max && size > node_count_max)
			break;
		place->taken = true;
		if (place != work->places)
			parent->children_left--;
	}
	return count > node_count_max ? node_count_max : count;
}

static int add_small(struct level_tree *tree, uint32_t count, uint32_t *ret_function)
{
	struct function small = {.kind = FUNCTION_TRIMMED};
	char text[32];
	int length = snprintf(text, sizeof(text), "(%" PRIu32 " small)", count);
	int r = function_table_add_text(tree->functions, text, (size_t)length, &small.name);

	return r < 0 ? r : function_table_add(tree->functions, &small, ret_function);
}

static void emit(struct work *work, struct level_tree *tree, uint32_t place)
{
	const struct call_node *node = &work->calls->nodes[work->places[place].node];

	work->origins[tree->count] = place;
	tree->nodes[tree->count++] =
		(struct level_node){.function = node->function, .total = node->total};
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
	r = add_small(tree, count, &small.function);
	if (r < 0)
		return r;
	small.small_count = count;
	tree->nodes[tree->count++] = small;
	tree->small_count++;
	return 0;
}

/* Siblings stay sorted: the last of COUNT children moves up to where its total belongs. */
static void settle_last(struct work *work, struct level_tree *tree, uint32_t count)
{
	uint32_t at = tree->count - 1;
	struct level_node node = tree->nodes[at];
	uint32_t origin = work->origins[at];

	while (--count > 0 && tree->nodes[at - 1].total < node.total) {
		tree->nodes[at] = tree->nodes[at - 1];
		work->origins[at] = work->origins[at - 1];
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
	uint32_t count;
	int r = 0;

	group_children(work);
	place_nodes(work);
	count = take_places(work, node_count_max);
	tree->nodes = malloc(count * sizeof(*tree->nodes));
	if (!tree->nodes)
		return -ENOMEM;
	emit(work, tree, 0);
	for (uint32_t i = 0; r == 0 && i < tree->count; i++) {
		if (tree->nodes[i].small_count == 0 && work->places[work->origins[i]].taken)
			r = emit_children(work, tree, i);
	}
	return r;
}

int level_tree_init(struct level_tree *tree, const struct call_tree *calls,
	enum level_tree_order order, uint32_t node_count_max)
{
	size_t count = calls->count;
	struct work work = {
		.calls = calls,
		.order = order,
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
	free(work.by_total);
	free(work.origins);
	if (r < 0)
		level_tree_done(tree);
	return r;
}

void level_tree_done(struct level_tree *tree)
{
	free(tree->nodes);
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
