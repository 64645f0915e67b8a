/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/stack_reader.h"

#include <errno.h>

#include "tests/support/check.h"

#define NODE_COUNT_MAX 16
#define DEPTH_MAX 4

static const uint32_t frames[] = {10, 11, 12, 13};

struct result {
	int error;
	const char *what;
	struct stack_table stacks;
	uint32_t nodes[NODE_COUNT_MAX + 1];
};

static struct result read(
	const uint32_t *climb, const int32_t *frame_delta, size_t count, bool distinct)
{
	struct stack_columns columns = {climb, frame_delta, count, frames, 4, distinct, DEPTH_MAX};
	struct result result = {.what = ""};
	struct arena arena;

	CHECK(count <= NODE_COUNT_MAX);
	arena_init(&arena, 1 << 20);
	CHECK_EQ(stack_table_init(&result.stacks), 0);
	result.error =
		stack_reader_read(&columns, &arena, &result.stacks, result.nodes, &result.what);
	arena_done(&arena);
	return result;
}

static void check_node(
	const struct result *result, uint32_t number, uint32_t parent, uint32_t frame)
{
	const struct stack_node *node = &result->stacks.nodes[result->nodes[number]];

	CHECK_EQ(node->parent, result->nodes[parent]);
	CHECK_EQ(node->frame, frame);
}

/* 10;11;12  10;11;13  10;13  11 */
static const uint32_t climb[] = {0, 0, 0, 1, 2, 2};
static const int32_t deltas[] = {0, 1, 1, 2, 3, 1};

static void both_ways_read_the_same_tree(void)
{
	for (int distinct = 0; distinct < 2; distinct++) {
		struct result result = read(climb, deltas, 6, distinct);

		CHECK_EQ(result.error, 0);
		CHECK_EQ(result.stacks.count, 7);
		CHECK_EQ(result.nodes[0], STACK_EMPTY);
		check_node(&result, 1, 0, 10);
		check_node(&result, 2, 1, 11);
		check_node(&result, 3, 2, 12);
		check_node(&result, 4, 2, 13);
		check_node(&result, 5, 1, 13);
		check_node(&result, 6, 0, 11);
		stack_table_done(&result.stacks);
	}
}

static void nodes_out_of_order_or_twice_are_looked_up(void)
{
	/* 10;12  10;11  10;12 again  10 again */
	static const uint32_t odd_climb[] = {0, 0, 1, 1, 2};
	static const int32_t odd_deltas[] = {0, 2, 1, 2, 0};
	struct result result = read(odd_climb, odd_deltas, 5, true);

	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.stacks.count, 4);
	check_node(&result, 1, 0, 10);
	check_node(&result, 2, 1, 12);
	check_node(&result, 3, 1, 11);
	CHECK_EQ(result.nodes[4], result.nodes[2]);
	CHECK_EQ(result.nodes[5], result.nodes[1]);
	stack_table_done(&result.stacks);
}

static void no_stacks_are_a_tree_too(void)
{
	struct result result = read(NULL, NULL, 0, true);

	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.stacks.count, 1);
	stack_table_done(&result.stacks);
}

static void check_refused(
	const uint32_t *bad_climb, const int32_t *bad_deltas, size_t count, int error)
{
	for (int distinct = 0; distinct < 2; distinct++) {
		struct result result = read(bad_climb, bad_deltas, count, distinct);

		CHECK_EQ(result.error, error);
		CHECK(result.what[0] != '\0');
		stack_table_done(&result.stacks);
	}
}

static void columns_that_lead_nowhere_are_refused(void)
{
	static const uint32_t none[] = {0, 0, 0, 0, 0}, over_root[] = {0, 2}, at_once[] = {1};
	static const int32_t zeros[] = {0, 0, 0, 0, 0}, below[] = {-1}, above[] = {4},
			     far[] = {INT32_MAX}, drift[] = {3, 1};

	check_refused(over_root, zeros, 2, -EBADMSG);
	check_refused(at_once, zeros, 1, -EBADMSG);
	check_refused(none, below, 1, -EBADMSG);
	check_refused(none, above, 1, -EBADMSG);
	check_refused(none, far, 1, -EBADMSG);
	check_refused(none, drift, 2, -EBADMSG);
	check_refused(none, zeros, 5, -E2BIG);
}

static void the_deepest_stack_allowed_is_taken(void)
{
	static const uint32_t none[] = {0, 0, 0, 0};
	static const int32_t zeros[] = {0, 0, 0, 0};
	struct result result = read(none, zeros, DEPTH_MAX, true);

	CHECK_EQ(result.error, 0);
	CHECK_EQ(stack_table_depth(&result.stacks, result.nodes[DEPTH_MAX]), DEPTH_MAX);
	stack_table_done(&result.stacks);
}

int main(void)
{
	RUN(both_ways_read_the_same_tree);
	RUN(nodes_out_of_order_or_twice_are_looked_up);
	RUN(no_stacks_are_a_tree_too);
	RUN(columns_that_lead_nowhere_are_refused);
	RUN(the_deepest_stack_allowed_is_taken);
	return 0;
}
