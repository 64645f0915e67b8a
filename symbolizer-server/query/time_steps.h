/* SPDX-License-Identifier: Apache-2.0 */
/* Time steps: a range of time as stretches of equal length.
 *
 * What it is   steps that begin at multiples of their length since 1970, so that the steps of
 *              overlapping ranges are the same; the first and the last may lie in the range in part.
 * Ownership    values only.
 * Threads      any.
 * Errors       -E2BIG: more steps than allowed.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/time_range.h"

struct time_steps {
	uint64_t start_ns; /* epoch, of the first step */
	uint64_t step_ns;
	uint32_t count;
};

/* STEP_NS is above 0. An empty range has no steps. */
int time_steps_init(struct time_range range, uint64_t step_ns, uint32_t count_max,
	struct time_steps *ret_steps);
/* The shortest length that people count in, and not below STEP_NS_MIN, that makes at most COUNT_MAX
 * steps of a range of RANGE_NS. */
uint64_t time_steps_choose(uint64_t range_ns, uint64_t step_ns_min, uint32_t count_max);
/* The steps that [FROM_NS, UNTIL_NS) reaches into: from the first to before the end. Equal if none
 * is. */
void time_steps_reach(const struct time_steps *steps, uint64_t from_ns, uint64_t until_ns,
	uint32_t *ret_first, uint32_t *ret_end);
