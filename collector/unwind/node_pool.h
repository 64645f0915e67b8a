/* SPDX-License-Identifier: Apache-2.0 */
/* Node pool: the memory of all unwind tables, node by node.
 *
 * What it is   nodes of UNWIND_NODE_BYTES in shards that are made one after another, up to a cap.
 *              A node that is given back gets a new generation at once: a walk that still stands
 *              on it notices.
 * Ownership    the maker of shards owns their memory, which outlives the pool.
 * Threads      one owner; walks read nodes at any time.
 * Errors       -ENOSPC: the cap is reached; -ENOMEM: no further shard.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/unwind_table.h"

struct node_pool_config {
	uint32_t shard_count_max; /* 1..UNWIND_SHARDS_MAX */
	/* UNWIND_SHARD_BYTES of zeroed memory for shard NUMBER, visible to walks; NULL: none. */
	void *(*make_shard)(void *context, uint32_t number);
	void *context;
};

struct node_pool {
	struct node_pool_config config;
	uint8_t *shards[UNWIND_SHARDS_MAX];
	uint32_t shard_count;
	uint16_t *spare; /* numbers of unused nodes */
	uint32_t spare_count;
	uint32_t node_count; /* in use */
};

void node_pool_init(struct node_pool *pool, const struct node_pool_config *config);
void node_pool_done(struct node_pool *pool);
/* A node with nothing in it. */
int node_pool_take(struct node_pool *pool, struct unwind_reference *ret_reference);
void node_pool_give_back(struct node_pool *pool, struct unwind_reference reference);
/* The memory behind REFERENCE, or NULL if that node was given back meanwhile. */
void *node_pool_at(const struct node_pool *pool, struct unwind_reference reference);
/* Nodes that can still be taken. */
uint32_t node_pool_left(const struct node_pool *pool);
