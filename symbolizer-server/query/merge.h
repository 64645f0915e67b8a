/* SPDX-License-Identifier: Apache-2.0 */
/* Merge: the stacks of many profiles as one tree of raw frames.
 *
 * What it is   adds what a query takes of one profile after the other; equal frames (module by
 *              build-ID and name, kind, flags, address) under equal parents become one node. The
 *              order of the profiles changes nothing but the numbering. For a comparison two
 *              sides are merged into one tree, and what each node has is kept apart in lanes.
 * Ownership    owns its tables; borrows the selector until merge_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many distinct frames or stacks, or a regular expression took
 *              too many steps; -EOVERFLOW: the sum of values would not fit. After an error only
 *              merge_done may follow.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/profile.h"
#include "symbolizer-server/query/growing_tree.h"
#include "symbolizer-server/query/row_filter.h"

/* Sums that a comparison keeps apart: eight groups of time on each of two sides. */
#define MERGE_LANE_COUNT_MAX 16u

struct merge_scratch {
	uint64_t dictionary; /* whose the next ones are; 0: of one profile alone */
	uint32_t *modules; /* of the profile -> of the merge */
	uint32_t *frames;
	uint32_t *nodes; /* stack of the profile -> node of the tree; not of a tree below labels */
	struct merge_leaf *stacks;
	uint32_t frame_next, node_next; /* where the walk along frames and nodes of the merge is */
	uint8_t *threads; /* of which something was taken, if hosts are listed */
	uint32_t module_capacity;
	uint32_t frame_capacity;
	uint32_t node_capacity;
	uint32_t stack_capacity;
	uint32_t thread_capacity;
};

/* Names of labels are no frames of a profile: this kind says so, in a merge alone. */
#define MERGE_FRAME_LABEL FRAME_KIND_COUNT

struct root_labels;

struct merge {
	struct row_filter filter;
	struct string_table strings;
	struct module_table modules; /* module 0 is "none" */
	struct frame_table frames;
	struct growing_tree tree; /* what: index into frames, but of the root */
	int64_t total;
	uint64_t sample_count;
	int64_t period; /* 0 if it varies between profiles */
	bool period_known;
	uint64_t negative_count; /* rows left out: a tree cannot show a negative value */
	int64_t *lanes; /* of each node lane_count sums, which add up to its self; NULL: none */
	uint32_t lane_capacity; /* nodes */
	uint32_t lane_count;
	uint32_t lane; /* the caller's: where the next profile's values go */
	struct root_labels
		*root; /* borrowed: values of labels stand above the stacks; NULL: none do */
	struct string_table
		*hosts; /* borrowed: gets the hosts of what is taken; NULL: not wanted */
	struct merge_scratch scratch;
};

int merge_init(struct merge *merge, const struct selector *selector, struct time_range range);
void merge_done(struct merge *merge);
/* Right after merge_init: values are summed in LANE_COUNT lanes, too. */
void merge_keep_lanes(struct merge *merge, uint32_t lane_count);
/* Right after merge_init: the values of some labels become the first levels of the tree. */
void merge_keep_root(struct merge *merge, struct root_labels *root);
/* What is added from now on is taken by another selector and range: the other side of a comparison.
 * The period is that of what comes. */
void merge_turn(struct merge *merge, const struct selector *selector, struct time_range range);
/* Gives back the memory of all that was merged but the sums: once names are joined, a large tree
 * need not be held twice. */
void merge_release(struct merge *merge);
/* PROFILE must have passed profile_check. */
int merge_add(struct merge *merge, const struct profile *profile);

/* For those who ask which frames of the merge those of a profile are: turns to PROFILE, which must
 * have passed profile_check; and finds or adds a frame of it. */
int merge_open(struct merge *merge, const struct profile *profile);
int merge_map_frame(
	struct merge *merge, const struct profile *profile, uint32_t frame, uint32_t *ret_frame);
/* The frame that stands for a text of LENGTH bytes, which is no frame of a profile. */
int merge_label_frame(struct merge *merge, const char *text, size_t length, uint32_t *ret_frame);
/* About what it holds in memory. */
size_t merge_bytes(const struct merge *merge);
