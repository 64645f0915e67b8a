/* SPDX-License-Identifier: Apache-2.0 */
/* Sample range: the part of a profile that lies in a range of time.
 *
 * What it is   the one rule by which everybody cuts a window: a sample belongs to [from, until) if
 *              its slot starts there. A row of n samples and value v gives to its first k samples
 *              round(v * k / n), so that the parts of adjacent ranges always sum to the whole, in
 *              integers; where the value is n * period each sample has its period. A table without
 *              slots says nothing finer than its window, so its counts and values are spread evenly
 *              over the slots of the window by the same rounding.
 * Ownership    values only.
 * Threads      any.
 * Errors       none: a range that misses the window has empty parts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/profile.h"

struct sample_range {
	uint32_t slot_count; /* of the window */
	uint32_t slot_from; /* first slot that starts in the range */
	uint32_t slot_until; /* first slot behind it that starts no more in the range */
	bool whole; /* every sample of the window lies in the range */
};

struct sample_part {
	uint64_t count;
	int64_t value;
};

/* RANGE serves all tables of PROFILE, which must have passed profile_check. */
void sample_range_init(struct sample_range *ret_range, const struct profile *profile,
	uint64_t from_ns, uint64_t until_ns);
/* The same for any window: its start (epoch, on the grid of slots) and number of slots. */
void sample_range_of(struct sample_range *ret_range, uint64_t start_ns, uint32_t slot_count,
	uint64_t from_ns, uint64_t until_ns);
/* The share of ROW of the sealed TABLE. */
struct sample_part sample_range_part(const struct sample_range *range,
	const struct sample_table *table, const struct sample_row *row);

/* The rule's two halves, for those who cut one window into many parts at once. */

/* How many slots of a window that begins at START_NS start before AT_NS, at most SLOT_COUNT. */
uint32_t sample_range_slots_before(uint64_t start_ns, uint32_t slot_count, uint64_t at_ns);
/* round(VALUE * PART / WHOLE), halves away from zero: 0 for no part, VALUE for the whole, and
 * monotonous between, so that differences of it never change sign. */
int64_t sample_range_share(int64_t value, uint64_t part, uint64_t whole);
