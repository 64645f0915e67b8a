/* SPDX-License-Identifier: Apache-2.0 */
/* Index map: from a 64-bit hash to the index of a record that its owner keeps in an array.
 *
 * What it is   open addressing with linear probing; slots hold {hash, index}. The owner compares
 *              the record itself, so equal hashes of different records are told apart.
 * Ownership    owns its slots only; records stay with the owner.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG once count_max entries are in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_MAP_NONE UINT32_MAX

struct index_map_slot;

struct index_map {
	struct index_map_slot *slots;
	uint32_t slot_count; /* a power of two, or 0 */
	uint32_t count;
	uint32_t count_max;
};

typedef bool (*index_map_equal_fn)(const void *context, uint32_t index, const void *key);

void index_map_init(struct index_map *map, uint32_t count_max);
void index_map_done(struct index_map *map);
/* Forgets the entries, keeps the memory. */
void index_map_clear(struct index_map *map);
/* The index whose record EQUAL accepts among those with HASH, or INDEX_MAP_NONE. */
uint32_t index_map_find(const struct index_map *map, uint64_t hash, index_map_equal_fn equal,
	const void *context, const void *key);
/* What it holds in memory. */
size_t index_map_bytes(const struct index_map *map);
/* Adds an entry that is known to be absent. */
int index_map_add(struct index_map *map, uint64_t hash, uint32_t index);
