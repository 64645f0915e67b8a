/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/tree_walk.h"

#include <stdlib.h>

#include "store/profile/grow.h"

struct tree_walk_step {
	uint32_t node;
	uint32_t child_next; /* of its children, how many were entered */
};

void tree_walk_init(struct tree_walk *walk, const struct level_tree *tree)
{
	*walk = (struct tree_walk){.tree = tree};
}

void tree_walk_done(struct tree_walk *walk)
{
	free(walk->path);
	*walk = (struct tree_walk){0};
}

static int enter(struct tree_walk *walk, uint32_t node)
{
	int r = grow_array(&walk->path, &walk->capacity, walk->depth, UINT32_MAX);

	if (r < 0)
		return r;
	walk->path[walk->depth++] = (struct tree_walk_step){.node = node};
	walk->node = node;
	walk->entered = true;
	return 1;
}

int tree_walk_next(struct tree_walk *walk)
{
	struct tree_walk_step *step;
	const struct level_node *node;

	if (!walk->begun) {
		walk->begun = true;
		return enter(walk, 0);
	}
	if (walk->depth == 0)
		return 0;
	step = &walk->path[walk->depth - 1];
	node = &walk->tree->nodes[step->node];
	if (step->child_next < node->child_count)
		return enter(walk, node->child_first + step->child_next++);
	walk->node = step->node;
	walk->entered = false;
	walk->depth--;
	return 1;
}
