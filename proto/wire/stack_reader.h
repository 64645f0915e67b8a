/* SPDX-License-Identifier: Apache-2.0 */
/* Stack reader: the columns of a body's stacks as a stack table.
 *
 * What it is   climbs and frame deltas, checked, become nodes. Columns in the order that senders
 *              keep prove by themselves that no node comes twice; only others need to be looked up.
 * Ownership    scratch memory comes from the caller's arena.
 * Threads      no shared state.
 * Errors       -EBADMSG: malformed; -E2BIG: beyond a limit; RET_WHAT (static text) names what is
 *              wrong then. -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/arena.h"
#include "store/profile/stack_table.h"

struct stack_columns {
	const uint32_t *climb;
	const int32_t *frame_delta;
	size_t count;
	const uint32_t *frames; /* number in the body -> index in the profile */
	uint32_t frame_count;
	bool frames_distinct; /* no two numbers are the same frame */
	uint32_t depth_max;
};

/* Fills STACKS, which is empty, and RET_NODES: the index of each node, number 0 (the empty stack)
 * first, so one more than COUNT. Nothing may be added to STACKS afterwards. */
int stack_reader_read(const struct stack_columns *columns, struct arena *arena,
	struct stack_table *stacks, uint32_t *ret_nodes, const char **ret_what);
