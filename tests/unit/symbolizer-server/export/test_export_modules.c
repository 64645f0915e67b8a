/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/export_modules.h"

#include "tests/support/export_fixture.h"

static uint32_t function_named(const struct level_tree *tree, const char *name)
{
	for (uint32_t i = 0; i < tree->functions->count; i++) {
		if (strcmp(function_table_name(tree->functions, i), name) == 0)
			return i;
	}
	CHECK(false);
	return 0;
}

static void functions_know_their_module(void)
{
	struct export_fixture of;
	struct export_modules modules;
	uint32_t at;

	export_fixture_init(&of, "main;libx.so@0x10;libx.so@0x20 4\nmain;liby.so@0x30 1\n");
	CHECK_EQ(export_modules_init(&modules, &of.tree), 0);
	CHECK_EQ(modules.count, 2);
	CHECK(!modules.modules[0].all_named);
	/* All but the last frame are return addresses: looked up one before. */
	at = function_named(&of.tree, "libx.so+0x20");
	CHECK(modules.used[at]);
	CHECK(!export_is_named(&of.tree.functions->functions[at]));
	CHECK_EQ(export_address(&of.tree, at), 0x20);
	CHECK(modules.module_of[at] != 0);
	CHECK_EQ(modules.module_of[function_named(&of.tree, "main")], 0);
	/* The root is no frame. */
	CHECK(!modules.used[of.tree.nodes[0].function]);
	export_modules_done(&modules);
	export_fixture_done(&of);
}

static void a_label_is_told_without_its_name(void)
{
	CHECK_STR(export_label_value("host=a=b", "host"), "a=b");
	CHECK_STR(export_label_value("[other]", "host"), "[other]");
	CHECK_STR(export_label_value("hostname=a", "host"), "hostname=a");
}

int main(void)
{
	RUN(functions_know_their_module);
	RUN(a_label_is_told_without_its_name);
	return 0;
}
