/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/node_pool.h"

#include <errno.h>

#include "tests/support/check.h"

static void *shards[4];
static uint32_t shard_count;

static void *make_shard(void *context, uint32_t number)
{
	(void)context;
	CHECK_EQ(number, shard_count);
	if (shard_count == 4)
		return NULL;
	shards[shard_count] = calloc(1, UNWIND_SHARD_BYTES);
	return shards[shard_count++];
}

static void set_up(struct node_pool *pool, uint32_t shard_count_max)
{
	struct node_pool_config config = {
		.shard_count_max = shard_count_max, .make_shard = make_shard};

	shard_count = 0;
	node_pool_init(pool, &config);
}

static void tear_down(struct node_pool *pool)
{
	node_pool_done(pool);
	for (uint32_t i = 0; i < shard_count; i++)
		free(shards[i]);
}

static void shards_are_made_as_they_are_needed(void)
{
	struct unwind_reference reference;
	struct node_pool pool;

	set_up(&pool, 2);
	CHECK_EQ(shard_count, 0);
	CHECK_EQ(node_pool_left(&pool), 2 * UNWIND_SHARD_NODES - 1);
	for (uint32_t i = 1; i < UNWIND_SHARD_NODES; i++) {
		CHECK_EQ(node_pool_take(&pool, &reference), 0);
		CHECK_EQ(reference.node, i);
	}
	CHECK_EQ(shard_count, 1);
	CHECK_EQ(node_pool_take(&pool, &reference), 0);
	CHECK_EQ(shard_count, 2);
	CHECK_EQ(node_pool_left(&pool), UNWIND_SHARD_NODES - 1);
	tear_down(&pool);
}

static bool is_shown[4];
static bool may_show;

static void hide_shard(void *context, uint32_t number)
{
	(void)context;
	CHECK(is_shown[number]);
	is_shown[number] = false;
}

static void *show_shard(void *context, uint32_t number)
{
	(void)context;
	CHECK(!is_shown[number]);
	is_shown[number] = may_show;
	return may_show ? shards[number] : NULL;
}

static void what_nobody_touches_is_hidden_until_it_is_looked_at(void)
{
	struct node_pool_config config = {.shard_count_max = 2,
		.make_shard = make_shard,
		.hide_shard = hide_shard,
		.show_shard = show_shard};
	struct unwind_reference first, reference;
	struct node_pool pool;

	shard_count = 0;
	is_shown[0] = is_shown[1] = may_show = true;
	node_pool_init(&pool, &config);
	CHECK_EQ(node_pool_take(&pool, &first), 0);
	for (uint32_t i = 0; i < UNWIND_SHARD_NODES; i++)
		CHECK_EQ(node_pool_take(&pool, &reference), 0);
	node_pool_rest(&pool);
	CHECK(is_shown[0] && is_shown[1]);
	CHECK(node_pool_at(&pool, reference));
	node_pool_rest(&pool);
	CHECK(!is_shown[0] && is_shown[1]);
	/* Out of memory: as if it were gone, and it stays in use. */
	may_show = false;
	CHECK(!node_pool_at(&pool, first));
	node_pool_give_back(&pool, first);
	CHECK_EQ(pool.node_count, UNWIND_SHARD_NODES + 1);
	may_show = true;
	CHECK(node_pool_at(&pool, first));
	CHECK(is_shown[0]);
	node_pool_give_back(&pool, first);
	CHECK_EQ(pool.node_count, UNWIND_SHARD_NODES);
	tear_down(&pool);
}

static void the_cap_and_missing_memory_are_told_apart(void)
{
	struct unwind_reference reference;
	struct node_pool pool;
	int r;

	set_up(&pool, 1);
	while ((r = node_pool_take(&pool, &reference)) == 0)
		;
	CHECK_EQ(r, -ENOSPC);
	tear_down(&pool);
	set_up(&pool, UNWIND_SHARDS_MAX);
	while ((r = node_pool_take(&pool, &reference)) == 0)
		;
	CHECK_EQ(r, -ENOMEM);
	tear_down(&pool);
}

static void a_node_given_back_is_another_one(void)
{
	struct unwind_reference first, second;
	struct unwind_head *head;
	struct node_pool pool;

	set_up(&pool, 1);
	CHECK_EQ(node_pool_take(&pool, &first), 0);
	head = node_pool_at(&pool, first);
	CHECK(head);
	head->count = 7;
	node_pool_give_back(&pool, first);
	CHECK(!node_pool_at(&pool, first));
	CHECK_EQ(node_pool_take(&pool, &second), 0);
	CHECK_EQ(second.node, first.node);
	CHECK(second.generation != first.generation);
	head = node_pool_at(&pool, second);
	CHECK_EQ(head->count, 0);
	CHECK_EQ(pool.node_count, 1);
	tear_down(&pool);
}

static void references_to_nothing_give_nothing(void)
{
	struct node_pool pool;

	set_up(&pool, 1);
	CHECK(!node_pool_at(&pool, (struct unwind_reference){0, 0}));
	CHECK(!node_pool_at(&pool, (struct unwind_reference){5, 0}));
	tear_down(&pool);
}

int main(void)
{
	RUN(shards_are_made_as_they_are_needed);
	RUN(what_nobody_touches_is_hidden_until_it_is_looked_at);
	RUN(the_cap_and_missing_memory_are_told_apart);
	RUN(a_node_given_back_is_another_one);
	RUN(references_to_nothing_give_nothing);
	return 0;
}
