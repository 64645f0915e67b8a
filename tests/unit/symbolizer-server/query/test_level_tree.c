/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/level_tree.h"

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void is_node(const struct level_tree *tree, uint32_t node, const char *name, int64_t total,
	uint32_t child_count)
{
	CHECK_STR(function_table_name(tree->functions, tree->nodes[node].function), name);
	CHECK_EQ(tree->nodes[node].total, total);
	CHECK_EQ(tree->nodes[node].child_count, child_count);
}

static void nodes_stand_level_by_level_the_largest_first(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;

	tree_fixture_init(&fixture, "a;x 1\na;y 2\nb 9\nc;z 4\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, UINT32_MAX), 0);
	CHECK_EQ(tree.count, 7);
	is_node(&tree, 0, "total", 16, 3);
	is_node(&tree, 1, "b", 9, 0);
	is_node(&tree, 2, "c", 4, 1);
	is_node(&tree, 3, "a", 3, 2);
	is_node(&tree, 4, "z", 4, 0);
	is_node(&tree, 5, "y", 2, 0);
	is_node(&tree, 6, "x", 1, 0);
	CHECK_EQ(tree.nodes[3].child_first, 5);
	CHECK_EQ(tree.small_count, 0);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void siblings_may_stand_by_name(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;

	tree_fixture_init(&fixture, "c 1\nb 2\na 3\nd 4\ne 1\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_NAME, 4), 0);
	CHECK_EQ(tree.count, 4);
	is_node(&tree, 1, "a", 3, 0);
	is_node(&tree, 2, "d", 4, 0);
	is_node(&tree, 3, "(3 small)", 4, 0);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void what_does_not_fit_becomes_one_node_with_its_value(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;

	tree_fixture_init(&fixture, "a;p;q 1\na;r 5\nb 3\nc 2\nd 2\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 5), 0);
	/* Of 8 nodes: b, c and d became one, p and q another; the first is larger than a. */
	CHECK_EQ(tree.count, 5);
	is_node(&tree, 0, "total", 13, 2);
	is_node(&tree, 1, "(3 small)", 7, 0);
	is_node(&tree, 2, "a", 6, 2);
	is_node(&tree, 3, "r", 5, 0);
	is_node(&tree, 4, "(2 small)", 1, 0);
	CHECK_EQ(tree.nodes[1].small_count, 3);
	CHECK_EQ(tree.nodes[4].small_count, 2);
	CHECK_EQ(tree.small_count, 2);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void one_small_leaf_stays_itself(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;

	tree_fixture_init(&fixture, "a 5\nb 4\nc 3\nd;e;f;g 2\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 6), 0);
	CHECK_EQ(tree.count, 6);
	is_node(&tree, 4, "d", 2, 1);
	is_node(&tree, 5, "(3 small)", 2, 0);
	level_tree_done(&tree);
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 1), 0);
	CHECK_EQ(tree.count, 2);
	is_node(&tree, 1, "(7 small)", 14, 0);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Many stacks over few names, heavy-tailed values. */
static char *random_folded(uint32_t seed, uint32_t line_count)
{
	char *text = calloc(line_count, 64), *end = text;

	CHECK(text);
	for (uint32_t i = 0; i < line_count; i++) {
		uint32_t depth = 1 + next_random(&seed) % 8;

		for (uint32_t j = 0; j < depth; j++)
			end += sprintf(end, "%sf%u", j ? ";" : "", next_random(&seed) % 6);
		end += sprintf(end, " %u\n", 1 + next_random(&seed) % (i % 10 == 0 ? 100000 : 100));
	}
	return text;
}

static void check_properties(const struct level_tree *tree, int64_t total, uint32_t node_count_max)
{
	int64_t sum = 0;
	uint32_t next = 1;

	CHECK_EQ(tree->nodes[0].total, total);
	CHECK(tree->count <= node_count_max);
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct level_node *node = &tree->nodes[i];
		int64_t self = level_tree_self(tree, i);

		CHECK(self >= 0);
		sum += self;
		if (node->child_count > 0)
			CHECK_EQ(node->child_first, next);
		next += node->child_count;
		for (uint32_t j = 1; j < node->child_count; j++)
			CHECK(tree->nodes[node->child_first + j - 1].total >=
				tree->nodes[node->child_first + j].total);
	}
	CHECK_EQ(next, tree->count);
	CHECK_EQ(sum, total);
}

static void any_trim_keeps_total_order_and_limit(void)
{
	for (uint32_t seed = 1; seed <= 5; seed++) {
		SCOPED_FREE char *folded = random_folded(seed, 300);
		struct tree_fixture fixture;

		tree_fixture_init(&fixture, folded);
		for (uint32_t max = 2; max < fixture.calls.tree.count + 2; max++) {
			struct level_tree tree;

			CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, max),
				0);
			check_properties(&tree, fixture.merge.total, max);
			if (max >= fixture.calls.tree.count)
				CHECK_EQ(tree.small_count, 0);
			else
				CHECK(tree.small_count > 0 && tree.count + 2 > max);
			level_tree_done(&tree);
		}
		tree_fixture_done(&fixture);
	}
}

static void the_order_of_merging_changes_nothing(void)
{
	SCOPED_FREE char *one = random_folded(7, 200), *other = random_folded(8, 200);
	struct tree_fixture forwards, backwards;
	struct level_tree first, second;

	tree_fixture_begin(&forwards);
	tree_fixture_add(&forwards, one);
	tree_fixture_add(&forwards, other);
	tree_fixture_end(&forwards);
	tree_fixture_begin(&backwards);
	tree_fixture_add(&backwards, other);
	tree_fixture_add(&backwards, one);
	tree_fixture_end(&backwards);
	CHECK_EQ(level_tree_init(&first, &forwards.calls, LEVEL_TREE_BY_TOTAL, 150), 0);
	CHECK_EQ(level_tree_init(&second, &backwards.calls, LEVEL_TREE_BY_TOTAL, 150), 0);
	CHECK_EQ(first.count, second.count);
	for (uint32_t i = 0; i < first.count; i++) {
		CHECK_EQ(first.nodes[i].total, second.nodes[i].total);
		CHECK_EQ(first.nodes[i].child_count, second.nodes[i].child_count);
		CHECK_STR(function_table_name(first.functions, first.nodes[i].function),
			function_table_name(second.functions, second.nodes[i].function));
	}
	level_tree_done(&first);
	level_tree_done(&second);
	tree_fixture_done(&forwards);
	tree_fixture_done(&backwards);
}

/* The first digit of such a sum is cut short by the end of the word. */
static void the_largest_sums_are_sorted_too(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;

	tree_fixture_init(&fixture,
		"a 4611686018427387904\nb 2305843009213693952\nc 1\nd 2305843009213693950\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 4), 0);
	CHECK_EQ(tree.count, 4);
	is_node(&tree, 0, "total", INT64_MAX, 3);
	is_node(&tree, 1, "a", INT64_C(1) << 62, 0);
	is_node(&tree, 2, "b", INT64_C(1) << 61, 0);
	is_node(&tree, 3, "(2 small)", 2305843009213693951, 0);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void lanes_follow_their_nodes_and_those_left_out_add_up(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;

	tree_fixture_begin(&fixture);
	tree_fixture_keep_lanes(&fixture, 2);
	tree_fixture_add_to(&fixture, 0, "a;p;q 1\nb 3\nc 2\n");
	tree_fixture_add_to(&fixture, 1, "a;r 5\nd 2\n");
	tree_fixture_end(&fixture);
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 5), 0);
	CHECK_EQ(tree.count, 5);
	CHECK_EQ(tree.lane_count, 2);
	for (uint32_t i = 0; i < tree.count; i++)
		CHECK_EQ(tree.lanes[2 * i] + tree.lanes[2 * i + 1], tree.nodes[i].total);
	/* `(3 small)` moved in front of a: b and c of one side, d of the other. */
	is_node(&tree, 1, "(3 small)", 7, 0);
	CHECK_EQ(tree.lanes[2], 5);
	CHECK_EQ(tree.lanes[3], 2);
	is_node(&tree, 2, "a", 6, 2);
	CHECK_EQ(tree.lanes[4], 1);
	CHECK_EQ(tree.lanes[5], 5);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

/* In lib.so stands g below 0x1000; above, main, with h inlined at every second address. */
static int ask_lib(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	struct symbol_call g = {.name = "g"}, h = {.name = "h"}, caller = {.name = "main"};

	(void)context;
	(void)id;
	*ret_chain = (struct symbol_chain){.start = address,
		.end = address + 1,
		.line_start = address,
		.line_end = address + 1};
	if (address >= 0x1000 && address % 2 == 0)
		ret_chain->calls[ret_chain->count++] = h;
	ret_chain->calls[ret_chain->count++] = address < 0x1000 ? g : caller;
	return 0;
}

static void ten_thousand_call_sites_are_one_node_however_small_each_is(void)
{
	struct tree_fixture fixture;
	struct level_tree tree;
	char line[64];

	tree_fixture_begin(&fixture);
	/* Each weighs a fifth of the smallest of those that there is room for. */
	tree_fixture_add(&fixture, "p 5\nq 5\nr 5\n");
	for (int i = 0; i < 10000; i++) {
		snprintf(line, sizeof(line), "lib.so@%#x;lib.so@0x10 1\n", 0x1001 + i);
		tree_fixture_add(&fixture, line);
	}
	tree_fixture_end_by(&fixture, ask_lib, &(struct naming_options){0});
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 6), 0);
	CHECK_EQ(tree.count, 6);
	is_node(&tree, 0, "total", 10015, 2);
	is_node(&tree, 1, "main", 10000, 2);
	is_node(&tree, 2, "(3 small)", 15, 0);
	is_node(&tree, 3, "g", 5000, 0);
	is_node(&tree, 4, "h", 5000, 1);
	is_node(&tree, 5, "g", 5000, 0);
	CHECK(tree.nodes[4].inlined && !tree.nodes[1].inlined && !tree.nodes[5].inlined);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(ten_thousand_call_sites_are_one_node_however_small_each_is);
	RUN(nodes_stand_level_by_level_the_largest_first);
	RUN(siblings_may_stand_by_name);
	RUN(what_does_not_fit_becomes_one_node_with_its_value);
	RUN(one_small_leaf_stays_itself);
	RUN(any_trim_keeps_total_order_and_limit);
	RUN(the_order_of_merging_changes_nothing);
	RUN(the_largest_sums_are_sorted_too);
	RUN(lanes_follow_their_nodes_and_those_left_out_add_up);
	return 0;
}
