/* SPDX-License-Identifier: Apache-2.0 */
/* Call tree: who called whom, joined by function.
 *
 * What it is   the raw tree of a merge after naming: nodes with the same function under the same
 *              parent are one. Parents come before children; totals are sums over subtrees.
 * Ownership    owns its nodes; borrows the function table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/function_table.h"
#include "symbolizer-server/query/merge.h"
#include "symbolizer-server/query/naming.h"

struct call_node {
	uint32_t parent;
	uint32_t function;
	int64_t self;
	int64_t total;
};

struct call_tree {
	struct call_node *nodes; /* node 0 is the root, function `total` */
	uint32_t count;
	uint32_t capacity;
	struct function_table *functions;
};

int call_tree_init(struct call_tree *tree, const struct merge *merge, const struct naming *naming,
	struct function_table *functions);
void call_tree_done(struct call_tree *tree);
