/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/thread_table.h"

#include <stdbool.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"

int thread_table_init(struct thread_table *table)
{
	*table = (struct thread_table){0};
	index_map_init(&table->map, THREAD_COUNT_MAX);
	return 0;
}

void thread_table_done(struct thread_table *table)
{
	index_map_done(&table->map);
	free(table->threads);
	*table = (struct thread_table){0};
}

static bool thread_equal(const void *context, uint32_t index, const void *key)
{
	const struct thread *one = (const struct thread *)context + index;
	const struct thread *other = key;

	return one->pid == other->pid && one->tid == other->tid && one->name == other->name &&
		one->labels == other->labels;
}

int thread_table_add(struct thread_table *table, const struct thread *thread, uint32_t *ret_index)
{
	uint64_t hash = hash_pair((uint64_t)thread->pid << 32 | thread->tid,
		(uint64_t)thread->name << 32 | thread->labels);
	uint32_t index = index_map_find(&table->map, hash, thread_equal, table->threads, thread);
	int r;

	if (index != INDEX_MAP_NONE) {
		*ret_index = index;
		return 0;
	}
	r = grow_array(&table->threads, &table->capacity, table->count, THREAD_COUNT_MAX);
	if (r < 0)
		return r;
	r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->threads[table->count] = *thread;
	*ret_index = table->count++;
	return 0;
}
