/* SPDX-License-Identifier: Apache-2.0 */
/* Segment tally: what the rows of a chunk come to, hour by hour and bucket by bucket.
 *
 * What it is   the sums of stacks by series over an hour, and the totals of series over buckets of
 *              10 s, by the rule of sample_range.h: of a window that lies in two of them each has its
 *              part. So sums over hours and cuts of rows add up to the same.
 * Ownership    a tally owns its sums.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many sums.
 */
#pragma once

#include "store/disk/segment_build.h"

struct segment_tally {
	uint64_t hour;
	struct segment_sums sums; /* stack, label set */
	struct segment_sums series; /* label set, bucket of the hour */
};

int segment_tally_init(struct segment_tally *tally, uint64_t hour, uint32_t type_count);
/* Accepts a zeroed tally. */
void segment_tally_done(struct segment_tally *tally);
/* Adds the sorted CHUNK to NOW, which is of its hour, and to NEXT, which is of the one behind it.
 * SPANS are the windows of its hour; tables of types with slots have these. */
int segment_tally_chunk(const struct segment_head *head, const struct segment_chunk *chunk,
	const struct segment_hour_spans *spans, struct segment_tally *now,
	struct segment_tally *next);
