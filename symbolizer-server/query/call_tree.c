/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/call_tree.h"

#include <errno.h>
#include <stdlib.h>

static const char root_name[] = "total";

/* Mark of a node that a call leads to, at least sometimes. */
#define CALLED 1

static int add_root(struct call_tree *tree)
{
	struct function root = {.kind = FUNCTION_ROOT};
	uint32_t function;
	int r = function_table_add_text(
		tree->functions, root_name, sizeof(root_name) - 1, &root.name);

	if (r == 0)
		r = function_table_add(tree->functions, &root, &function);
	return r != 0 ? r : growing_tree_init(&tree->tree, function);
}

/* Walks or makes the nodes of CHAIN below PARENT; gives the innermost. */
static int join_chain(struct call_tree *tree, const struct naming *naming,
	const struct naming_chain *chain, uint32_t parent, uint32_t *ret_node)
{
	const uint32_t *links = naming->links + chain->first;
	uint32_t node = parent;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < chain->count; i++) {
		if (naming->joins_neighbours && links[i] == tree->tree.nodes[node].what)
			continue;
		r = growing_tree_child(&tree->tree, node, links[i], &node);
		if (r == 0 && i == 0)
			tree->tree.nodes[node].mark = CALLED;
	}
	if (r == 0)
		*ret_node = node;
	return r;
}

/* JOINED: node of the merge -> node of the tree. */
static int join(struct call_tree *tree, const struct merge *merge, const struct naming *naming,
	uint32_t *joined)
{
	int r = 0;

	joined[GROWING_TREE_ROOT] = GROWING_TREE_ROOT;
	tree->tree.nodes[GROWING_TREE_ROOT].self = merge->tree.nodes[GROWING_TREE_ROOT].self;
	tree->tree.nodes[GROWING_TREE_ROOT].mark = CALLED;
	for (uint32_t i = 1; r == 0 && i < merge->tree.count; i++) {
		const struct growing_node *node = &merge->tree.nodes[i];

		r = join_chain(tree, naming, &naming->chains[node->what], joined[node->parent],
			&joined[i]);
		if (r == 0)
			tree->tree.nodes[joined[i]].self += node->self;
	}
	return r;
}

static int sum_up(struct call_tree *tree)
{
	const struct growing_node *nodes = tree->tree.nodes;
	uint32_t count = tree->tree.count;

	tree->totals = malloc(count * sizeof(*tree->totals));
	if (!tree->totals)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		tree->totals[i] = nodes[i].self;
	for (uint32_t i = count - 1; i > 0; i--)
		tree->totals[nodes[i].parent] += tree->totals[i];
	return 0;
}

/* As sum_up, for each lane of the merge. */
static int sum_up_lanes(struct call_tree *tree, const struct merge *merge, const uint32_t *joined)
{
	const struct growing_node *nodes = tree->tree.nodes;
	uint32_t count = tree->tree.count, lane_count = merge->lane_count;

	if (lane_count == 0)
		return 0;
	tree->lanes = calloc((size_t)count * lane_count, sizeof(*tree->lanes));
	if (!tree->lanes)
		return -ENOMEM;
	tree->lane_count = lane_count;
	/* A merge that nothing was added to has no lanes yet. */
	for (size_t i = 0; merge->lanes && i < (size_t)merge->tree.count * lane_count; i++)
		tree->lanes[(size_t)joined[i / lane_count] * lane_count + i % lane_count] +=
			merge->lanes[i];
	for (uint32_t i = count - 1; i > 0; i--) {
		for (uint32_t lane = 0; lane < lane_count; lane++)
			tree->lanes[(size_t)nodes[i].parent * lane_count + lane] +=
				tree->lanes[(size_t)i * lane_count + lane];
	}
	return 0;
}

int call_tree_init(struct call_tree *tree, const struct merge *merge, const struct naming *naming,
	struct function_table *functions)
{
	uint32_t *joined = malloc(merge->tree.count * sizeof(*joined));
	int r;

	*tree = (struct call_tree){.functions = functions};
	r = joined ? add_root(tree) : -ENOMEM;
	if (r == 0)
		r = join(tree, merge, naming, joined);
	if (r == 0)
		growing_tree_trim(&tree->tree);
	if (r == 0)
		r = sum_up(tree);
	if (r == 0)
		r = sum_up_lanes(tree, merge, joined);
	free(joined);
	if (r < 0)
		call_tree_done(tree);
	return r;
}

void call_tree_done(struct call_tree *tree)
{
	growing_tree_done(&tree->tree);
	free(tree->totals);
	free(tree->lanes);
	*tree = (struct call_tree){0};
}

bool call_tree_is_inlined(const struct call_tree *tree, uint32_t node)
{
	return tree->tree.nodes[node].mark != CALLED;
}

void call_tree_visit(const struct call_tree *tree, call_tree_step_fn enter, call_tree_step_fn leave,
	void *context)
{
	const struct growing_node *nodes = tree->tree.nodes;
	uint32_t node = GROWING_TREE_ROOT;

	enter(context, node);
	for (;;) {
		if (nodes[node].child_first != 0) {
			node = nodes[node].child_first;
			enter(context, node);
			continue;
		}
		while (nodes[node].sibling_next == 0) {
			leave(context, node);
			if (node == GROWING_TREE_ROOT)
				return;
			node = nodes[node].parent;
		}
		leave(context, node);
		node = nodes[node].sibling_next;
		enter(context, node);
	}
}
