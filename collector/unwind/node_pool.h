/* SPDX-License-Identifier: Apache-2.0 */
/* Node pool: the memory of all unwind tables, node by node.
 *
 * What it is   nodes of UNWIND_NODE_BYTES in shards that are made one after another, up to a cap.
 *              A node that is given back gets a new generation at once: a walk that still stands
 *              on it notices. User space looks at few of them once they are written, so shards
 *              that nobody touched for a while can leave its address space.
 * Ownership    the maker of shards owns their memory, which outlives the pool.
 * Threads      one owner; walks read nodes at any time.
 * Errors       -ENOSPC: the cap is reached; -ENOMEM: no further shard.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/abi/unwind_table.h"

struct node_pool_config {
	uint32_t shard_count_max; /* 1..UNWIND_SHARDS_MAX */
	/* UNWIND_SHARD_BYTES of zeroed memory for shard NUMBER, visible to walks; NULL: none. */
	void *(*make_shard)(void *context, uint32_t number);
	/* Takes a shard out of this process's memory, and brings it back, perhaps elsewhere; NULL: no
	 * memory. Both or neither: without them shards stay. */
	void (*hide_shard)(void *context, uint32_t number);
	void *(*show_shard)(void *context, uint32_t number);
	void *context;
};

struct node_shard {
	uint8_t *memory; /* NULL: hidden */
	bool touched; /* since the last node_pool_rest */
};

struct node_pool {
	struct node_pool_config config;
	struct node_shard *shards; /* UNWIND_SHARDS_MAX, once there is one */
	uint32_t shard_count;
	uint16_t *spare; /* numbers of unused nodes */
	uint32_t spare_count;
	uint32_t node_count; /* in use */
};

void node_pool_init(struct node_pool *pool, const struct node_pool_config *config);
void node_pool_done(struct node_pool *pool);
/* Hides what was not touched since the last call. Nodes that were looked at before must be looked up
 * again. */
void node_pool_rest(struct node_pool *pool);
/* A node with nothing in it. */
int node_pool_take(struct node_pool *pool, struct unwind_reference *ret_reference);
void node_pool_give_back(struct node_pool *pool, struct unwind_reference reference);
/* The memory behind REFERENCE until the next node_pool_rest, or NULL if that node was given back
 * meanwhile. */
void *node_pool_at(const struct node_pool *pool, struct unwind_reference reference);
/* Nodes that can still be taken. */
uint32_t node_pool_left(const struct node_pool *pool);
