/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/flamebearer.h"

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void build(struct tree_fixture *fixture, struct level_tree *tree,
	struct flamebearer *flamebearer, const char *folded, uint32_t node_count_max)
{
	tree_fixture_init(fixture, folded);
	CHECK_EQ(level_tree_init(tree, &fixture->calls, LEVEL_TREE_BY_NAME, node_count_max), 0);
	CHECK_EQ(flamebearer_init(flamebearer, tree), 0);
}

static void done(
	struct tree_fixture *fixture, struct level_tree *tree, struct flamebearer *flamebearer)
{
	flamebearer_done(flamebearer);
	level_tree_done(tree);
	tree_fixture_done(fixture);
}

static void levels_are_those_of_the_worked_example(void)
{
	static const char *const names[] = {"total", "a", "b", "c", "d"};
	static const int64_t numbers[][4] = {
		{0, 10, 0, 0}, {0, 10, 1, 1}, {1, 4, 4, 2}, {0, 5, 2, 3}, {7, 3, 3, 4}};
	static const uint32_t ends[] = {1, 2, 4, 5};
	struct tree_fixture fixture;
	struct level_tree tree;
	struct flamebearer flamebearer;

	build(&fixture, &tree, &flamebearer, "a 1\na;b 4\na;c 2\na;c;d 3\n", UINT32_MAX);
	CHECK_EQ(flamebearer.name_count, 5);
	CHECK_EQ(flamebearer.node_count, 5);
	CHECK_EQ(flamebearer.level_count, 4);
	CHECK_EQ(flamebearer.self_max, 4);
	for (uint32_t i = 0; i < 5; i++) {
		CHECK_STR(flamebearer.names[i].text, names[i]);
		CHECK_EQ(flamebearer.nodes[i].x_delta, numbers[i][0]);
		CHECK_EQ(flamebearer.nodes[i].total, numbers[i][1]);
		CHECK_EQ(flamebearer.nodes[i].self, numbers[i][2]);
		CHECK_EQ(flamebearer.nodes[i].name, numbers[i][3]);
	}
	for (uint32_t i = 0; i < 4; i++)
		CHECK_EQ(flamebearer.level_ends[i], ends[i]);
	done(&fixture, &tree, &flamebearer);
}

static void a_text_is_one_name_wherever_it_occurs(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;
	struct flamebearer flamebearer;

	build(&fixture, &tree, &flamebearer, "a;b;a 1\na;[a] 2\n[a];b 3\n", UINT32_MAX);
	CHECK_EQ(flamebearer.name_count, 4);
	done(&fixture, &tree, &flamebearer);
}

static void what_was_trimmed_is_called_other(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;
	struct flamebearer flamebearer;

	build(&fixture, &tree, &flamebearer, "a 9\nb 1\nc 1\nd 1\n", 3);
	CHECK_EQ(flamebearer.node_count, 3);
	CHECK_STR(flamebearer.names[flamebearer.nodes[2].name].text, "other");
	CHECK_EQ(flamebearer.nodes[2].total, 3);
	CHECK_EQ(flamebearer.nodes[2].self, 3);
	done(&fixture, &tree, &flamebearer);
}

static void nothing_is_a_root_of_nothing(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;
	struct flamebearer flamebearer;

	build(&fixture, &tree, &flamebearer, "", 100);
	CHECK_EQ(flamebearer.level_count, 1);
	CHECK_EQ(flamebearer.node_count, 1);
	CHECK_STR(flamebearer.names[0].text, "total");
	CHECK_EQ(flamebearer.nodes[0].total, 0);
	done(&fixture, &tree, &flamebearer);
}

int main(void)
{
	RUN(levels_are_those_of_the_worked_example);
	RUN(a_text_is_one_name_wherever_it_occurs);
	RUN(what_was_trimmed_is_called_other);
	RUN(nothing_is_a_root_of_nothing);
	return 0;
}
