/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/child_map.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/hash.h"

#define SLOT_COUNT_FIRST 1024
#define SLOT_COUNT_MAX (1u << 31)

struct child_map_slot {
	uint32_t parent;
	uint32_t what;
	uint32_t child_plus_one; /* 0: free */
};

void child_map_init(struct child_map *map)
{
	*map = (struct child_map){0};
}

void child_map_done(struct child_map *map)
{
	free(map->slots);
	*map = (struct child_map){0};
}

static struct child_map_slot *find_slot(const struct child_map *map, uint32_t parent, uint32_t what)
{
	uint32_t mask = map->slot_count - 1;
	uint32_t at = (uint32_t)hash_pair(parent, what) & mask;

	for (;; at = (at + 1) & mask) {
		struct child_map_slot *slot = &map->slots[at];

		if (slot->child_plus_one == 0 || (slot->parent == parent && slot->what == what))
			return slot;
	}
}

static int grow(struct child_map *map)
{
	struct child_map old = *map;

	if (old.slot_count == SLOT_COUNT_MAX)
		return -ENOMEM;
	map->slot_count = old.slot_count ? old.slot_count * 2 : SLOT_COUNT_FIRST;
	map->slots = calloc(map->slot_count, sizeof(*map->slots));
	if (!map->slots) {
		*map = old;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < old.slot_count; i++) {
		const struct child_map_slot *slot = &old.slots[i];

		if (slot->child_plus_one != 0)
			*find_slot(map, slot->parent, slot->what) = *slot;
	}
	free(old.slots);
	return 0;
}

uint32_t child_map_find(const struct child_map *map, uint32_t parent, uint32_t what)
{
	const struct child_map_slot *slot;

	if (map->slot_count == 0)
		return CHILD_MAP_NONE;
	slot = find_slot(map, parent, what);
	return slot->child_plus_one ? slot->child_plus_one - 1 : CHILD_MAP_NONE;
}

int child_map_add(struct child_map *map, uint32_t parent, uint32_t what, uint32_t child)
{
	/* At most two slots in three are taken. */
	if (map->count >= map->slot_count / 3 * 2) {
		int r = grow(map);

		if (r < 0)
			return r;
	}
	*find_slot(map, parent, what) = (struct child_map_slot){parent, what, child + 1};
	map->count++;
	return 0;
}

size_t child_map_bytes(const struct child_map *map)
{
	return map->slot_count * sizeof(*map->slots);
}
