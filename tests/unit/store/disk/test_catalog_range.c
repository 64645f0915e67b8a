/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_range.h"

#include "store/disk/catalog_note.h"
#include "tests/support/check.h"

#define HOUR CATALOG_HOUR_NS
#define WHOLE_DAY 0xffffffu

static void a_range_of_one_moment_touches_its_hour(void)
{
	struct catalog_range range = catalog_range_of(25 * HOUR, 25 * HOUR + 1);

	CHECK_EQ(range.first_hour, 25);
	CHECK_EQ(range.last_hour, 25);
	CHECK_EQ(range.first_day, 1);
	CHECK_EQ(catalog_range_mask(&range, 1), 2);
	CHECK_EQ(catalog_range_mask(&range, 0), 0);
	CHECK_EQ(catalog_range_mask(&range, 2), 0);
}

static void an_end_on_the_hour_does_not_touch_it(void)
{
	struct catalog_range range = catalog_range_of(22 * HOUR, 48 * HOUR);

	CHECK_EQ(range.last_day, 1);
	CHECK_EQ(catalog_range_mask(&range, 0), 3u << 22);
	CHECK_EQ(catalog_range_mask(&range, 1), WHOLE_DAY);
}

static void days_between_are_whole(void)
{
	struct catalog_range range = catalog_range_of(23 * HOUR + 1, 72 * HOUR + 1);

	CHECK_EQ(catalog_range_mask(&range, 0), 1u << 23);
	CHECK_EQ(catalog_range_mask(&range, 1), WHOLE_DAY);
	CHECK_EQ(catalog_range_mask(&range, 2), WHOLE_DAY);
	CHECK_EQ(catalog_range_mask(&range, 3), 1);
}

static void all_of_time_is_a_range(void)
{
	struct catalog_range range = catalog_range_of(0, UINT64_MAX);

	CHECK_EQ(catalog_range_mask(&range, 0), WHOLE_DAY);
	CHECK(catalog_range_mask(&range, range.last_day) != 0);
	CHECK_EQ(catalog_range_mask(&range, range.last_day + 1), 0);
}

int main(void)
{
	RUN(a_range_of_one_moment_touches_its_hour);
	RUN(an_end_on_the_hour_does_not_touch_it);
	RUN(days_between_are_whole);
	RUN(all_of_time_is_a_range);
	return 0;
}
