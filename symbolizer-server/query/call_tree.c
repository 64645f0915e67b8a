/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/call_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"
#include "symbolizer-server/query/child_map.h"

static const char root_name[] = "total";

static int add_root(struct call_tree *tree)
{
	struct function root = {.kind = FUNCTION_ROOT};
	uint32_t function;
	int r = function_table_add_text(
		tree->functions, root_name, sizeof(root_name) - 1, &root.name);

	if (r == 0)
		r = function_table_add(tree->functions, &root, &function);
	if (r == 0)
		r = grow_array(&tree->nodes, &tree->capacity, 0, MERGE_NODE_COUNT_MAX);
	if (r < 0)
		return r;
	tree->nodes[0] = (struct call_node){.function = function};
	tree->count = 1;
	return 0;
}

static int find_or_add(struct call_tree *tree, struct child_map *children, uint32_t parent,
	uint32_t function, uint32_t *ret_node)
{
	uint32_t node = child_map_find(children, parent, function);
	int r;

	if (node != CHILD_MAP_NONE) {
		*ret_node = node;
		return 0;
	}
	r = grow_array(&tree->nodes, &tree->capacity, tree->count, MERGE_NODE_COUNT_MAX);
	if (r == 0)
		r = child_map_add(children, parent, function, tree->count);
	if (r < 0)
		return r;
	tree->nodes[tree->count] = (struct call_node){.parent = parent, .function = function};
	*ret_node = tree->count++;
	return 0;
}

/* JOINED: node of the merge -> node of the tree. */
static int join(struct call_tree *tree, const struct merge *merge, const struct naming *naming,
	uint32_t *joined)
{
	struct child_map children;
	int r = 0;

	child_map_init(&children);
	joined[0] = 0;
	tree->nodes[0].self = merge->nodes[0].self;
	for (uint32_t i = 1; r == 0 && i < merge->node_count; i++) {
		const struct merge_node *node = &merge->nodes[i];

		r = find_or_add(tree, &children, joined[node->parent],
			naming->functions[node->frame], &joined[i]);
		if (r == 0)
			tree->nodes[joined[i]].self += node->self;
	}
	child_map_done(&children);
	return r;
}

static void sum_up(struct call_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		tree->nodes[i].total = tree->nodes[i].self;
	for (uint32_t i = tree->count - 1; i > 0; i--)
		tree->nodes[tree->nodes[i].parent].total += tree->nodes[i].total;
}

int call_tree_init(struct call_tree *tree, const struct merge *merge, const struct naming *naming,
	struct function_table *functions)
{
	uint32_t *joined = malloc(merge->node_count * sizeof(*joined));
	int r;

	*tree = (struct call_tree){.functions = functions};
	r = joined ? add_root(tree) : -ENOMEM;
	if (r == 0)
		r = join(tree, merge, naming, joined);
	free(joined);
	if (r < 0) {
		call_tree_done(tree);
		return r;
	}
	sum_up(tree);
	return 0;
}

void call_tree_done(struct call_tree *tree)
{
	free(tree->nodes);
	*tree = (struct call_tree){0};
}
