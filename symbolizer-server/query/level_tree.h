/* SPDX-License-Identifier: Apache-2.0 */
/* Level tree: a call tree in the order in which it is sent and drawn.
 *
 * What it is   nodes level by level from the root, the children of a node side by side. Too
 *              many nodes are cut from the smallest: what is left out of a node's children
 *              becomes one explicit child `(n small)` that carries their value and the number
 *              of their nodes. The order does not depend on the order in which profiles were
 *              merged.
 * Ownership    owns its nodes; borrows the function table, to which it adds the `(n small)`.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/call_tree.h"

/* The root, and the one child that everything else became. */
#define LEVEL_TREE_NODE_COUNT_MIN 2

enum level_tree_order {
	LEVEL_TREE_BY_TOTAL, /* siblings by falling total, then by name */
	LEVEL_TREE_BY_NAME, /* siblings by name, `(n small)` last */
};

struct level_node {
	uint32_t function;
	uint32_t child_first; /* index of its first child */
	uint32_t child_count;
	uint32_t small_count; /* of a `(n small)`: the nodes that it stands for; else 0 */
	int64_t total;
	bool inlined; /* all that it stands for was inlined into its parent */
};

struct level_tree {
	struct level_node *nodes; /* node 0 is the root */
	uint32_t count;
	uint32_t small_count; /* how many of them are a `(n small)` */
	int64_t *lanes; /* of each node lane_count totals, those of the call tree; NULL: none */
	uint32_t lane_count;
	struct function_table *functions;
};

/* At most NODE_COUNT_MAX nodes, those of `(n small)` included; no less than
 * LEVEL_TREE_NODE_COUNT_MIN. */
int level_tree_init(struct level_tree *tree, const struct call_tree *calls,
	enum level_tree_order order, uint32_t node_count_max);
/* The same, but nodes of CALLS that have a mark are left out last; the parent of one that has a mark
 * has one, too. NULL: none has. */
int level_tree_init_focused(struct level_tree *tree, const struct call_tree *calls,
	enum level_tree_order order, uint32_t node_count_max, const uint8_t *marks);
void level_tree_done(struct level_tree *tree);
/* What NODE has beyond its children. */
int64_t level_tree_self(const struct level_tree *tree, uint32_t node);
