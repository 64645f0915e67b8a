/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_memory.h"

#include <errno.h>
#include <stdlib.h>

int plain_memory_init(struct plain_memory *memory)
{
	*memory = (struct plain_memory){
		.rules = calloc(UNWIND_RULES_MAX, sizeof(*memory->rules)),
		.tables = calloc(UNWIND_TABLES_MAX, sizeof(*memory->tables)),
	};
	if (memory->rules && memory->tables)
		return 0;
	plain_memory_done(memory);
	return -ENOMEM;
}

void plain_memory_done(struct plain_memory *memory)
{
	for (uint32_t i = 0; i < memory->shard_count; i++)
		free(memory->shards[i]);
	free(memory->rules);
	free(memory->tables);
	*memory = (struct plain_memory){0};
}

static void *make_shard(void *context, uint32_t number)
{
	struct plain_memory *memory = context;
	void *shard;

	if (number != memory->shard_count || number >= UNWIND_SHARDS_MAX)
		return NULL;
	shard = calloc(1, UNWIND_SHARD_BYTES);
	if (shard)
		memory->shards[memory->shard_count++] = shard;
	return shard;
}

void plain_memory_lend(struct plain_memory *memory, struct unwind_memory *ret_memory)
{
	*ret_memory = (struct unwind_memory){
		.rules = memory->rules,
		.tables = memory->tables,
		.make_shard = make_shard,
		.context = memory,
	};
}
