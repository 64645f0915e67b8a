/* SPDX-License-Identifier: Apache-2.0 */
/* Level order: a tree that came level by level, for whoever prints it depth first.
 *
 * What it is   the order of nodes, and how deep each lies.
 * Ownership    the arrays are the caller's, COUNT each.
 * Threads      any.
 * Errors       -EBADMSG: the counts of children make no tree.
 */
#pragma once

#include <stdint.h>

/* CHILD_COUNTS: of each node; the children of a node stand together. FIRST is scratch. */
int level_order_walk(const uint32_t *child_counts, uint32_t count, uint32_t *first,
	uint32_t *ret_order, uint32_t *ret_depths);
