/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog range: the days and hours that a range of time touches.
 *
 * What it is   pure arithmetic on half-open ranges.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

struct catalog_range {
	uint32_t first_hour, last_hour; /* since the epoch, both touched */
	uint32_t first_day, last_day;
};

/* FROM_NS must be below UNTIL_NS. */
struct catalog_range catalog_range_of(uint64_t from_ns, uint64_t until_ns);
/* The hours of DAY that the range touches, bit 0 the first. */
uint32_t catalog_range_mask(const struct catalog_range *range, uint32_t day);
