/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/comparison.h"

#include <math.h>

#include "tests/support/tree_fixture.h"

#define MINUTE (UINT64_C(60) * NS_PER_S)

static bool near(double value, double expected)
{
	return fabs(value - expected) < 1e-9;
}

static void lanes_are_groups_of_time_on_each_side(void)
{
	struct comparison comparison;

	comparison_init(&comparison, (struct time_range){0, MINUTE},
		(struct time_range){10 * MINUTE, 20 * MINUTE});
	CHECK_EQ(comparison.sides[COMPARISON_LEFT].group_count, 6);
	CHECK_EQ(comparison.sides[COMPARISON_RIGHT].group_count, COMPARISON_GROUP_COUNT_MAX);
	CHECK_EQ(comparison.lane_count, 6 + COMPARISON_GROUP_COUNT_MAX);
	CHECK_EQ(comparison_lane(&comparison, COMPARISON_LEFT, 0), 0);
	CHECK_EQ(comparison_lane(&comparison, COMPARISON_LEFT, 10 * NS_PER_S), 1);
	CHECK_EQ(comparison_lane(&comparison, COMPARISON_LEFT, MINUTE), 5);
	CHECK_EQ(comparison_lane(&comparison, COMPARISON_RIGHT, 0), 6);
	CHECK_EQ(comparison_lane(&comparison, COMPARISON_RIGHT, 99 * MINUTE),
		6 + COMPARISON_GROUP_COUNT_MAX - 1);
}

static void an_empty_or_short_range_is_one_group(void)
{
	struct comparison comparison;

	comparison_init(&comparison, (struct time_range){5, 5}, (struct time_range){0, NS_PER_S});
	CHECK_EQ(comparison.lane_count, 2);
	CHECK_EQ(comparison_lane(&comparison, COMPARISON_LEFT, 5), 0);
	CHECK_EQ(comparison_lane(&comparison, COMPARISON_RIGHT, NS_PER_S / 2), 1);
}

/* Two sides of one group each: lane 0 and lane 1. */
static void begin(struct tree_fixture *fixture, struct comparison *comparison, const char *left,
	const char *right)
{
	comparison_init(
		comparison, (struct time_range){0, NS_PER_S}, (struct time_range){0, NS_PER_S});
	tree_fixture_begin(fixture);
	tree_fixture_keep_lanes(fixture, comparison->lane_count);
	tree_fixture_add_to(fixture, 0, left);
	comparison->sides[COMPARISON_LEFT].sample_count = fixture->merge.sample_count;
	tree_fixture_add_to(fixture, 1, right);
	comparison->sides[COMPARISON_RIGHT].sample_count =
		fixture->merge.sample_count - comparison->sides[COMPARISON_LEFT].sample_count;
	tree_fixture_end(fixture);
}

static const struct comparison_row *row_of(
	const struct tree_fixture *fixture, const struct comparison_table *table, const char *name)
{
	for (uint32_t i = 0; i < table->count; i++) {
		if (strcmp(function_table_name(&fixture->functions, table->rows[i].function),
			    name) == 0)
			return &table->rows[i];
	}
	CHECK(!"the function has a row");
	return NULL;
}

static void functions_have_both_sides(void)
{
	struct tree_fixture fixture;
	struct comparison comparison;
	struct comparison_table table;
	const struct comparison_row *row;

	begin(&fixture, &comparison, "main;fast 60\nmain;slow 10\nmain;old 30\n",
		"main;fast 40\nmain;slow 120\nmain;fresh 40\n");
	CHECK_EQ(comparison_table_init(&table, &fixture.calls), 0);
	CHECK_EQ(table.count, 5);
	row = row_of(&fixture, &table, "main");
	CHECK_EQ(comparison_value(&comparison, COMPARISON_LEFT, row->total), 100);
	CHECK_EQ(comparison_value(&comparison, COMPARISON_RIGHT, row->total), 200);
	CHECK_EQ(comparison_value(&comparison, COMPARISON_LEFT, row->self), 0);
	row = row_of(&fixture, &table, "old");
	CHECK_EQ(comparison_value(&comparison, COMPARISON_RIGHT, row->total), 0);
	CHECK_EQ(comparison_value(&comparison, COMPARISON_LEFT, row->self), 30);
	comparison_table_sort(&table, &comparison, &fixture.calls);
	/* 10 % -> 60 %, then 60 % -> 20 %. */
	CHECK_STR(function_table_name(&fixture.functions, table.rows[0].function), "slow");
	CHECK_STR(function_table_name(&fixture.functions, table.rows[1].function), "fast");
	CHECK_STR(function_table_name(&fixture.functions, table.rows[4].function), "main");
	comparison_table_done(&table);
	tree_fixture_done(&fixture);
}

static void recursion_counts_once_on_each_side(void)
{
	struct tree_fixture fixture;
	struct comparison comparison;
	struct comparison_table table;
	const struct comparison_row *row;

	begin(&fixture, &comparison, "f;f;g;f 7\nf;g 2\n", "f;f 5\n");
	CHECK_EQ(comparison_table_init(&table, &fixture.calls), 0);
	row = row_of(&fixture, &table, "f");
	CHECK_EQ(comparison_value(&comparison, COMPARISON_LEFT, row->total), 9);
	CHECK_EQ(comparison_value(&comparison, COMPARISON_LEFT, row->self), 7);
	CHECK_EQ(comparison_value(&comparison, COMPARISON_RIGHT, row->total), 5);
	CHECK_EQ(comparison_value(&comparison, COMPARISON_RIGHT, row->self), 5);
	comparison_table_done(&table);
	tree_fixture_done(&fixture);
}

static void shares_are_of_each_sides_own_total(void)
{
	struct tree_fixture fixture;
	struct comparison comparison;
	struct share_change change;

	begin(&fixture, &comparison, "a 10\nb 90\n", "a 30\nb 30\n");
	/* Node 1 is a. */
	change = comparison_change(
		&comparison, fixture.calls.lanes + fixture.calls.lane_count, fixture.calls.lanes);
	CHECK(near(change.left, 0.1));
	CHECK(near(change.right, 0.5));
	tree_fixture_done(&fixture);
}

/* A side a thousand times longer does not push the other one out of the picture. */
static void balanced_totals_weigh_both_sides_alike(void)
{
	struct tree_fixture fixture;
	struct comparison comparison;
	int64_t one = INT64_C(1) << 60;

	begin(&fixture, &comparison, "a 1\nb;c 1\n", "b;c 2000\n");
	comparison_balance(&comparison, &fixture.calls);
	CHECK_EQ(fixture.calls.totals[0], 2 * one);
	CHECK_EQ(fixture.calls.totals[1], one / 2);
	CHECK_EQ(fixture.calls.totals[2], one / 2 + one);
	CHECK_EQ(fixture.calls.totals[3], one / 2 + one);
	tree_fixture_done(&fixture);
}

static void an_empty_side_is_no_trouble(void)
{
	struct tree_fixture fixture;
	struct comparison comparison;
	struct comparison_table table;

	begin(&fixture, &comparison, "", "a 5\n");
	comparison_balance(&comparison, &fixture.calls);
	CHECK_EQ(fixture.calls.totals[0], INT64_C(1) << 60);
	CHECK_EQ(comparison_table_init(&table, &fixture.calls), 0);
	CHECK_EQ(table.count, 1);
	comparison_table_sort(&table, &comparison, &fixture.calls);
	comparison_table_done(&table);
	tree_fixture_done(&fixture);
	begin(&fixture, &comparison, "", "");
	CHECK_EQ(comparison_table_init(&table, &fixture.calls), 0);
	CHECK_EQ(table.count, 0);
	comparison_table_done(&table);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(lanes_are_groups_of_time_on_each_side);
	RUN(an_empty_or_short_range_is_one_group);
	RUN(functions_have_both_sides);
	RUN(recursion_counts_once_on_each_side);
	RUN(shares_are_of_each_sides_own_total);
	RUN(balanced_totals_weigh_both_sides_alike);
	RUN(an_empty_side_is_no_trouble);
	return 0;
}
