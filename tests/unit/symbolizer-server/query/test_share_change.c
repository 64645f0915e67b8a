/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/share_change.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/check.h"

#define GROUPS 6u

static bool near(double value, double expected, double tolerance)
{
	return fabs(value - expected) <= tolerance;
}

/* Values of any table of Student's distribution. */
static void student_is_that_of_the_tables(void)
{
	CHECK(near(student_two_sided(2.228, 10), 0.05, 1e-4));
	CHECK(near(student_two_sided(12.706, 1), 0.05, 1e-4));
	CHECK(near(student_two_sided(-3.169, 10), 0.01, 1e-4));
	CHECK(near(student_two_sided(2.576, 1e9), 0.01, 1e-4));
	CHECK(near(student_two_sided(1.96, INFINITY), 0.05, 1e-4));
	CHECK(near(student_two_sided(0, 5), 1, 1e-12));
	CHECK(near(student_two_sided(NAN, 5), 1, 0));
}

static struct share_side side_of(const int64_t *parts, const int64_t *totals, uint64_t samples)
{
	return (struct share_side){
		.parts = parts, .totals = totals, .group_count = GROUPS, .sample_count = samples};
}

static void equal_sides_did_not_change(void)
{
	int64_t parts[GROUPS] = {10, 12, 9, 11, 10, 8},
		totals[GROUPS] = {100, 100, 100, 100, 100, 100};
	struct share_side side = side_of(parts, totals, 600);
	struct share_change change = share_change_of(&side, &side);

	CHECK(near(change.left, 0.1, 1e-12));
	CHECK(near(change.right, 0.1, 1e-12));
	CHECK(near(change.p, 1, 1e-9));
	CHECK(!share_change_is_real(&change));
}

static void a_steady_growth_is_real(void)
{
	int64_t few[GROUPS] = {10, 12, 9, 11, 10, 8}, many[GROUPS] = {30, 29, 32, 31, 28, 30};
	int64_t totals[GROUPS] = {100, 100, 100, 100, 100, 100};
	struct share_side left = side_of(few, totals, 600), right = side_of(many, totals, 600);
	struct share_change change = share_change_of(&left, &right);

	CHECK(near(change.right - change.left, 0.2, 1e-12));
	CHECK(share_change_is_real(&change));
	CHECK(change.p < 1e-6);
}

/* One group out of six went wild: the spread says so, counting alone would not. */
static void one_wild_group_is_noise(void)
{
	int64_t calm[GROUPS] = {10, 10, 10, 10, 10, 10}, wild[GROUPS] = {10, 10, 100, 10, 10, 10};
	int64_t totals[GROUPS] = {100, 100, 100, 100, 100, 100};
	struct share_side left = side_of(calm, totals, 600), right = side_of(wild, totals, 600);
	struct share_change change = share_change_of(&left, &right);

	CHECK(near(change.right, 0.25, 1e-12));
	CHECK(!share_change_is_real(&change));
}

/* Groups that are equal by chance do not make a difference of two samples real. */
static void counting_bounds_the_error_from_below(void)
{
	int64_t none[GROUPS] = {0}, two[GROUPS] = {0, 1, 0, 1, 0, 0};
	int64_t totals[GROUPS] = {100, 100, 100, 100, 100, 100};
	struct share_side left = side_of(none, totals, 600), right = side_of(two, totals, 600);
	struct share_change change = share_change_of(&left, &right);

	CHECK(change.error > 0);
	CHECK(!share_change_is_real(&change));
	CHECK(change.p > 0.05);
}

static void what_is_new_can_be_real(void)
{
	int64_t none[GROUPS] = {0}, many[GROUPS] = {20, 21, 19, 20, 22, 18};
	int64_t totals[GROUPS] = {100, 100, 100, 100, 100, 100};
	struct share_side left = side_of(none, totals, 600), right = side_of(many, totals, 600);
	struct share_change change = share_change_of(&left, &right);

	CHECK(near(change.left, 0, 0));
	CHECK(share_change_is_real(&change));
}

static void a_side_without_samples_tells_nothing(void)
{
	int64_t none[GROUPS] = {0}, some[GROUPS] = {1, 2, 3, 1, 2, 3};
	int64_t totals[GROUPS] = {10, 10, 10, 10, 10, 10};
	struct share_side empty = side_of(none, none, 0), right = side_of(some, totals, 60);
	struct share_change change = share_change_of(&empty, &right);

	CHECK(near(change.p, 1, 0));
	CHECK(near(change.left, 0, 0));
	CHECK(near(change.right, 0.2, 1e-12));
	change = share_change_of(&right, &empty);
	CHECK(near(change.p, 1, 0));
}

static void one_group_a_side_goes_by_counting(void)
{
	int64_t few = 100, many = 200, total = 1000;
	struct share_side left = {&few, &total, 1, 1000}, right = {&many, &total, 1, 1000};
	struct share_change change = share_change_of(&left, &right);

	CHECK(share_change_is_real(&change));
	left.sample_count = right.sample_count = 20;
	change = share_change_of(&left, &right);
	CHECK(!share_change_is_real(&change));
}

/* What "one in a hundred" promises: the same program against itself, drawn many times. */
static void chance_alone_is_seldom_called_a_change(void)
{
	enum { RUNS = 4000, SAMPLES = 190 };
	uint32_t called = 0;

	srand48(7);
	for (int run = 0; run < RUNS; run++) {
		int64_t parts[2][GROUPS] = {{0}}, totals[GROUPS];

		for (uint32_t group = 0; group < GROUPS; group++) {
			totals[group] = SAMPLES;
			for (int i = 0; i < 2 * SAMPLES; i++)
				parts[i % 2][group] += drand48() < 0.05;
		}
		struct share_side left = side_of(parts[0], totals, GROUPS * SAMPLES);
		struct share_side right = side_of(parts[1], totals, GROUPS * SAMPLES);
		struct share_change change = share_change_of(&left, &right);

		called += share_change_is_real(&change);
	}
	CHECK(called < RUNS * 2 / 100);
}

int main(void)
{
	RUN(student_is_that_of_the_tables);
	RUN(equal_sides_did_not_change);
	RUN(a_steady_growth_is_real);
	RUN(one_wild_group_is_noise);
	RUN(counting_bounds_the_error_from_below);
	RUN(what_is_new_can_be_real);
	RUN(a_side_without_samples_tells_nothing);
	RUN(one_group_a_side_goes_by_counting);
	RUN(chance_alone_is_seldom_called_a_change);
	return 0;
}
