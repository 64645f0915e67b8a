/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/call_tree.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

/* In lib.so every address above 0x1000 is main, with b inlined above 0x2000 and a into that above
 * 0x3000; 0x100 is a by itself, 0x200 is g. */
static int ask_lib(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	struct build_id lib = sample_profile_build_id("lib.so");
	struct symbol_call a = {.name = "a", .file = "a.h", .line = 1},
			   b = {.name = "b", .file = "b.h", .line = 2},
			   c = {.name = "main", .file = "b.h", .line = 3},
			   g = {.name = "g", .file = "g.c", .line = 4};

	(void)context;
	if (!build_id_equal(id, &lib))
		return -ENOENT;
	/* Each address for itself: no two answers are joined. */
	*ret_chain = (struct symbol_chain){.start = address,
		.end = address + 1,
		.line_start = address,
		.line_end = address + 1};
	if (address > 0x3000 || address == 0x100)
		ret_chain->calls[ret_chain->count++] = a;
	if (address > 0x2000)
		ret_chain->calls[ret_chain->count++] = b;
	if (address > 0x1000)
		ret_chain->calls[ret_chain->count++] = c;
	if (address == 0x200)
		ret_chain->calls[ret_chain->count++] = g;
	return ret_chain->count > 0 ? 0 : -ENOENT;
}

static void fixture_of(struct tree_fixture *fixture, const char *folded, enum naming_group group,
	bool hides_inlined)
{
	tree_fixture_begin(fixture);
	tree_fixture_add(fixture, folded);
	tree_fixture_end_by(fixture, ask_lib,
		&(struct naming_options){.group = group, .hides_inlined = hides_inlined});
}

/* The path from the root to NODE is NAMES; gives its number, or fails. */
static uint32_t find_node(const struct tree_fixture *fixture, const char *const *names)
{
	const struct growing_node *nodes = fixture->calls.tree.nodes;
	uint32_t node = GROWING_TREE_ROOT;

	for (; *names; names++) {
		uint32_t child = nodes[node].child_first;

		while (child != 0 &&
			strcmp(function_table_name(&fixture->functions, nodes[child].what),
				*names) != 0)
			child = nodes[child].sibling_next;
		CHECK(child != 0);
		node = child;
	}
	return node;
}

#define FIND(fixture, ...) find_node(fixture, (const char *const[]){__VA_ARGS__, NULL})

static void what_was_inlined_stands_below_what_it_was_inlined_into(void)
{
	struct tree_fixture fixture;
	const int64_t *totals;
	uint32_t a;

	/* Callers are looked up one address before their return. */
	fixture_of(&fixture,
		"lib.so@0x3010 5\nlib.so@0x2010 3\nlib.so@0x1010 2\nlib.so@0x3011;lib.so@0x200 7\n",
		NAMING_BY_FUNCTION, false);
	totals = fixture.calls.totals;
	CHECK_EQ(fixture.calls.tree.count, 5);
	a = FIND(&fixture, "main", "b", "a");
	CHECK_EQ(totals[0], 17);
	CHECK_EQ(totals[FIND(&fixture, "main")], 17);
	CHECK_EQ(totals[FIND(&fixture, "main", "b")], 15);
	CHECK_EQ(totals[a], 12);
	CHECK_EQ(fixture.calls.tree.nodes[a].self, 5);
	CHECK_EQ(totals[FIND(&fixture, "main", "b", "a", "g")], 7);
	CHECK(!call_tree_is_inlined(&fixture.calls, GROWING_TREE_ROOT));
	CHECK(!call_tree_is_inlined(&fixture.calls, FIND(&fixture, "main")));
	CHECK(call_tree_is_inlined(&fixture.calls, a));
	CHECK(!call_tree_is_inlined(&fixture.calls, FIND(&fixture, "main", "b", "a", "g")));
	tree_fixture_done(&fixture);
}

static void a_function_inlined_here_and_called_there_is_one_node(void)
{
	struct tree_fixture fixture;
	uint32_t a;

	fixture_of(&fixture, "lib.so@0x3010 5\nlib.so@0x2011;lib.so@0x100 4\n", NAMING_BY_FUNCTION,
		false);
	a = FIND(&fixture, "main", "b", "a");
	CHECK_EQ(fixture.calls.totals[a], 9);
	CHECK(!call_tree_is_inlined(&fixture.calls, a));
	tree_fixture_done(&fixture);
}

static void hidden_calls_are_counted_as_their_function(void)
{
	struct tree_fixture fixture;

	fixture_of(&fixture, "lib.so@0x3010 5\nlib.so@0x3011;lib.so@0x200 7\n", NAMING_BY_FUNCTION,
		true);
	CHECK_EQ(fixture.calls.tree.count, 3);
	CHECK_EQ(fixture.calls.tree.nodes[FIND(&fixture, "main")].self, 5);
	CHECK_EQ(fixture.calls.totals[FIND(&fixture, "main", "g")], 7);
	CHECK_EQ(fixture.calls.totals[0], 12);
	tree_fixture_done(&fixture);
}

static void a_file_that_calls_itself_is_one_node(void)
{
	struct tree_fixture fixture;

	fixture_of(&fixture, "lib.so@0x3010 5\nlib.so@0x1011;lib.so@0x2011;lib.so@0x200 7\n",
		NAMING_BY_FILE, false);
	CHECK_EQ(fixture.calls.tree.count, 4);
	CHECK_EQ(fixture.calls.totals[FIND(&fixture, "b.h")], 12);
	CHECK_EQ(fixture.calls.totals[FIND(&fixture, "b.h", "a.h")], 5);
	CHECK_EQ(fixture.calls.totals[FIND(&fixture, "b.h", "g.c")], 7);
	tree_fixture_done(&fixture);
}

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
	RUN(what_was_inlined_stands_below_what_it_was_inlined_into);
	RUN(a_function_inlined_here_and_called_there_is_one_node);
	RUN(hidden_calls_are_counted_as_their_function);
	RUN(a_file_that_calls_itself_is_one_node);
	return 0;
}
