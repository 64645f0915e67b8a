/* SPDX-License-Identifier: Apache-2.0 */
/* Call tree: who called whom, joined by function.
 *
 * What it is   the raw tree of a merge after naming: a frame is a node for each function of its
 *              chain, and nodes with the same function under the same parent are one. Parents come
 *              before children; totals are sums over subtrees.
 * Ownership    owns its nodes; borrows the function table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/function_table.h"
#include "symbolizer-server/query/merge.h"
#include "symbolizer-server/query/naming.h"

struct call_tree {
	/* what: the function, that of the root is `total`; mark: see call_tree_is_inlined */
	struct growing_tree tree;
	int64_t *totals; /* of each node */
	int64_t *lanes; /* of each node lane_count totals, those of the merge's lanes; NULL: none */
	uint32_t lane_count;
	struct function_table *functions;
};

int call_tree_init(struct call_tree *tree, const struct merge *merge, const struct naming *naming,
	struct function_table *functions);
void call_tree_done(struct call_tree *tree);
/* Whether NODE is never called: all that it stands for was inlined into the node above. */
bool call_tree_is_inlined(const struct call_tree *tree, uint32_t node);

typedef void (*call_tree_step_fn)(void *context, uint32_t node);
/* Depth first: ENTER is called before a node's children, LEAVE behind them. The way back is in the
 * nodes, so that depth costs no memory. */
void call_tree_visit(const struct call_tree *tree, call_tree_step_fn enter, call_tree_step_fn leave,
	void *context);
