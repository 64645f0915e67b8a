/* SPDX-License-Identifier: Apache-2.0 */
/*
 *            total                 places, level by level:   0      1  2     3  4  5
 *           /     \                                          total  a  b     c  d  e
 *          a       b
 *        / |       |               the children of a place are neighbours, so a place needs only
 *       c  d       e               the first of them and their number.
 *
 * If there are too many nodes, places are taken by falling total, for as long as they and the
 * `(n small)` that stand for the rest fit: a parent is never smaller than its child and comes before
 * it, so the places taken are always one tree. No more can be taken than fit, so only the largest
 * nodes are candidates and get a place at all: of a million nodes, a few thousand are ordered.
 */
#include "symbolizer-server/query/level_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOTAL_BITS 64
#define INSERTED_COUNT_MAX 12
/* Sorting all names pays off from about here. */
#define NODES_A_RANKED_FUNCTION 16

/* Totals are told apart by their highest bit and so many behind it. */
#define BUCKET_BITS 6
#define BUCKET_COUNT ((TOTAL_BITS + 1) << BUCKET_BITS)
#define NONE UINT32_MAX

struct place {
	uint32_t node; /* of the call tree */
	uint32_t parent; /* place */
	uint32_t child_first; /* place */
	uint32_t child_count; /* places */
	uint32_t children_left; /* not taken yet, those without a place included */
	bool taken;
};

struct work {
	const struct call_tree *calls;
	enum level_tree_order order;
	const uint8_t
		*marks; /* of each node of the call tree: to be left out last; NULL: none is */
	uint32_t count; /* of candidates */
	uint32_t *candidates; /* nodes of the call tree, upwards */
	uint32_t *numbers; /* of each node of the call tree: its candidate, or NONE */
	uint32_t *subtree_counts; /* of each node of the call tree, itself included */
	uint8_t *taken; /* of each node of the call tree */
	uint32_t *child_first; /* of each candidate, and one more: the end of the last */
	uint32_t *children; /* nodes of the call tree, grouped by parent */
	struct place *places;
	uint32_t *ranks; /* of each function by name; NULL: texts are compared */
	uint32_t *by_total; /* places, by falling total */
	uint32_t *origins; /* of each node of the result: its place, or NONE */
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

/* Most nodes have a few children, for which setting up a sort costs more than sorting. */
static void sort_siblings(struct work *work, uint32_t *siblings, uint32_t count)
{
	if (count > INSERTED_COUNT_MAX) {
		qsort_r(siblings, count, sizeof(*siblings), order_siblings, work);
		return;
	}
	for (uint32_t i = 1; i < count; i++) {
		uint32_t sibling = siblings[i], at = i;

		while (at > 0 && order_siblings(&siblings[at - 1], &sibling, work) > 0) {
			siblings[at] = siblings[at - 1];
			at--;
		}
		siblings[at] = sibling;
	}
}

/* Larger totals are in buckets of larger numbers. */
static uint32_t bucket_of(int64_t total)
{
	uint64_t value = (uint64_t)total;
	unsigned bits = value > 0 ? TOTAL_BITS - (unsigned)__builtin_clzll(value) : 0;

	if (bits <= BUCKET_BITS)
		return (uint32_t)value;
	return (uint32_t)(bits << BUCKET_BITS) +
		(uint32_t)(value >> (bits - 1 - BUCKET_BITS) & ((1u << BUCKET_BITS) - 1));
}

/* The smallest bucket whose nodes may be taken, if NODE_COUNT_MAX may. */
static uint32_t find_smallest_bucket(const struct work *work, uint32_t node_count_max)
{
	uint32_t counts[BUCKET_COUNT] = {0}, bucket = BUCKET_COUNT - 1;
	uint64_t above = 0;

	for (uint32_t i = 0; i < work->calls->tree.count; i++)
		counts[bucket_of(work->calls->totals[i])]++;
	while (bucket > 0 && above + counts[bucket] < node_count_max)
		above += counts[bucket--];
	return bucket;
}

/* Fills candidates and numbers. A parent of a candidate is one. */
static int choose_candidates(struct work *work, uint32_t node_count_max)
{
	uint32_t node_count = work->calls->tree.count;
	uint32_t smallest =
		node_count > node_count_max ? find_smallest_bucket(work, node_count_max) : 0;

	work->candidates = malloc((size_t)node_count * sizeof(*work->candidates));
	if (!work->candidates)
		return -ENOMEM;
	for (uint32_t i = 0; i < node_count; i++) {
		bool is_candidate = bucket_of(work->calls->totals[i]) >= smallest ||
			(work->marks && work->marks[i] != 0);

		work->numbers[i] = is_candidate ? work->count : NONE;
		if (is_candidate)
			work->candidates[work->count++] = i;
	}
	return 0;
}

static void count_subtrees(struct work *work)
{
	const struct growing_node *nodes = work->calls->tree.nodes;
	uint32_t *counts = work->subtree_counts;

	for (uint32_t i = 0; i < work->calls->tree.count; i++)
		counts[i] = 1;
	for (uint32_t i = work->calls->tree.count - 1; i > 0; i--)
		counts[nodes[i].parent] += counts[i];
}

/* Groups the candidates by parent and sorts each group. */
static void group_children(struct work *work)
{
	const struct growing_node *nodes = work->calls->tree.nodes;
	uint32_t count = work->count;
	uint32_t *first = work->child_first;

	for (uint32_t i = 1; i < count; i++)
		first[work->numbers[nodes[work->candidates[i]].parent] + 1]++;
	for (uint32_t i = 0; i < count; i++)
		first[i + 1] += first[i];
	/* Filling moves each first to its end, which is the first of the next. */
	for (uint32_t i = count - 1; i > 0; i--) {
		uint32_t node = work->candidates[i];

		work->children[--first[work->numbers[nodes[node].parent] + 1]] = node;
	}
	for (uint32_t i = 0; i < count; i++)
		first[i] = first[i + 1];
	first[count] = count - 1;
	for (uint32_t i = 0; i < count; i++)
		sort_siblings(work, work->children + first[i], first[i + 1] - first[i]);
}

static void place_nodes(struct work *work)
{
	uint32_t placed = 1;

	work->places[0] = (struct place){.node = 0};
	for (uint32_t i = 0; i < work->count; i++) {
		struct place *place = &work->places[i];
		const uint32_t *first = &work->child_first[work->numbers[place->node]];

		place->child_first = placed;
		place->child_count = first[1] - first[0];
		place->children_left = work->calls->tree.nodes[place->node].child_count;
		for (uint32_t j = first[0]; j < first[1]; j++)
			work->places[placed++] =
				(struct place){.node = work->children[j], .parent = i};
	}
}

static int64_t place_total(const struct work *work, uint32_t place)
{
	return work->calls->totals[work->places[place].node];
}

static int order_places(const void *one, const void *other, void *context)
{
	const struct work *work = context;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	int64_t a_total = place_total(work, a), b_total = place_total(work, b);

	if (a_total != b_total)
		return a_total > b_total ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Sorts COUNT places of one bucket, which stand in order of place. Most have equal totals: those of
 * one sample, of two, ... */
static void sort_bucket(struct work *work, uint32_t *places, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		if (place_total(work, places[i]) != place_total(work, places[0])) {
			qsort_r(places, count, sizeof(*places), order_places, work);
			return;
		}
	}
}

/* Fills by_total, by falling total, then by place. */
static void sort_places(struct work *work)
{
	uint32_t ends[BUCKET_COUNT + 1] = {0};

	for (uint32_t i = 0; i < work->count; i++)
		ends[BUCKET_COUNT - bucket_of(place_total(work, i))]++;
	for (uint32_t i = 0; i < BUCKET_COUNT; i++)
		ends[i + 1] += ends[i];
	/* Filling moves each begin, which is the end of the one before, to its own end. */
	for (uint32_t i = 0; i < work->count; i++)
		work->by_total[ends[BUCKET_COUNT - 1 - bucket_of(place_total(work, i))]++] = i;
	for (uint32_t i = 0, first = 0; i < BUCKET_COUNT; i++) {
		sort_bucket(work, work->by_total + first, ends[i] - first);
		first = ends[i];
	}
}

/* Takes the places whose nodes have a mark, or those that have none, by falling total for as long as
 * the result has room; false: it has none. */
static bool take_places(struct work *work, uint32_t node_count_max, bool marked, uint64_t *size)
{
	for (uint32_t i = 0; i < work->count; i++) {
		struct place *place = &work->places[work->by_total[i]];
		struct place *parent = &work->places[place->parent];
		bool last_child = place != work->places && parent->children_left == 1;

		if (work->marks && (work->marks[place->node] != 0) != marked)
			continue;
		/* Itself and a `(n small)` for its children, in place of its parent's. */
		*size += 1 + (place->children_left > 0 ? 1u : 0u) - (last_child ? 1u : 0u);
		if (*size > node_count_max)
			return false;
		place->taken = true;
		work->taken[place->node] = 1;
		if (place != work->places)
			parent->children_left--;
	}
	return true;
}

/* Takes all places, or as many as fit; gives the room that the result needs. */
static uint32_t choose_places(struct work *work, uint32_t node_count_max)
{
	uint32_t count = work->calls->tree.count;
	uint64_t size = 0;

	if (count > node_count_max) {
		sort_places(work);
		if (!work->marks || take_places(work, node_count_max, true, &size))
			take_places(work, node_count_max, false, &size);
		return node_count_max;
	}
	for (uint32_t i = 0; i < count; i++)
		work->places[i].taken = true;
	memset(work->taken, 1, count);
	return count;
}

static int add_small(struct level_tree *tree, uint32_t count, uint32_t *ret_function)
{
	struct function small = {.kind = FUNCTION_TRIMMED};
	char text[32];
	int length = snprintf(text, sizeof(text), "(%" PRIu32 " small)", count);
	int r = function_table_add_text(tree->functions, text, (size_t)length, &small.name);

	return r < 0 ? r : function_table_add(tree->functions, &small, ret_function);
}

/* Adds the lanes of FROM, a node of the call tree, to those of NODE. */
static void add_lanes(
	const struct work *work, struct level_tree *tree, uint32_t node, uint32_t from)
{
	size_t lane_count = tree->lane_count;
	const int64_t *lanes = work->calls->lanes + from * lane_count;

	for (size_t i = 0; i < lane_count; i++)
		tree->lanes[node * lane_count + i] += lanes[i];
}

static void emit(struct work *work, struct level_tree *tree, uint32_t node, uint32_t place)
{
	work->origins[tree->count] = place;
	add_lanes(work, tree, tree->count, node);
	tree->nodes[tree->count++] = (struct level_node){
		.function = work->calls->tree.nodes[node].what,
		.total = work->calls->totals[node],
		.inlined = call_tree_is_inlined(work->calls, node),
	};
}

/* The children of NODE that were not taken, as one. */
static int emit_small(struct work *work, struct level_tree *tree, uint32_t node)
{
	const struct growing_node *nodes = work->calls->tree.nodes;
	struct level_node small = {0};
	uint32_t count = 0, last = 0;
	int r;

	for (uint32_t i = nodes[node].child_first; i != 0; i = nodes[i].sibling_next) {
		if (work->taken[i])
			continue;
		small.total += work->calls->totals[i];
		count += work->subtree_counts[i];
		last = i;
	}
	if (count == 0)
		return 0;
	if (count == 1) {
		emit(work, tree, last, NONE);
		return 0;
	}
	for (uint32_t i = nodes[node].child_first; tree->lane_count > 0 && i != 0;
		i = nodes[i].sibling_next) {
		if (!work->taken[i])
			add_lanes(work, tree, tree->count, i);
	}
	r = add_small(tree, count, &small.function);
	if (r < 0)
		return r;
	small.small_count = count;
	work->origins[tree->count] = NONE;
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
			emit(work, tree, work->places[i].node, i);
	}
	kept = tree->count - first;
	r = emit_small(work, tree, parent->node);
	if (r < 0)
		return r;
	if (work->order == LEVEL_TREE_BY_TOTAL && tree->count - first > kept)
		settle_last(work, tree, tree->count - first);
	tree->nodes[parent_index].child_first = first;
	tree->nodes[parent_index].child_count = tree->count - first;
	return 0;
}

/* Chooses the candidates and makes room for what is told of them. */
static int prepare(struct work *work, uint32_t node_count_max)
{
	size_t node_count = work->calls->tree.count, count;
	int r;

	work->numbers = malloc(node_count * sizeof(*work->numbers));
	work->subtree_counts = malloc(node_count * sizeof(*work->subtree_counts));
	work->taken = calloc(node_count, sizeof(*work->taken));
	if (!work->numbers || !work->subtree_counts || !work->taken)
		return -ENOMEM;
	r = choose_candidates(work, node_count_max);
	if (r < 0)
		return r;
	count_subtrees(work);
	count = work->count;
	work->child_first = calloc(count + 2, sizeof(*work->child_first));
	work->children = calloc(count + 1, sizeof(*work->children));
	work->places = calloc(count + 1, sizeof(*work->places));
	work->by_total = calloc(count + 1, sizeof(*work->by_total));
	if (!work->child_first || !work->children || !work->places || !work->by_total)
		return -ENOMEM;
	return rank_functions(work);
}

static int build(struct work *work, struct level_tree *tree, uint32_t node_count_max)
{
	uint32_t room;
	int r = prepare(work, node_count_max);

	if (r < 0)
		return r;
	group_children(work);
	place_nodes(work);
	room = choose_places(work, node_count_max);
	tree->nodes = malloc(((size_t)room + 1) * sizeof(*tree->nodes));
	work->origins = calloc((size_t)room + 1, sizeof(*work->origins));
	tree->lane_count = work->calls->lane_count;
	if (tree->lane_count > 0)
		tree->lanes = calloc(((size_t)room + 1) * tree->lane_count, sizeof(*tree->lanes));
	if (!tree->nodes || !work->origins || (tree->lane_count > 0 && !tree->lanes))
		return -ENOMEM;
	emit(work, tree, 0, 0);
	for (uint32_t i = 0; r == 0 && i < tree->count; i++) {
		if (work->origins[i] != NONE)
			r = emit_children(work, tree, i);
	}
	return r;
}

int level_tree_init_focused(struct level_tree *tree, const struct call_tree *calls,
	enum level_tree_order order, uint32_t node_count_max, const uint8_t *marks)
{
	struct work work = {.calls = calls, .order = order, .marks = marks};
	int r;

	*tree = (struct level_tree){.functions = calls->functions};
	if (node_count_max < LEVEL_TREE_NODE_COUNT_MIN)
		node_count_max = LEVEL_TREE_NODE_COUNT_MIN;
	r = build(&work, tree, node_count_max);
	free(work.candidates);
	free(work.numbers);
	free(work.subtree_counts);
	free(work.taken);
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
