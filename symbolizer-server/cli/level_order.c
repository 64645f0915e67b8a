/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/level_order.h"

#include <errno.h>

/* Gives FIRST, the first child of each node. */
static int find_children(const uint32_t *child_counts, uint32_t count, uint32_t *first)
{
	uint64_t next = 1;

	for (uint32_t i = 0; i < count; i++) {
		/* A child comes behind its parent. */
		if (next <= i || next + child_counts[i] > count)
			return -EBADMSG;
		first[i] = (uint32_t)next;
		next += child_counts[i];
	}
	return next == count ? 0 : -EBADMSG;
}

/*
 * Nodes that are known but not yet in order stand at the end of RET_ORDER as a stack, the next one
 * last: those taken and those waiting are never more than all.
 */
int level_order_walk(const uint32_t *child_counts, uint32_t count, uint32_t *first,
	uint32_t *ret_order, uint32_t *ret_depths)
{
	uint32_t taken = 0, waiting = 1;
	int r = count > 0 ? find_children(child_counts, count, first) : 0;

	if (r < 0 || count == 0)
		return r;
	ret_order[count - 1] = 0;
	ret_depths[0] = 0;
	while (waiting > 0) {
		uint32_t node = ret_order[count - waiting];
		uint32_t children = child_counts[node];

		waiting--;
		ret_order[taken++] = node;
		for (uint32_t i = 0; i < children; i++) {
			uint32_t child = first[node] + children - 1 - i;

			waiting++;
			ret_order[count - waiting] = child;
			ret_depths[child] = ret_depths[node] + 1;
		}
	}
	return 0;
}
