/* SPDX-License-Identifier: Apache-2.0 */
/* Stack walk: the stacks of a tree, one after the other.
 *
 * What it is   an iterator over the nodes that have a value of their own, each with the functions from
 *              the root to it. Values of labels that stand above the functions are apart from them. The
 *              values add up to the tree's total.
 * Ownership    owns its path; borrows the tree.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/level_tree.h"
#include "symbolizer-server/query/tree_walk.h"

struct stack_walk {
	struct tree_walk walk;
	uint32_t *frames; /* nodes of the tree below the labels, the root's child first */
	uint32_t frame_count; /* 0: samples without a stack */
	uint32_t *labels; /* nodes, the outermost first */
	uint32_t label_count;
	int64_t value; /* above 0 */
	uint32_t *nodes;
	uint32_t node_count;
	uint32_t capacity;
};

void stack_walk_init(struct stack_walk *walk, const struct level_tree *tree);
void stack_walk_done(struct stack_walk *walk);
/* 1, and the members tell of the next stack; 0: there is none. */
int stack_walk_next(struct stack_walk *walk);

/* The function of a node. */
const struct function *stack_walk_function(const struct stack_walk *walk, uint32_t node);
