/* SPDX-License-Identifier: Apache-2.0 */
/* Tree walk: visits a level tree depth first, without recursion.
 *
 * What it is   an iterator: each step enters a node or leaves one; children in their order.
 * Ownership    owns a path as long as the tree is deep; borrows the tree.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/level_tree.h"

struct tree_walk {
	const struct level_tree *tree;
	struct tree_walk_step *path; /* from the root to the node that was entered last */
	uint32_t depth; /* nodes on the path */
	uint32_t capacity;
	uint32_t node; /* of the last step */
	bool entered; /* the last step entered it; else it left it */
	bool begun;
};

void tree_walk_init(struct tree_walk *walk, const struct level_tree *tree);
void tree_walk_done(struct tree_walk *walk);
/* Takes one step: 1, and node and entered tell which; 0 once the root was left. */
int tree_walk_next(struct tree_walk *walk);
