/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/tree_walk.h"

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void nodes_are_entered_and_left_depth_first(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;
	struct tree_walk walk;
	char trace[128] = "";

	tree_fixture_init(&fixture, "a;b 1\na;c;d 2\ne 5\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_NAME, UINT32_MAX), 0);
	tree_walk_init(&walk, &tree);
	while (tree_walk_next(&walk) > 0) {
		const char *name =
			function_table_name(tree.functions, tree.nodes[walk.node].function);

		snprintf(trace + strlen(trace), sizeof(trace) - strlen(trace), "%s%s ",
			walk.entered ? "+" : "-", name);
	}
	CHECK_STR(trace, "+total +a +b -b +c +d -d -c -a +e -e -total ");
	CHECK_EQ(tree_walk_next(&walk), 0);
	tree_walk_done(&walk);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(nodes_are_entered_and_left_depth_first);
	return 0;
}
