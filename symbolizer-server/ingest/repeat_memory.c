/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/repeat_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "store/base/index_map.h"
#include "store/profile/grow.h"

struct repeat_row {
	struct hash128 key;
	uint64_t at_ns;
	bool under_way;
	bool is_stored;
};

struct generation {
	struct repeat_row *rows;
	uint32_t count;
	uint32_t capacity;
	struct index_map keys;
	uint64_t begun_at_ns;
};

struct repeat_memory {
	pthread_mutex_t lock;
	struct generation young, old;
	uint64_t forgotten_count;
};

int repeat_memory_new(struct repeat_memory **ret_memory)
{
	struct repeat_memory *memory = calloc(1, sizeof(*memory));
	int r;

	if (!memory)
		return -ENOMEM;
	r = -pthread_mutex_init(&memory->lock, NULL);
	if (r < 0) {
		free(memory);
		return r;
	}
	index_map_init(&memory->young.keys, REPEAT_COUNT_MAX);
	index_map_init(&memory->old.keys, REPEAT_COUNT_MAX);
	*ret_memory = memory;
	return 0;
}

static void generation_done(struct generation *generation)
{
	free(generation->rows);
	index_map_done(&generation->keys);
}

void repeat_memory_free(struct repeat_memory *memory)
{
	if (!memory)
		return;
	generation_done(&memory->young);
	generation_done(&memory->old);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
}

static bool has_key(const void *context, uint32_t index, const void *key)
{
	const struct repeat_row *rows = context;
	const struct hash128 *asked = key;

	return rows[index].key.low == asked->low && rows[index].key.high == asked->high;
}

static struct repeat_row *find_in(const struct generation *generation, const struct hash128 *key)
{
	uint32_t row = index_map_find(&generation->keys, key->low, has_key, generation->rows, key);

	return row == INDEX_MAP_NONE ? NULL : &generation->rows[row];
}

static struct repeat_row *find(const struct repeat_memory *memory, const struct hash128 *key)
{
	struct repeat_row *row = find_in(&memory->young, key);

	return row ? row : find_in(&memory->old, key);
}

/* The young become the old, and the place of those is taken anew. */
static void turn(struct repeat_memory *memory, uint64_t now_ns)
{
	struct generation emptied = memory->old;

	for (uint32_t i = 0; emptied.rows && i < emptied.count; i++) {
		if (now_ns - emptied.rows[i].at_ns < REPEAT_SPAN_NS)
			memory->forgotten_count++;
	}
	emptied.count = 0;
	emptied.begun_at_ns = now_ns;
	index_map_clear(&emptied.keys);
	memory->old = memory->young;
	memory->young = emptied;
}

/* One that finds no memory is not remembered. */
static void add(struct repeat_memory *memory, const struct repeat_row *row)
{
	struct generation *young = &memory->young;

	if (grow_array(&young->rows, &young->capacity, young->count, REPEAT_COUNT_MAX) < 0 ||
		index_map_add(&young->keys, row->key.low, young->count) < 0)
		return;
	young->rows[young->count++] = *row;
}

static enum repeat_state begin(
	struct repeat_memory *memory, const struct hash128 *key, uint64_t now_ns)
{
	struct repeat_row *known = find(memory, key);

	if (known && known->under_way)
		return REPEAT_UNDER_WAY;
	if (known && known->is_stored && now_ns - known->at_ns < REPEAT_SPAN_NS)
		return REPEAT_STORED;
	if (known) {
		known->under_way = true;
		known->is_stored = false;
		known->at_ns = now_ns;
		return REPEAT_NEW;
	}
	if (memory->young.count == REPEAT_COUNT_MAX ||
		now_ns - memory->young.begun_at_ns >= REPEAT_SPAN_NS)
		turn(memory, now_ns);
	add(memory, &(struct repeat_row){.key = *key, .at_ns = now_ns, .under_way = true});
	return REPEAT_NEW;
}

enum repeat_state repeat_memory_begin(
	struct repeat_memory *memory, const struct hash128 *key, uint64_t now_ns)
{
	enum repeat_state state;

	pthread_mutex_lock(&memory->lock);
	state = begin(memory, key, now_ns);
	pthread_mutex_unlock(&memory->lock);
	return state;
}

void repeat_memory_end(struct repeat_memory *memory, const struct hash128 *key, bool is_stored)
{
	struct repeat_row *row;

	pthread_mutex_lock(&memory->lock);
	row = find(memory, key);
	if (row) {
		row->under_way = false;
		row->is_stored = is_stored;
	}
	pthread_mutex_unlock(&memory->lock);
}

uint64_t repeat_memory_forgotten(struct repeat_memory *memory)
{
	uint64_t count;

	pthread_mutex_lock(&memory->lock);
	count = memory->forgotten_count;
	pthread_mutex_unlock(&memory->lock);
	return count;
}
