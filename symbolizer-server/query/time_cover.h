/* SPDX-License-Identifier: Apache-2.0 */
/* Time cover: which time at least one of many stretches covers.
 *
 * What it is   stretches come in any order and may overlap; those that touch are joined, so that what
 *              many hosts cover without a gap costs as much as one stretch. A gap below one slot is
 *              none: windows are told on a grid.
 * Ownership    owns its stretches.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many gaps.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/time_range.h"

struct time_cover {
	struct time_range *stretches;
	uint32_t count;
	uint32_t capacity;
	uint32_t join_at; /* count at which they are joined */
};

void time_cover_init(struct time_cover *cover);
void time_cover_done(struct time_cover *cover);
/* An empty stretch covers nothing. */
int time_cover_add(struct time_cover *cover, struct time_range stretch);
/* Joins what touches and sorts: from then on the stretches rise, with gaps between them. */
void time_cover_join(struct time_cover *cover);
