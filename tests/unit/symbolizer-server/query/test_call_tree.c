/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/call_tree.h"

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void totals_are_sums_of_subtrees(void)
{
	struct tree_fixture fixture;
	const struct call_node *nodes;

	tree_fixture_init(&fixture, "a 1\na;b 4\na;c 2\na;c;d 3\n");
	nodes = fixture.calls.nodes;
	CHECK_EQ(fixture.calls.count, 5);
	CHECK_EQ(nodes[0].total, 10);
	CHECK_EQ(nodes[0].self, 0);
	CHECK_STR(function_table_name(&fixture.functions, nodes[0].function), "total");
	CHECK_EQ(nodes[1].total, 10);
	CHECK_EQ(nodes[1].self, 1);
	tree_fixture_done(&fixture);
}

static void nodes_are_joined_by_function_not_by_address(void)
{
	struct tree_fixture fixture;

	/* Three frames that nothing names and that lie nowhere are one function, [unknown]. */
	tree_fixture_init(&fixture, "0x10;f 1\n0x20;f 2\n0x30;g 4\n");
	CHECK_EQ(fixture.merge.node_count, 7);
	CHECK_EQ(fixture.calls.count, 4);
	CHECK_EQ(fixture.calls.nodes[1].total, 7);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(totals_are_sums_of_subtrees);
	RUN(nodes_are_joined_by_function_not_by_address);
	return 0;
}
