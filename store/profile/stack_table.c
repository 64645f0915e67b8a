/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   node      0   1      2      3          4
 *   frame     -   main   work   memcpy     idle
 *   parent    -   0      1      2          1        stacks: main;work;memcpy = 3, main;idle = 4
 *
 * Sharing prefixes makes a window of deep stacks a few nodes a stack, on the wire as in memory.
 */
#include "store/profile/stack_table.h"

#include <stdbool.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"

int stack_table_init(struct stack_table *table)
{
	int r;

	*table = (struct stack_table){0};
	index_map_init(&table->map, STACK_NODE_COUNT_MAX);
	r = grow_array(&table->nodes, &table->capacity, 0, STACK_NODE_COUNT_MAX);
	if (r < 0)
		return r;
	table->nodes[0] = (struct stack_node){0};
	table->count = 1;
	return 0;
}

void stack_table_done(struct stack_table *table)
{
	index_map_done(&table->map);
	free(table->nodes);
	*table = (struct stack_table){0};
}

static bool node_equal(const void *context, uint32_t index, const void *key)
{
	const struct stack_node *one = (const struct stack_node *)context + index;
	const struct stack_node *other = key;

	return one->parent == other->parent && one->frame == other->frame;
}

int stack_table_add(struct stack_table *table, uint32_t parent, uint32_t frame, uint32_t *ret_node)
{
	struct stack_node node = {parent, frame};
	uint64_t hash = hash_pair(parent, frame);
	uint32_t index = index_map_find(&table->map, hash, node_equal, table->nodes, &node);
	int r;

	must(parent < table->count);
	if (index != INDEX_MAP_NONE) {
		*ret_node = index;
		return 0;
	}
	r = grow_array(&table->nodes, &table->capacity, table->count, STACK_NODE_COUNT_MAX);
	if (r < 0)
		return r;
	r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->nodes[table->count] = node;
	*ret_node = table->count++;
	return 0;
}

uint32_t stack_table_depth(const struct stack_table *table, uint32_t node)
{
	uint32_t depth = 0;

	must(node < table->count);
	for (; node != STACK_EMPTY; node = table->nodes[node].parent)
		depth++;
	return depth;
}
