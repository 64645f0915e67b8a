/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unwind_memory.h"

#include "tests/support/check.h"

void unwind_memory_init(struct unwind_memory_fixture *fixture)
{
	*fixture = (struct unwind_memory_fixture){.shard_count = 0};
	fixture->rules = calloc(UNWIND_RULES_MAX, sizeof(*fixture->rules));
	fixture->tables = calloc(UNWIND_TABLES_MAX, sizeof(*fixture->tables));
	CHECK(fixture->rules && fixture->tables);
}

void unwind_memory_done(struct unwind_memory_fixture *fixture)
{
	for (uint32_t i = 0; i < fixture->shard_count; i++)
		free(fixture->shards[i]);
	free(fixture->rules);
	free(fixture->tables);
}

void *unwind_memory_make_shard(void *context, uint32_t number)
{
	struct unwind_memory_fixture *fixture = context;

	CHECK_EQ(number, fixture->shard_count);
	CHECK(number < UNWIND_SHARDS_MAX);
	fixture->shards[number] = calloc(1, UNWIND_SHARD_BYTES);
	CHECK(fixture->shards[number]);
	return fixture->shards[fixture->shard_count++];
}
