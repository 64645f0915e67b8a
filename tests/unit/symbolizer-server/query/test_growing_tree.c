/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/growing_tree.h"

#include "tests/support/check.h"

static void children_are_found_again_however_many_there_are(void)
{
	struct growing_tree tree;

	CHECK_EQ(growing_tree_init(&tree, 7), 0);
	CHECK_EQ(tree.nodes[GROWING_TREE_ROOT].what, 7);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 50000; i++) {
			uint32_t child, grandchild;

			CHECK_EQ(growing_tree_child(&tree, GROWING_TREE_ROOT, i, &child), 0);
			CHECK_EQ(growing_tree_child(&tree, child, 7, &grandchild), 0);
			CHECK_EQ(child, 2 * i + 1);
			CHECK_EQ(grandchild, 2 * i + 2);
			CHECK_EQ(tree.nodes[grandchild].parent, child);
		}
	}
	CHECK_EQ(tree.count, 100001);
	CHECK_EQ(tree.nodes[GROWING_TREE_ROOT].child_count, 50000);
	growing_tree_done(&tree);
}

int main(void)
{
	RUN(children_are_found_again_however_many_there_are);
	return 0;
}
