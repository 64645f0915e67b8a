/* SPDX-License-Identifier: Apache-2.0 */
/* Growing tree: nodes that are found by their parent and by what they are, or made.
 *
 * What it is   the children of a node stand in a list, those beyond the first few in a map as well:
 *              walking down a path that was walked before touches the nodes of that path and
 *              little else, and a node with a hundred thousand children costs one look-up.
 * Ownership    owns its nodes.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many nodes.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/child_map.h"

/* At 32 to 50 bytes a node this keeps one query below 400 MiB; a day of a busy host has about half
 * a million. */
#define GROWING_TREE_NODE_COUNT_MAX (8u << 20)
#define GROWING_TREE_ROOT 0u

struct growing_node {
	uint32_t parent; /* always smaller than the node's own index */
	uint32_t what;
	uint32_t child_first; /* 0: none */
	uint32_t sibling_next; /* 0: none */
	uint32_t child_count;
	uint32_t mark; /* the owner's; 0 at first */
	int64_t self; /* the owner's */
};

struct growing_tree {
	struct growing_node *nodes;
	uint32_t count;
	uint32_t capacity;
	struct child_map crowded; /* children too far down a list to be looked for there */
};

/* Makes the root, which is WHAT. */
int growing_tree_init(struct growing_tree *tree, uint32_t what);
void growing_tree_done(struct growing_tree *tree);
/* Gives back what is reserved for nodes to come. */
void growing_tree_trim(struct growing_tree *tree);
int growing_tree_child(
	struct growing_tree *tree, uint32_t parent, uint32_t what, uint32_t *ret_node);
/* The same for those who ask in an order in which they, or others, mostly asked before: NEXT is where
 * in the tree their walk is, 0 at first. */
int growing_tree_child_along(struct growing_tree *tree, uint32_t parent, uint32_t what,
	uint32_t *next, uint32_t *ret_node);
