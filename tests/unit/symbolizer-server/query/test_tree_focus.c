/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/tree_focus.h"

#include <errno.h>

#include "symbolizer-server/query/level_tree.h"
#include "tests/support/tree_fixture.h"

static uint32_t count_marks(const struct tree_focus *focus, const struct call_tree *calls)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < calls->tree.count; i++)
		count += focus->marks[i] != 0;
	return count;
}

static void a_path_marks_what_is_above_and_below(void)
{
	struct tree_fixture fixture;
	struct tree_focus focus;

	tree_fixture_init(&fixture, "main;f;g;h 1\nmain;f;i 1\nmain;k;g 1\nother 5\n");
	CHECK_EQ(tree_focus_on_path(&focus, &fixture.calls, "main;f", NULL), 0);
	CHECK(focus.found);
	/* total, main, f, g, h, i. */
	CHECK_EQ(count_marks(&focus, &fixture.calls), 6);
	tree_focus_done(&focus);
	CHECK_EQ(tree_focus_on_path(&focus, &fixture.calls, "main;nothing;g", NULL), 0);
	CHECK(!focus.found);
	CHECK_EQ(count_marks(&focus, &fixture.calls), 0);
	tree_focus_done(&focus);
	CHECK_EQ(tree_focus_on_path(&focus, &fixture.calls, "main;f", "x"), -EINVAL);
	tree_focus_done(&focus);
	tree_fixture_done(&fixture);
}

static void siblings_of_one_name_are_told_apart_by_module(void)
{
	struct tree_fixture fixture;
	struct tree_focus focus;

	/* What is in a module is called by its address: names must be alike for this. */
	tree_fixture_init(&fixture, "a\\x3bb;f 2\na;b;f 1\n");
	CHECK_EQ(tree_focus_on_path(&focus, &fixture.calls, "a;b", ";"), 0);
	CHECK(focus.found);
	CHECK_EQ(count_marks(&focus, &fixture.calls), 4);
	tree_focus_done(&focus);
	CHECK_EQ(tree_focus_on_path(&focus, &fixture.calls, "a;b", ";libx.so"), 0);
	CHECK(!focus.found);
	tree_focus_done(&focus);
	/* An escape stands for the character; here it is part of the name itself. */
	CHECK_EQ(tree_focus_on_path(&focus, &fixture.calls, "a\\x5cx3bb", NULL), 0);
	CHECK(focus.found);
	CHECK_EQ(count_marks(&focus, &fixture.calls), 3);
	tree_focus_done(&focus);
	tree_fixture_done(&fixture);
}

static void a_function_is_marked_wherever_it_stands(void)
{
	struct tree_fixture fixture;
	struct tree_focus focus;

	tree_fixture_init(&fixture, "main;f;g;h 1\nmain;f;i 1\nmain;k;g 1\nother 5\n");
	CHECK_EQ(tree_focus_on_function(&focus, &fixture.calls, "g", ""), 0);
	CHECK(focus.found);
	/* total, main, f, g, h, k, g. */
	CHECK_EQ(count_marks(&focus, &fixture.calls), 7);
	tree_focus_done(&focus);
	CHECK_EQ(tree_focus_on_function(&focus, &fixture.calls, "g", "libx.so"), 0);
	CHECK(!focus.found);
	tree_focus_done(&focus);
	tree_fixture_done(&fixture);
}

/* Among a thousand siblings as small as itself, one that was asked for is shown by its name. */
static void what_is_in_focus_is_trimmed_last_and_nothing_is_lost(void)
{
	static char folded[40000];
	struct tree_fixture fixture;
	struct level_tree levels;
	struct tree_focus focus;
	size_t length = 0;
	int64_t sum = 0;
	bool shown = false;

	for (int i = 0; i < 1000; i++)
		length += (size_t)snprintf(
			folded + length, sizeof(folded) - length, "main;needle_%d;deep 1\n", i);
	(void)snprintf(folded + length, sizeof(folded) - length, "main;large 1000000\n");
	tree_fixture_init(&fixture, folded);
	CHECK_EQ(tree_focus_on_path(&focus, &fixture.calls, "main;needle_711", NULL), 0);
	CHECK_EQ(level_tree_init_focused(
			 &levels, &fixture.calls, LEVEL_TREE_BY_TOTAL, 6, focus.marks),
		0);
	CHECK(levels.count <= 6);
	CHECK_EQ(levels.nodes[0].total, 1001000);
	for (uint32_t i = 0; i < levels.count; i++) {
		sum += level_tree_self(&levels, i);
		shown |= strcmp(function_table_name(levels.functions, levels.nodes[i].function),
				 "needle_711") == 0;
	}
	CHECK_EQ(sum, 1001000);
	CHECK(shown);
	level_tree_done(&levels);
	tree_focus_done(&focus);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(a_path_marks_what_is_above_and_below);
	RUN(siblings_of_one_name_are_told_apart_by_module);
	RUN(a_function_is_marked_wherever_it_stands);
	RUN(what_is_in_focus_is_trimmed_last_and_nothing_is_lost);
	return 0;
}
