/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison: two sides of one call tree, and what changed from the left one to the right one.
 *
 * What it is   sums of a tree's lanes by side; the lanes of a side are groups of time, so that the
 *              spread between them tells change from noise (share_change.h). Sides are compared by
 *              share of their own total; what else they can be divided by, time and CPU time, stands
 *              beside them.
 * Ownership    values only; lanes are borrowed for the call.
 * Threads      any.
 * Errors       -ENOMEM for the table.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/call_tree.h"
#include "symbolizer-server/query/partial.h"
#include "symbolizer-server/query/share_change.h"
#include "symbolizer-server/query/time_range.h"

enum comparison_sides { COMPARISON_LEFT, COMPARISON_RIGHT, COMPARISON_SIDE_COUNT };

/* Half of a tree's lanes each. */
#define COMPARISON_GROUP_COUNT_MAX (MERGE_LANE_COUNT_MAX / COMPARISON_SIDE_COUNT)
/* Groups shorter than a window would stand empty in turn. */
#define COMPARISON_GROUP_NS_MIN (UINT64_C(10) * NS_PER_S)

struct comparison_side {
	struct time_range range; /* as asked */
	struct time_range covered; /* by profiles; equal ends: by none */
	uint64_t sample_count;
	int64_t period; /* 0 if it varies */
	uint64_t core_ns; /* covered time x CPUs, of the hosts that have samples in the query */
	uint32_t lane_first;
	uint32_t group_count;
	/* Groups begin at group_origin_ns + k x group_ns; whatever lies before the second is in the
	 * first, and what lies behind the last in that. */
	uint64_t group_origin_ns; /* epoch */
	uint64_t group_ns; /* 0: there is one group */
	struct partial partial;
};

struct comparison {
	struct comparison_side sides[COMPARISON_SIDE_COUNT];
	uint32_t lane_count;
};

/* Deals out the lanes for two ranges. */
void comparison_init(
	struct comparison *comparison, struct time_range left, struct time_range right);
/* The lane for what happened at TIME_NS on that side; times outside count as its nearest end. */
uint32_t comparison_lane(
	const struct comparison *comparison, enum comparison_sides side, uint64_t time_ns);

/* LANES holds lane_count sums: those of one node or function. */
int64_t comparison_value(
	const struct comparison *comparison, enum comparison_sides side, const int64_t *lanes);
/* ROOT holds the lanes of the whole tree. */
struct share_change comparison_change(
	const struct comparison *comparison, const int64_t *lanes, const int64_t *root);

/* Gives every node of CALLS a total to which both sides contribute alike, however much longer one of
 * them is, for what orders and trims: the sum of its shares of both sides, in 2^-60. */
void comparison_balance(const struct comparison *comparison, struct call_tree *calls);

struct comparison_row {
	uint32_t function;
	const int64_t *self; /* lanes */
	const int64_t *total; /* lanes; recursion counts once */
};

struct comparison_table {
	struct comparison_row *rows; /* of every function but the root, in the table's order */
	uint32_t count;
	int64_t *lanes;
};

int comparison_table_init(struct comparison_table *table, const struct call_tree *calls);
void comparison_table_done(struct comparison_table *table);
/* By how much the share of TOTAL changed, either way, the most first; then by name. */
void comparison_table_sort(struct comparison_table *table, const struct comparison *comparison,
	const struct call_tree *calls);
