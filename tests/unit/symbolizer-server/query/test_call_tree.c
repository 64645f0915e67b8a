/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/call_tree.h"

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void totals_are_sums_of_subtrees(void)
{
	struct tree_fixture fixture;
	const struct growing_node *nodes;
	const int64_t *totals;

	tree_fixture_init(&fixture, "a 1\na;b 4\na;c 2\na;c;d 3\n");
	nodes = fixture.calls.tree.nodes;
	totals = fixture.calls.totals;
	CHECK_EQ(fixture.calls.tree.count, 5);
	CHECK_EQ(totals[0], 10);
	CHECK_EQ(nodes[0].self, 0);
	CHECK_STR(function_table_name(&fixture.functions, nodes[0].what), "total");
	CHECK_EQ(totals[1], 10);
	CHECK_EQ(nodes[1].self, 1);
	tree_fixture_done(&fixture);
}

static void nodes_are_joined_by_function_not_by_address(void)
{
	struct tree_fixture fixture;

	/* Three frames that nothing names and that lie nowhere are one function, [unknown]. */
	tree_fixture_init(&fixture, "0x10;f 1\n0x20;f 2\n0x30;g 4\n");
	CHECK_EQ(fixture.merge.tree.count, 7);
	CHECK_EQ(fixture.calls.tree.count, 4);
	CHECK_EQ(fixture.calls.totals[1], 7);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(totals_are_sums_of_subtrees);
	RUN(nodes_are_joined_by_function_not_by_address);
	return 0;
}
