/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/node_pool.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"

void node_pool_init(struct node_pool *pool, const struct node_pool_config *config)
{
	must(config->shard_count_max >= 1 && config->shard_count_max <= UNWIND_SHARDS_MAX);
	*pool = (struct node_pool){.config = *config};
}

void node_pool_done(struct node_pool *pool)
{
	free(pool->spare);
	free(pool->shards);
	pool->spare = NULL;
	pool->shards = NULL;
}

/* NULL: the shard is hidden and can't be brought back. */
static struct unwind_head *head_of(const struct node_pool *pool, uint16_t node)
{
	uint32_t number = node / UNWIND_SHARD_NODES;
	struct node_shard *shard = &pool->shards[number];

	if (!shard->memory)
		shard->memory = pool->config.show_shard(pool->config.context, number);
	if (!shard->memory)
		return NULL;
	shard->touched = true;
	return (struct unwind_head *)(void *)(shard->memory +
		(size_t)(node % UNWIND_SHARD_NODES) * UNWIND_NODE_BYTES);
}

void node_pool_rest(struct node_pool *pool)
{
	for (uint32_t i = 0; pool->config.hide_shard && i < pool->shard_count; i++) {
		struct node_shard *shard = &pool->shards[i];

		if (shard->memory && !shard->touched) {
			pool->config.hide_shard(pool->config.context, i);
			shard->memory = NULL;
		}
		shard->touched = false;
	}
}

static int grow(struct node_pool *pool)
{
	uint32_t number = pool->shard_count;
	uint32_t first = number * UNWIND_SHARD_NODES;
	uint16_t *spare;
	uint8_t *shard;

	if (number == pool->config.shard_count_max)
		return -ENOSPC;
	if (!pool->shards)
		pool->shards = calloc(UNWIND_SHARDS_MAX, sizeof(*pool->shards));
	if (!pool->shards)
		return -ENOMEM;
	spare = realloc(pool->spare, (first + UNWIND_SHARD_NODES) * sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	pool->spare = spare;
	shard = pool->config.make_shard(pool->config.context, number);
	if (!shard)
		return -ENOMEM;
	pool->shards[number] = (struct node_shard){.memory = shard, .touched = true};
	pool->shard_count++;
	/* The lowest number on top, and node 0 never: a zero refers to nothing. */
	for (uint32_t i = UNWIND_SHARD_NODES; i-- > 0;)
		if (first + i > 0)
			pool->spare[pool->spare_count++] = (uint16_t)(first + i);
	return 0;
}

int node_pool_take(struct node_pool *pool, struct unwind_reference *ret_reference)
{
	struct unwind_head *head;
	uint16_t node;
	int r = pool->spare_count ? 0 : grow(pool);

	if (r < 0)
		return r;
	node = pool->spare[pool->spare_count - 1];
	head = head_of(pool, node);
	if (!head)
		return -ENOMEM;
	pool->spare_count--;
	head->count = 0;
	pool->node_count++;
	*ret_reference = (struct unwind_reference){node, head->generation};
	return 0;
}

void node_pool_give_back(struct node_pool *pool, struct unwind_reference reference)
{
	struct unwind_head *head = head_of(pool, reference.node);

	/* Out of reach it stays in use: rather less memory than a walk led astray. */
	if (!head)
		return;
	must(head->generation == reference.generation);
	head->generation++;
	/* Before anything else in the node changes. */
	atomic_thread_fence(memory_order_seq_cst);
	pool->spare[pool->spare_count++] = reference.node;
	pool->node_count--;
}

void *node_pool_at(const struct node_pool *pool, struct unwind_reference reference)
{
	struct unwind_head *head;

	if (reference.node == 0 || reference.node / UNWIND_SHARD_NODES >= pool->shard_count)
		return NULL;
	head = head_of(pool, reference.node);
	return head && head->generation == reference.generation ? head : NULL;
}

uint32_t node_pool_left(const struct node_pool *pool)
{
	return pool->spare_count +
		(pool->config.shard_count_max - pool->shard_count) * UNWIND_SHARD_NODES -
		(pool->shard_count == 0);
}
