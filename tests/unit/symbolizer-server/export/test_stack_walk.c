/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/stack_walk.h"

#include "tests/support/export_fixture.h"

static void every_stack_comes_once_and_values_add_up(void)
{
	struct export_fixture of;
	struct stack_walk walk;
	int64_t sum = 0;
	char text[200] = "";

	export_fixture_init(&of, "main;a 3\nmain;a;b 4\nmain 5\nother 1\n");
	stack_walk_init(&walk, &of.tree);
	while (stack_walk_next(&walk) == 1) {
		sum += walk.value;
		CHECK_EQ(walk.label_count, 0);
		for (uint32_t i = 0; i < walk.frame_count; i++) {
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s;",
				function_table_name(
					of.tree.functions, of.tree.nodes[walk.frames[i]].function));
		}
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", (int)walk.value);
	}
	CHECK_EQ(sum, of.tree.nodes[0].total);
	CHECK_STR(text, "main;5 main;a;3 main;a;b;4 other;1 ");
	stack_walk_done(&walk);
	export_fixture_done(&of);
}

static void a_tree_of_nothing_has_no_stack(void)
{
	struct export_fixture of;
	struct stack_walk walk;

	export_fixture_init(&of, "");
	stack_walk_init(&walk, &of.tree);
	CHECK_EQ(stack_walk_next(&walk), 0);
	stack_walk_done(&walk);
	export_fixture_done(&of);
}

int main(void)
{
	RUN(every_stack_comes_once_and_values_add_up);
	RUN(a_tree_of_nothing_has_no_stack);
	return 0;
}
