/* SPDX-License-Identifier: Apache-2.0 */
/* Timeline: what a query takes, step by step through its range.
 *
 * What it is   sums of values in steps of equal length, as wide as Pyroscope's for that range, the
 *              first aligned to its own length.
 * Ownership    owns its sums; borrows the selector until timeline_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: a regular expression took too many steps.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/row_filter.h"

struct timeline {
	const struct selector *selector;
	struct time_range range;
	uint64_t start_ns; /* epoch, of the first step */
	uint64_t step_ns;
	int64_t *sums;
	uint32_t count;
};

int timeline_init(
	struct timeline *timeline, const struct selector *selector, struct time_range range);
void timeline_done(struct timeline *timeline);
/* PROFILE must have passed profile_check. */
int timeline_add(struct timeline *timeline, const struct profile *profile);

/* The length of a step for a range of RANGE_NS. */
uint64_t timeline_step(uint64_t range_ns);
