/* SPDX-License-Identifier: Apache-2.0 */
/* Segment chunk visit: pieces out of rows of 10 s.
 *
 * What it is   for what sums cannot tell: the edges of a range, short steps, threads and CPUs. Rows
 *              are dealt out to the steps that they reach into, each by its part.
 * Ownership    as struct segment_visit.
 * Threads      one owner.
 * Errors       -ENOMEM; -EBADMSG: the chunk or its windows are damaged; errors of reading.
 */
#pragma once

#include "store/disk/segment_piece.h"

#define SEGMENT_RANGE_COUNT_MAX 2u

/* The chunk at PLACE of the head's sections, in up to two ranges of time that do not overlap. */
int segment_chunk_visit(struct segment_visit *visit, uint32_t place,
	const struct segment_range *ranges, uint32_t range_count);

/* Reads a chunk, with its slots if any window is cut by the ranges or by a step, and checks that they
 * lie in their windows. RET_WINDOWS are those of its hour, and stay until the next call. */
int segment_chunk_load(const struct segment_visit *visit, uint32_t place,
	const struct segment_range *ranges, uint32_t range_count, struct segment_chunk *ret_chunk,
	const struct segment_windows **ret_windows);
