/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/stack_walk.h"

#include <stdlib.h>

#include "store/profile/grow.h"

void stack_walk_init(struct stack_walk *walk, const struct level_tree *tree)
{
	*walk = (struct stack_walk){0};
	tree_walk_init(&walk->walk, tree);
}

void stack_walk_done(struct stack_walk *walk)
{
	tree_walk_done(&walk->walk);
	free(walk->nodes);
	*walk = (struct stack_walk){0};
}

const struct function *stack_walk_function(const struct stack_walk *walk, uint32_t node)
{
	const struct level_tree *tree = walk->walk.tree;

	return &tree->functions->functions[tree->nodes[node].function];
}

static void split(struct stack_walk *walk)
{
	uint32_t labels = 0;

	while (labels < walk->node_count &&
		stack_walk_function(walk, walk->nodes[labels])->kind == FUNCTION_LABEL)
		labels++;
	walk->labels = walk->nodes;
	walk->label_count = labels;
	walk->frames = walk->nodes + labels;
	walk->frame_count = walk->node_count - labels;
}

/* Follows one step of the walk; the root is no frame. */
static int follow(struct stack_walk *walk)
{
	int r;

	if (walk->walk.node == 0)
		return 0;
	if (!walk->walk.entered) {
		walk->node_count--;
		return 0;
	}
	r = grow_array(&walk->nodes, &walk->capacity, walk->node_count, UINT32_MAX);
	if (r == 0)
		walk->nodes[walk->node_count++] = walk->walk.node;
	return r;
}

int stack_walk_next(struct stack_walk *walk)
{
	int r;

	while ((r = tree_walk_next(&walk->walk)) > 0) {
		r = follow(walk);
		if (r < 0)
			return r;
		if (!walk->walk.entered)
			continue;
		walk->value = level_tree_self(walk->walk.tree, walk->walk.node);
		if (walk->value <= 0)
			continue;
		split(walk);
		return 1;
	}
	return r;
}
