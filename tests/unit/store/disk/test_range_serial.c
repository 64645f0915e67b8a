/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/range_serial.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

#define MINUTE (60 * NS_PER_S)
/* Some minute of 2023. */
#define START (UINT64_C(28333333) * MINUTE)

static struct range_serials serials;

static uint64_t of(uint64_t first_minute, uint64_t end_minute)
{
	return range_serials_of(
		&serials, START + first_minute * MINUTE, START + end_minute * MINUTE);
}

static void touch(uint64_t minute)
{
	range_serials_touch(&serials, START + minute * MINUTE, START + minute * MINUTE + 1);
}

static void what_comes_into_a_range_changes_its_number_and_no_other(void)
{
	uint64_t before, beside;

	serials = (struct range_serials){0};
	touch(3);
	before = of(0, 10);
	beside = of(4, 10);
	CHECK(before != beside);
	touch(3);
	CHECK(of(0, 10) != before);
	CHECK_EQ(of(4, 10), beside);
	before = of(0, 10);
	CHECK_EQ(of(0, 10), before);
}

static void a_window_over_the_end_of_a_minute_is_in_both(void)
{
	uint64_t first, second;

	serials = (struct range_serials){0};
	first = of(0, 1);
	second = of(1, 2);
	range_serials_touch(&serials, START + MINUTE - 1, START + MINUTE + 1);
	CHECK(of(0, 1) != first);
	CHECK(of(1, 2) != second);
}

static void minutes_that_are_forgotten_never_look_unchanged_by_mistake(void)
{
	uint64_t old;

	serials = (struct range_serials){0};
	touch(0);
	old = of(0, 1);
	/* Its place is taken by a minute six days later: what it was can be told no more. */
	touch(RANGE_SERIAL_MINUTE_COUNT);
	CHECK(of(0, 1) >= old);
	old = of(0, 1);
	touch(0);
	CHECK(of(0, 1) > old);
	CHECK(of(RANGE_SERIAL_MINUTE_COUNT, RANGE_SERIAL_MINUTE_COUNT + 1) > 0);
}

static void what_happens_anywhere_changes_all(void)
{
	uint64_t before;

	serials = (struct range_serials){0};
	touch(5);
	before = of(5, 6);
	range_serials_touch_all(&serials);
	CHECK(of(5, 6) > before);
	before = of(0, 1);
	range_serials_touch(&serials, 0, START);
	CHECK(of(0, 1) > before);
}

int main(void)
{
	RUN(what_comes_into_a_range_changes_its_number_and_no_other);
	RUN(a_window_over_the_end_of_a_minute_is_in_both);
	RUN(minutes_that_are_forgotten_never_look_unchanged_by_mistake);
	RUN(what_happens_anywhere_changes_all);
	return 0;
}
