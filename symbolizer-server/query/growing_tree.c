/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   node    0 root   1 main   2 work   3 memcpy   4 idle
 *   first   1        2        3        0          0         lists: root -> main
 *   next    0        0        4        0          0                main -> work -> idle
 *
 * Nodes are numbered as they come, so the nodes of one stack are neighbours in memory. A map of
 * everything would need one cache miss for each step; that is where three quarters of the time of a
 * merge went.
 */
#include "symbolizer-server/query/growing_tree.h"

#include <stdlib.h>

#include "store/profile/grow.h"

/* Most nodes have one or two children; walking further would cost more than a look-up. */
#define LOOKED_AT_MAX 8
/* Of those who come along: nodes that somebody else had in between. A line of the cache holds two. */
#define SKIPPED_MAX 4

int growing_tree_init(struct growing_tree *tree, uint32_t what)
{
	int r;

	*tree = (struct growing_tree){0};
	child_map_init(&tree->crowded);
	r = grow_array(&tree->nodes, &tree->capacity, 0, GROWING_TREE_NODE_COUNT_MAX);
	if (r < 0)
		return r;
	tree->nodes[GROWING_TREE_ROOT] = (struct growing_node){.what = what};
	tree->count = 1;
	return 0;
}

void growing_tree_done(struct growing_tree *tree)
{
	child_map_done(&tree->crowded);
	free(tree->nodes);
	*tree = (struct growing_tree){0};
}

void growing_tree_trim(struct growing_tree *tree)
{
	struct growing_node *nodes = reallocarray(tree->nodes, tree->count, sizeof(*nodes));

	if (!nodes)
		return;
	tree->nodes = nodes;
	tree->capacity = tree->count;
}

/* Links CHILD into its parent's list: in front while the list is short, else behind the part that
 * look-ups walk. */
static void link_child(struct growing_tree *tree, uint32_t parent, uint32_t child)
{
	uint32_t *link = &tree->nodes[parent].child_first;

	if (tree->nodes[parent].child_count >= LOOKED_AT_MAX) {
		for (int i = 0; i < LOOKED_AT_MAX; i++)
			link = &tree->nodes[*link].sibling_next;
	}
	tree->nodes[child].sibling_next = *link;
	*link = child;
	tree->nodes[parent].child_count++;
}

static int add_child(struct growing_tree *tree, uint32_t parent, uint32_t what, uint32_t *ret_node)
{
	int r = grow_array(&tree->nodes, &tree->capacity, tree->count, GROWING_TREE_NODE_COUNT_MAX);

	if (r == 0 && tree->nodes[parent].child_count >= LOOKED_AT_MAX)
		r = child_map_add(&tree->crowded, parent, what, tree->count);
	if (r < 0)
		return r;
	tree->nodes[tree->count] = (struct growing_node){.parent = parent, .what = what};
	link_child(tree, parent, tree->count);
	*ret_node = tree->count++;
	return 0;
}

int growing_tree_child(
	struct growing_tree *tree, uint32_t parent, uint32_t what, uint32_t *ret_node)
{
	uint32_t node = tree->nodes[parent].child_first;

	for (int i = 0; i < LOOKED_AT_MAX && node != 0; i++) {
		if (tree->nodes[node].what == what) {
			*ret_node = node;
			return 0;
		}
		node = tree->nodes[node].sibling_next;
	}
	if (node != 0) {
		node = child_map_find(&tree->crowded, parent, what);
		if (node != CHILD_MAP_NONE) {
			*ret_node = node;
			return 0;
		}
	}
	return add_child(tree, parent, what, ret_node);
}

int growing_tree_child_along(struct growing_tree *tree, uint32_t parent, uint32_t what,
	uint32_t *next, uint32_t *ret_node)
{
	uint32_t count = tree->count;
	int r;

	if (tree->nodes[parent].child_first == 0)
		return add_child(tree, parent, what, ret_node);
	for (uint32_t i = *next; i < count && i - *next < SKIPPED_MAX; i++) {
		if (tree->nodes[i].parent == parent && tree->nodes[i].what == what && i > 0) {
			*next = i + 1;
			*ret_node = i;
			return 0;
		}
	}
	r = growing_tree_child(tree, parent, what, ret_node);
	/* A new node stands at the end: those that follow are where they were. */
	if (r == 0 && *ret_node < count)
		*next = *ret_node + 1;
	return r;
}
