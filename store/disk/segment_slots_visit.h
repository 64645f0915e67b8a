/* SPDX-License-Identifier: Apache-2.0 */
/* Segment slots visit: windows as they came.
 *
 * What it is   the rows of a chunk, grouped by window again, each window a profile with stacks,
 *              frames and threads of its own: so that what a visitor does with one costs what is in
 *              it, not what the group's dictionary holds.
 * Ownership    as struct segment_visit.
 * Threads      one owner.
 * Errors       -ENOMEM; -EBADMSG: the chunk or its windows are damaged; errors of reading.
 */
#pragma once

#include "store/disk/segment_piece.h"

/* Windows of the chunk at PLACE of the head's sections that overlap the range. */
int segment_slots_visit(
	struct segment_visit *visit, uint32_t place, const struct segment_range *range);
