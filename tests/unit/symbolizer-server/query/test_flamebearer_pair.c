/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/flamebearer_pair.h"

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void numbers_are_those_of_the_worked_example(void)
{
	/* Siblings by name: b before c. */
	static const int64_t numbers[][FLAMEBEARER_PAIR_NUMBERS] = {{0, 3, 0, 0, 12, 0, 0},
		{0, 3, 0, 0, 12, 0, 1}, {0, 1, 1, 0, 4, 4, 2}, {0, 2, 2, 0, 8, 8, 3}};
	struct comparison comparison;
	struct tree_fixture fixture;
	struct flamebearer_pair pair;
	struct level_tree tree;

	comparison_init(
		&comparison, (struct time_range){0, NS_PER_S}, (struct time_range){0, NS_PER_S});
	tree_fixture_begin(&fixture);
	tree_fixture_keep_lanes(&fixture, comparison.lane_count);
	tree_fixture_add_to(&fixture, 0, "a;b 1\na;c 2\n");
	tree_fixture_add_to(&fixture, 1, "a;b 4\na;c 8\n");
	tree_fixture_end(&fixture);
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_NAME, UINT32_MAX), 0);
	CHECK_EQ(flamebearer_pair_init(&pair, &tree, &comparison), 0);
	CHECK_EQ(pair.totals[COMPARISON_LEFT], 3);
	CHECK_EQ(pair.totals[COMPARISON_RIGHT], 12);
	CHECK_EQ(pair.self_max, 8);
	CHECK_EQ(pair.names.node_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t j = 0; j < FLAMEBEARER_PAIR_NUMBERS; j++)
			CHECK_EQ(pair.numbers[i * FLAMEBEARER_PAIR_NUMBERS + j], numbers[i][j]);
	}
	flamebearer_pair_done(&pair);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void a_side_may_lack_what_the_other_has(void)
{
	static const int64_t numbers[][FLAMEBEARER_PAIR_NUMBERS] = {{0, 5, 0, 0, 7, 0, 0},
		{0, 5, 5, 0, 0, 0, 1}, {0, 0, 0, 0, 7, 0, 2}, {5, 0, 0, 0, 7, 7, 1}};
	struct comparison comparison;
	struct tree_fixture fixture;
	struct flamebearer_pair pair;
	struct level_tree tree;

	comparison_init(
		&comparison, (struct time_range){0, NS_PER_S}, (struct time_range){0, NS_PER_S});
	tree_fixture_begin(&fixture);
	tree_fixture_keep_lanes(&fixture, comparison.lane_count);
	tree_fixture_add_to(&fixture, 0, "a 5\n");
	tree_fixture_add_to(&fixture, 1, "b;a 7\n");
	tree_fixture_end(&fixture);
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_NAME, UINT32_MAX), 0);
	CHECK_EQ(flamebearer_pair_init(&pair, &tree, &comparison), 0);
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t j = 0; j < FLAMEBEARER_PAIR_NUMBERS; j++)
			CHECK_EQ(pair.numbers[i * FLAMEBEARER_PAIR_NUMBERS + j], numbers[i][j]);
	}
	flamebearer_pair_done(&pair);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(numbers_are_those_of_the_worked_example);
	RUN(a_side_may_lack_what_the_other_has);
	return 0;
}
