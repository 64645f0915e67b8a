/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   hash ----> slot [hash|index] [    ] [hash|index] ...     record array of the owner
 *                         |                                   [0] [1] [2] ...
 *                         +---------------------------------------^
 *
 * Slots are 12 bytes and hold no pointer, so a table of any record type uses this one piece of code
 * and growing it never touches the records. index is stored plus one: a zeroed slot is free.
 */
#include "store/base/index_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"

#define SLOT_COUNT_FIRST 64

struct index_map_slot {
	uint32_t hash_low;
	uint32_t hash_high;
	uint32_t index_plus_one;
};

void index_map_init(struct index_map *map, uint32_t count_max)
{
	must(count_max < UINT32_MAX / 4);
	*map = (struct index_map){.count_max = count_max};
}

void index_map_done(struct index_map *map)
{
	free(map->slots);
	*map = (struct index_map){0};
}

void index_map_clear(struct index_map *map)
{
	if (map->slots)
		memset(map->slots, 0, map->slot_count * sizeof(*map->slots));
	map->count = 0;
}

uint32_t index_map_find(const struct index_map *map, uint64_t hash, index_map_equal_fn equal,
	const void *context, const void *key)
{
	uint32_t mask = map->slot_count - 1;

	if (map->slot_count == 0)
		return INDEX_MAP_NONE;
	for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
		const struct index_map_slot *slot = &map->slots[at];

		if (slot->index_plus_one == 0)
			return INDEX_MAP_NONE;
		if (slot->hash_low == (uint32_t)hash && slot->hash_high == (uint32_t)(hash >> 32) &&
			equal(context, slot->index_plus_one - 1, key))
			return slot->index_plus_one - 1;
	}
}

static void place(struct index_map_slot *slots, uint32_t slot_count, struct index_map_slot slot)
{
	uint32_t mask = slot_count - 1;
	uint32_t at = slot.hash_low & mask;

	while (slots[at].index_plus_one != 0)
		at = (at + 1) & mask;
	slots[at] = slot;
}

static int grow(struct index_map *map)
{
	uint32_t slot_count = map->slot_count ? map->slot_count * 2 : SLOT_COUNT_FIRST;
	struct index_map_slot *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < map->slot_count; i++) {
		if (map->slots[i].index_plus_one != 0)
			place(slots, slot_count, map->slots[i]);
	}
	free(map->slots);
	map->slots = slots;
	map->slot_count = slot_count;
	return 0;
}

int index_map_add(struct index_map *map, uint64_t hash, uint32_t index)
{
	int r;

	must(index != INDEX_MAP_NONE);
	if (map->count >= map->count_max)
		return -E2BIG;
	/* At most half full: probes stay short. */
	if ((map->count + 1) * 2 > map->slot_count) {
		r = grow(map);
		if (r < 0)
			return r;
	}
	place(map->slots, map->slot_count,
		(struct index_map_slot){(uint32_t)hash, (uint32_t)(hash >> 32), index + 1});
	map->count++;
	return 0;
}

size_t index_map_bytes(const struct index_map *map)
{
	return map->slot_count * sizeof(*map->slots);
}
