/* SPDX-License-Identifier: Apache-2.0 */
/* Stack table: all stacks of a profile as one prefix tree.
 *
 * What it is   nodes {parent, frame}, each once; a stack is the node of its leaf, read towards the
 *              root by parent. Node 0 is the empty stack. A parent always has a smaller index than
 *              its children.
 * Ownership    indices into the profile's frame table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many nodes.
 */
#pragma once

#include <stdint.h>

#include "store/base/index_map.h"

#define STACK_NODE_COUNT_MAX (16u << 20)
#define STACK_EMPTY 0u

struct stack_node {
	uint32_t parent;
	uint32_t frame;
};

struct stack_table {
	struct stack_node *nodes;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
};

int stack_table_init(struct stack_table *table);
void stack_table_done(struct stack_table *table);
/* The node that stands for FRAME called from the stack PARENT. PARENT must be below count. */
int stack_table_add(struct stack_table *table, uint32_t parent, uint32_t frame, uint32_t *ret_node);
/* Number of frames from the root to NODE. */
uint32_t stack_table_depth(const struct stack_table *table, uint32_t node);
