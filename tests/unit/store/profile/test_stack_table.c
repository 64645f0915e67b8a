/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/stack_table.h"

#include "tests/support/check.h"

static uint32_t added(struct stack_table *table, uint32_t parent, uint32_t frame)
{
	uint32_t node;

	CHECK_EQ(stack_table_add(table, parent, frame, &node), 0);
	CHECK(parent < node);
	CHECK_EQ(table->nodes[node].parent, parent);
	CHECK_EQ(table->nodes[node].frame, frame);
	return node;
}

static void stacks_share_what_they_have_in_common(void)
{
	struct stack_table table;
	uint32_t main_node, work, copy, idle;

	CHECK_EQ(stack_table_init(&table), 0);
	main_node = added(&table, STACK_EMPTY, 10);
	work = added(&table, main_node, 11);
	copy = added(&table, work, 12);
	idle = added(&table, main_node, 13);
	CHECK_EQ(table.count, 5);
	CHECK_EQ(added(&table, STACK_EMPTY, 10), main_node);
	CHECK_EQ(added(&table, main_node, 11), work);
	CHECK_EQ(added(&table, work, 12), copy);
	CHECK_EQ(added(&table, main_node, 13), idle);
	CHECK_EQ(table.count, 5);
	CHECK_EQ(stack_table_depth(&table, STACK_EMPTY), 0);
	CHECK_EQ(stack_table_depth(&table, copy), 3);
	CHECK_EQ(stack_table_depth(&table, idle), 2);
	stack_table_done(&table);
}

static void recursion_is_a_node_for_each_call(void)
{
	struct stack_table table;
	uint32_t node = STACK_EMPTY;

	CHECK_EQ(stack_table_init(&table), 0);
	for (int i = 0; i < 5000; i++)
		node = added(&table, node, 3);
	CHECK_EQ(stack_table_depth(&table, node), 5000);
	stack_table_done(&table);
	stack_table_done(&table);
}

/* Frame 0 below the empty stack is a stack, not the empty one. */
static void frame_0_is_a_frame(void)
{
	struct stack_table table;

	CHECK_EQ(stack_table_init(&table), 0);
	CHECK_EQ(added(&table, STACK_EMPTY, 0), 1);
	CHECK_EQ(added(&table, STACK_EMPTY, 0), 1);
	CHECK_EQ(stack_table_depth(&table, 1), 1);
	stack_table_done(&table);
}

int main(void)
{
	RUN(stacks_share_what_they_have_in_common);
	RUN(recursion_is_a_node_for_each_call);
	RUN(frame_0_is_a_frame);
	return 0;
}
