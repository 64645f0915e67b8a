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

/* Walks a comb of COUNT teeth, leaving out each STEP-th, and gives where its nodes are. */
static void walk_comb(struct growing_tree *tree, uint32_t count, uint32_t step, uint32_t *nodes)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t tooth, tip;

		nodes[i] = 0;
		if (step > 0 && i % step == 0)
			continue;
		CHECK_EQ(growing_tree_child_along(tree, GROWING_TREE_ROOT, i, &next, &tooth), 0);
		CHECK_EQ(growing_tree_child_along(tree, tooth, count - i, &next, &tip), 0);
		CHECK_EQ(tree->nodes[tip].parent, tooth);
		CHECK_EQ(tree->nodes[tip].what, count - i);
		nodes[i] = tooth;
	}
}

static void those_who_come_along_find_what_the_others_find(void)
{
	enum { COUNT = 3000 };
	static const uint32_t steps[] = {3, 0, 7, 2, 0};
	struct growing_tree tree;
	uint32_t nodes[COUNT];

	CHECK_EQ(growing_tree_init(&tree, 0), 0);
	for (uint32_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		walk_comb(&tree, COUNT, steps[i], nodes);
		for (uint32_t j = 0; j < COUNT; j++) {
			uint32_t found;

			if (nodes[j] == 0)
				continue;
			CHECK_EQ(growing_tree_child(&tree, GROWING_TREE_ROOT, j, &found), 0);
			CHECK_EQ(found, nodes[j]);
		}
	}
	CHECK_EQ(tree.count, 2 * COUNT + 1);
	growing_tree_done(&tree);
}

static void the_root_is_nobodys_child(void)
{
	struct growing_tree tree;
	uint32_t next = 0, node;

	/* The root's own parent and what it is look like those of this child. */
	CHECK_EQ(growing_tree_init(&tree, 5), 0);
	CHECK_EQ(growing_tree_child(&tree, GROWING_TREE_ROOT, 1, &node), 0);
	CHECK_EQ(growing_tree_child_along(&tree, GROWING_TREE_ROOT, 5, &next, &node), 0);
	CHECK_EQ(node, 2);
	growing_tree_done(&tree);
}

static void a_trimmed_tree_grows_again(void)
{
	struct growing_tree tree;
	uint32_t node;

	CHECK_EQ(growing_tree_init(&tree, 0), 0);
	for (uint32_t i = 0; i < 300; i++) {
		CHECK_EQ(growing_tree_child(&tree, GROWING_TREE_ROOT, i, &node), 0);
		if (i % 100 == 0) {
			growing_tree_trim(&tree);
			CHECK_EQ(tree.capacity, tree.count);
		}
	}
	CHECK_EQ(growing_tree_child(&tree, GROWING_TREE_ROOT, 150, &node), 0);
	CHECK_EQ(node, 151);
	growing_tree_done(&tree);
}

int main(void)
{
	RUN(a_trimmed_tree_grows_again);
	RUN(those_who_come_along_find_what_the_others_find);
	RUN(the_root_is_nobodys_child);
	RUN(children_are_found_again_however_many_there_are);
	return 0;
}
