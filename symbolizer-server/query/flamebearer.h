/* SPDX-License-Identifier: Apache-2.0 */
/* Flamebearer: a tree in the form that Pyroscope's clients draw.
 *
 * What it is   levels of four numbers a node: the distance to the bar before it, total, self, and
 *              the number of its name; a node's own part comes before its children. Names are
 *              plain texts, each once; what was trimmed is called `other`, as there.
 * Ownership    owns its arrays; names are borrowed from the tree's function table.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/level_tree.h"

struct flamebearer_node {
	int64_t x_delta;
	int64_t total;
	int64_t self;
	uint32_t name;
};

struct flamebearer_name {
	const char *text;
	size_t length;
};

struct flamebearer {
	struct flamebearer_name *names; /* name 0 is the root's */
	uint32_t name_count;
	struct flamebearer_node *nodes; /* level after level */
	uint32_t node_count;
	uint32_t *level_ends; /* of each level: the first node behind it */
	uint32_t level_count;
	int64_t self_max;
};

/* TREE in the order LEVEL_TREE_BY_NAME gives the bars the order that those clients are used to. */
int flamebearer_init(struct flamebearer *flamebearer, const struct level_tree *tree);
void flamebearer_done(struct flamebearer *flamebearer);
