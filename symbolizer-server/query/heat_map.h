/* SPDX-License-Identifier: Apache-2.0 */
/* Heat map: when, within each second, the samples of a query fell.
 *
 * What it is   columns of equal stretches of time, each cut into rows; a cell counts the samples
 *              whose slot starts in it. Samples without slots are spread evenly over their window,
 *              and it is told how many.
 * Ownership    owns its cells; borrows the selector until heat_map_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: a regular expression took too many steps; -EOVERFLOW: the sum of
 *              values would not fit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/row_filter.h"
#include "symbolizer-server/query/step_cut.h"

struct heat_map_shape {
	struct time_steps columns;
	uint32_t row_count; /* of each column; divides its length */
};

struct heat_map {
	struct heat_map_shape shape;
	struct row_filter filter;
	struct step_cut cut; /* by cells */
	uint64_t *counts; /* column by column */
	int64_t *values;
	uint64_t sample_count;
	int64_t total;
	uint64_t spread_count; /* samples without slots */
	uint64_t spread_until_ns; /* end of the last window that has such, epoch; 0: none has */
	bool overflow;
};

/* Columns of COLUMN_NS with at most ROW_COUNT rows of whole slots. -E2BIG: more columns than
 * COLUMN_COUNT_MAX. */
int heat_map_choose(struct time_range range, uint64_t column_ns, uint32_t row_count,
	uint32_t column_count_max, struct heat_map_shape *ret_shape);

int heat_map_init(struct heat_map *map, const struct selector *selector, struct time_range range,
	const struct heat_map_shape *shape);
void heat_map_done(struct heat_map *map);
/* PROFILE must have passed profile_check. */
int heat_map_add(struct heat_map *map, const struct profile *profile);
uint32_t heat_map_cell_count(const struct heat_map *map);
