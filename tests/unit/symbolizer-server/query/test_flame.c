/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/flame.h"

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void the_most_frequent_name_comes_first(void)
{
	struct flame_about about = {.unit = FLAME_NANOSECONDS, .partial_symbols = true};
	struct tree_fixture fixture;
	struct level_tree tree;
	struct flame flame;

	tree_fixture_init(&fixture, "x;f 1\ny;f 2\nz;f;lib.so@0x10 9\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, UINT32_MAX), 0);
	CHECK_EQ(flame_init(&flame, &tree, &about), 0);
	CHECK_EQ(flame.name_count, 6);
	CHECK_STR(function_table_name(tree.functions, flame.functions[0]), "f");
	CHECK_STR(function_table_name(tree.functions, flame.functions[1]), "total");
	CHECK_STR(function_table_name(tree.functions, flame.functions[5]), "lib.so+0x10");
	for (uint32_t i = 0; i < flame.name_count; i++)
		CHECK_EQ(flame.names[flame.functions[i]], i);
	CHECK_EQ(flame.modules.count, 1);
	CHECK_STR(string_table_text(&tree.functions->strings, flame.modules.strings[0]), "lib.so");
	CHECK_EQ(flame.scale, 0);
	CHECK_EQ(flame_flags(&flame), FLAME_PARTIAL_SYMBOLS);
	flame_done(&flame);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void values_beyond_javascript_are_scaled(void)
{
	struct flame_about about = {0};
	struct tree_fixture fixture;
	struct level_tree tree;
	struct flame flame;

	tree_fixture_init(&fixture, "x 9007199254740991\ny 1\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 2), 0);
	CHECK_EQ(flame_init(&flame, &tree, &about), 0);
	CHECK_EQ(flame.scale, 1);
	CHECK_EQ(flame_flags(&flame), FLAME_TRIMMED);
	flame_done(&flame);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void units_are_the_third_part_of_the_type(void)
{
	CHECK_EQ(flame_unit_of_type(PROFILE_TYPE_ON_CPU), FLAME_NANOSECONDS);
	CHECK_EQ(flame_unit_of_type("memory:page_faults:bytes::"), FLAME_BYTES);
	CHECK_EQ(flame_unit_of_type("a:bytes:count:c:bytes"), FLAME_COUNT);
	CHECK_EQ(flame_unit_of_type("a"), FLAME_COUNT);
	CHECK_STR(flame_unit_text(FLAME_BYTES), "bytes");
}

int main(void)
{
	RUN(the_most_frequent_name_comes_first);
	RUN(values_beyond_javascript_are_scaled);
	RUN(units_are_the_third_part_of_the_type);
	return 0;
}
