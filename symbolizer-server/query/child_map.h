/* SPDX-License-Identifier: Apache-2.0 */
/* Child map: from (parent node, what the child is) to the child, for trees that grow.
 *
 * What it is   open addressing with the key in the slot: a look-up in a tree of a million nodes
 *              costs one cache miss, where a map of indices would cost two.
 * Ownership    owns its slots; nodes stay with the owner.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CHILD_MAP_NONE UINT32_MAX

struct child_map_slot;

struct child_map {
	struct child_map_slot *slots;
	uint32_t slot_count; /* a power of two, or 0 */
	uint32_t count;
};

void child_map_init(struct child_map *map);
void child_map_done(struct child_map *map);
/* The child, or CHILD_MAP_NONE. */
uint32_t child_map_find(const struct child_map *map, uint32_t parent, uint32_t what);
/* Adds a child that is known to be absent; at most 2^30 of them. */
int child_map_add(struct child_map *map, uint32_t parent, uint32_t what, uint32_t child);
/* What it holds in memory. */
size_t child_map_bytes(const struct child_map *map);
