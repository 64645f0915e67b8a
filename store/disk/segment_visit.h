/* SPDX-License-Identifier: Apache-2.0 */
/* Segment visit: which sections of a group answer for a range.
 *
 * What it is   the plan of one visit, hour by hour; segment_group_visit is its entry.
 * Ownership    as struct segment_visit.
 * Threads      one owner.
 * Errors       -ENOMEM, errors of reading; damage is counted in the visit.
 */
#pragma once

#include "store/disk/segment_piece.h"

enum segment_hour_state {
	SEGMENT_HOUR_DONE, /* answered, or outside the range */
	SEGMENT_HOUR_SUMS, /* wholly in the range and in one step */
	SEGMENT_HOUR_BUCKETS, /* series: cut on the grid of buckets alone */
	SEGMENT_HOUR_ROWS,
};

struct segment_hour_plan {
	uint64_t hour;
	uint32_t section; /* sums, or totals of series, of this hour */
	enum segment_hour_state state;
};

struct segment_plan {
	struct segment_visit *visit;
	struct segment_hour_plan *hours; /* upwards */
	uint32_t hour_count;
	uint32_t hour_capacity;
	struct segment_piece piece;
};

/* The first hour of the plan from HOUR on, or NULL. */
struct segment_hour_plan *segment_plan_find(const struct segment_plan *plan, uint64_t hour);
/* Reads the sums at PLACE of the head's sections; damage is counted, and answered for elsewhere. */
int segment_plan_sums(struct segment_plan *plan, uint32_t place, struct segment_sums *ret_sums);
/* Hands on what is in the plan's piece, rows of series: those of [FROM_NS, UNTIL_NS), of which all
 * that the group has is asked for. */
void segment_plan_emit(struct segment_plan *plan, uint64_t from_ns, uint64_t until_ns);
bool segment_visit_wants(const struct segment_visit *visit, uint32_t set);
