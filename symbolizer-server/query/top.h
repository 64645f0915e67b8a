/* SPDX-License-Identifier: Apache-2.0 */
/* Top: the functions of a tree with their own and their whole time.
 *
 * What it is   self is the sum over all nodes of a function; total counts a node only if no caller
 *              of it is the same function, so that recursion counts once.
 * Ownership    owns its rows; functions are indices into the tree's table.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/call_tree.h"

struct top_row {
	uint32_t function;
	int64_t self;
	int64_t total;
	bool called; /* at least once; else each of its calls was inlined */
};

struct top {
	struct top_row *rows; /* by falling self, then total, then name; the root is none of them */
	uint32_t count;
};

int top_init(struct top *top, const struct call_tree *calls);
/* Keeps the rows of one function alone: of the function that is shown as NAME, whatever its lines and
 * builds; in MODULE, if that is not NULL. */
void top_keep_function(struct top *top, const struct function_table *functions, const char *name,
	const char *module);
void top_done(struct top *top);
