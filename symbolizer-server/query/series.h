/* SPDX-License-Identifier: Apache-2.0 */
/* Series: what a query takes, step by step through its range, by group.
 *
 * What it is   sums of values for each step and each combination of a few labels; with a function,
 *              also those of the samples in it. What finds no room of its own is in the rest, so
 *              that groups and rest always add up to all.
 * Ownership    owns its sums; borrows selector, names and match until series_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: a regular expression took too many steps; -EOVERFLOW: a sum would
 *              not fit.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "symbolizer-server/query/function_match.h"
#include "symbolizer-server/query/label_groups.h"
#include "symbolizer-server/query/row_filter.h"
#include "symbolizer-server/query/step_cut.h"

/* Sums of all groups and steps together: 64 MiB. */
#define SERIES_SUM_COUNT_MAX (8u << 20)

/* What is summed: values; and of these, those of a function itself, and of it with what it called. */
enum series_plane { SERIES_ALL, SERIES_SELF, SERIES_IN, SERIES_PLANE_COUNT };

struct series_group {
	uint64_t sample_count;
	int64_t total;
};

struct series_question {
	const struct selector *selector;
	struct time_range range;
	struct time_steps steps;
	struct label_names by;
	struct function_match *match; /* NULL: of no function */
};

struct series {
	struct row_filter filter;
	struct step_cut cut;
	struct label_groups groups;
	struct function_match *match;
	uint32_t plane_count; /* SERIES_ALL alone, or all of them */
	struct series_group *totals; /* of each group */
	struct series_group rest;
	int64_t *sums; /* group by group, plane by plane, step by step */
	int64_t *rest_sums;
	uint32_t capacity; /* groups */
	uint64_t sample_count;
	int64_t total;
	bool overflow;
};

int series_init(struct series *series, const struct series_question *question);
void series_done(struct series *series);
/* PROFILE must have passed profile_check. */
int series_add(struct series *series, const struct profile *profile);

/* The sums of a group, or of LABEL_GROUPS_REST: one for each step. */
const int64_t *series_sums(const struct series *series, uint32_t group, enum series_plane plane);
/* Groups by falling total, then by their texts; at most COUNT. RET_ORDER holds them, the caller's to
 * free. What does not fit is added to the rest. */
int series_rank(struct series *series, uint32_t count, uint32_t **ret_order, uint32_t *ret_count);
