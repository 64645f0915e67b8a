/* SPDX-License-Identifier: Apache-2.0 */
/* Frame reader: the columns of a body's frames as a frame table.
 *
 * What it is   groups and distances of addresses, checked, become frames. Columns in the order that
 *              senders keep prove by themselves that no frame comes twice; only others need to be
 *              looked up.
 * Ownership    nothing is kept.
 * Threads      no shared state.
 * Errors       -EBADMSG: malformed; -E2BIG: beyond a limit; RET_WHAT (static text) names what is
 *              wrong then. -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/profile/frame_table.h"

/* Numbers in the body -> indices in the profile. */
struct frame_numbers {
	const uint32_t *to;
	uint32_t count;
	bool distinct; /* no two numbers are the same index */
};

struct frame_columns {
	const uint32_t *group_module;
	const uint32_t *group_kind;
	const uint32_t *group_flags;
	const uint32_t *group_frame_count;
	size_t group_count;
	const uint64_t *address;
	size_t count;
	struct frame_numbers modules;
	struct frame_numbers texts;
};

/* Fills FRAMES, which is empty, and RET_FRAMES: the index of each of COUNT frames. Nothing may be
 * added to FRAMES afterwards. */
int frame_reader_read(const struct frame_columns *columns, struct frame_table *frames,
	uint32_t *ret_frames, const char **ret_what);
