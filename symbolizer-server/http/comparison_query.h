/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison query: from the store to a call tree of two sides.
 *
 * What it is   reads the profiles of both ranges, merges them into one tree whose lanes keep them
 *              apart, names and joins it once. The tree is kept as those of one side are.
 * Ownership    the tree is lent until comparison_query_give_back, to one at a time.
 * Threads      any; one owner each.
 * Errors       those of profile_query.h.
 */
#pragma once

#include "symbolizer-server/http/profile_query.h"

struct comparison_query {
	struct comparison comparison;
	struct profile_tree *tree; /* about: of both sides together */
};

/* SIDES: left and right, of the same type. */
int comparison_query_take(
	struct comparison_query *query, struct query_run *run, const struct query_params sides[2]);
void comparison_query_give_back(struct comparison_query *query, struct query_run *run);
