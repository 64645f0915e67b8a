/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/frame_table.h"

#include <stdbool.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"

/* Of those who come along: frames that somebody else had in between. A line of the cache holds four. */
#define SKIPPED_MAX 4

int frame_table_init(struct frame_table *table)
{
	*table = (struct frame_table){0};
	index_map_init(&table->map, FRAME_COUNT_MAX);
	return 0;
}

void frame_table_done(struct frame_table *table)
{
	index_map_done(&table->map);
	free(table->frames);
	*table = (struct frame_table){0};
}

static bool frame_equal(const void *context, uint32_t index, const void *key)
{
	const struct frame *one = (const struct frame *)context + index;
	const struct frame *other = key;

	return one->address == other->address && one->module == other->module &&
		one->kind == other->kind && one->flags == other->flags;
}

int frame_table_add(struct frame_table *table, const struct frame *frame, uint32_t *ret_index)
{
	uint64_t what = (uint64_t)frame->module << 16 | (uint64_t)frame->kind << 8 | frame->flags;
	uint64_t hash = hash_pair(frame->address, what);
	uint32_t index = index_map_find(&table->map, hash, frame_equal, table->frames, frame);
	int r;

	if (index != INDEX_MAP_NONE) {
		*ret_index = index;
		return 0;
	}
	r = grow_array(&table->frames, &table->capacity, table->count, FRAME_COUNT_MAX);
	if (r < 0)
		return r;
	r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->frames[table->count] = *frame;
	*ret_index = table->count++;
	return 0;
}

int frame_table_add_along(
	struct frame_table *table, const struct frame *frame, uint32_t *next, uint32_t *ret_index)
{
	uint32_t count = table->count;
	int r;

	for (uint32_t i = *next; i < count && i - *next < SKIPPED_MAX; i++) {
		if (frame_equal(table->frames, i, frame)) {
			*next = i + 1;
			*ret_index = i;
			return 0;
		}
	}
	r = frame_table_add(table, frame, ret_index);
	/* A new frame stands at the end: those that follow are where they were. */
	if (r == 0 && *ret_index < count)
		*next = *ret_index + 1;
	return r;
}
