/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_range.h"

#include "store/base/must.h"
#include "store/disk/catalog_note.h"

struct catalog_range catalog_range_of(uint64_t from_ns, uint64_t until_ns)
{
	struct catalog_range range;

	must(from_ns < until_ns);
	range.first_hour = (uint32_t)(from_ns / CATALOG_HOUR_NS);
	range.last_hour = (uint32_t)((until_ns - 1) / CATALOG_HOUR_NS);
	range.first_day = range.first_hour / CATALOG_DAY_HOURS;
	range.last_day = range.last_hour / CATALOG_DAY_HOURS;
	return range;
}

uint32_t catalog_range_mask(const struct catalog_range *range, uint32_t day)
{
	uint32_t mask = (1u << CATALOG_DAY_HOURS) - 1;

	if (day < range->first_day || day > range->last_day)
		return 0;
	if (day == range->first_day)
		mask &= mask << range->first_hour % CATALOG_DAY_HOURS;
	if (day == range->last_day)
		mask &= (2u << range->last_hour % CATALOG_DAY_HOURS) - 1;
	return mask & ((1u << CATALOG_DAY_HOURS) - 1);
}
