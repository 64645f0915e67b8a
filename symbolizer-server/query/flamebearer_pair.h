/* SPDX-License-Identifier: Apache-2.0 */
/* Flamebearer pair: a tree of two sides in the form that Pyroscope's clients draw.
 *
 * What it is   a flamebearer whose nodes have seven numbers: distance, total and self of the left
 *              side, the same of the right one, and the name. Both sides have the same nodes in the
 *              same order, those that a side lacks with zeros.
 * Ownership    owns its numbers; names are borrowed from the tree's function table.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include "symbolizer-server/query/comparison.h"
#include "symbolizer-server/query/flamebearer.h"

#define FLAMEBEARER_PAIR_NUMBERS 7

struct flamebearer_pair {
	struct flamebearer names; /* its names and levels; the numbers of its nodes stand below */
	int64_t *numbers; /* FLAMEBEARER_PAIR_NUMBERS of each node, level after level */
	int64_t totals[COMPARISON_SIDE_COUNT];
	int64_t self_max;
};

/* TREE: with the lanes of COMPARISON, in the order LEVEL_TREE_BY_NAME. */
int flamebearer_pair_init(struct flamebearer_pair *pair, const struct level_tree *tree,
	const struct comparison *comparison);
void flamebearer_pair_done(struct flamebearer_pair *pair);
