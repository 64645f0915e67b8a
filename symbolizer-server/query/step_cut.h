/* SPDX-License-Identifier: Apache-2.0 */
/* Step cut: the rows of a profile, cut by the steps that its window reaches into.
 *
 * What it is   the rule of sample_range.h for many adjacent ranges at once: the parts of a row are
 *              exactly those that each step would take by itself, so they add up to what the whole
 *              range takes, but a row with slots is gone over once.
 * Ownership    owns its bounds; borrows the profile from step_cut_open to the next one.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "store/profile/sample_range.h"
#include "symbolizer-server/query/time_steps.h"

struct step_cut {
	struct time_steps steps;
	struct time_range range; /* what lies outside belongs to no step */
	uint32_t first; /* step that the window reaches into */
	uint32_t count; /* of such steps */
	uint32_t slot_count; /* of the window */
	/* Of each of these steps, and of the end of the last: the slots of the window that start
	 * before it. */
	uint32_t *bounds;
	uint32_t capacity;
};

void step_cut_init(struct step_cut *cut, const struct time_steps *steps, struct time_range range);
void step_cut_done(struct step_cut *cut);
/* PROFILE must have passed profile_check. */
int step_cut_open(struct step_cut *cut, const struct profile *profile);

typedef void (*step_cut_fn)(void *context, uint32_t step, struct sample_part part);
/* Calls ADD for each step in which ROW of TABLE has a part. */
void step_cut_row(const struct step_cut *cut, const struct sample_table *table,
	const struct sample_row *row, step_cut_fn add, void *context);
/* Likewise for PART, of which nobody knows where in the window it lies: spread evenly over that of
 * the window which lies in the range. */
void step_cut_spread(
	const struct step_cut *cut, struct sample_part part, step_cut_fn add, void *context);
