/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF ranges: the addresses that an entry holds.
 *
 * What it is   one walk over whichever of the three ways an entry has: first and last address,
 *              a list in .debug_ranges, a list in .debug_rnglists.
 * Ownership    borrows the unit.
 * Threads      one owner.
 * Errors       a damaged list ends early. Ranges are given as they stand: reversed ones, and those
 *              of code that the linker dropped, are for the caller to see.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/dwarf_unit.h"

/* Of one entry: hot and cold parts, and parts that a linker or an optimiser split further. */
#define DWARF_RANGES_MAX 4096

/* The attributes that say it. */
struct dwarf_extent {
	struct dwarf_value low_pc, high_pc, ranges;
};

struct dwarf_range_walk {
	const struct dwarf_unit *unit;
	struct dwarf_cursor cursor;
	uint64_t base;
	uint64_t start, end; /* of the only range */
	uint32_t left;
	enum { DWARF_RANGE_NONE, DWARF_RANGE_ONE, DWARF_RANGE_OLD, DWARF_RANGE_NEW } way;
};

void dwarf_range_begin(const struct dwarf_unit *unit, const struct dwarf_extent *extent,
	struct dwarf_range_walk *ret_walk);
/* False: there are no more. */
bool dwarf_range_next(struct dwarf_range_walk *walk, uint64_t *ret_start, uint64_t *ret_end);
