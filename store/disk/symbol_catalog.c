/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_catalog.h"

#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"

void symbol_catalog_init(struct symbol_catalog *catalog)
{
	*catalog = (struct symbol_catalog){0};
	index_map_init(&catalog->map, SYMBOL_CATALOG_COUNT_MAX);
}

void symbol_catalog_done(struct symbol_catalog *catalog)
{
	index_map_done(&catalog->map);
	free(catalog->entries);
	*catalog = (struct symbol_catalog){0};
}

static bool equal(const void *context, uint32_t index, const void *key)
{
	const struct symbol_catalog *catalog = context;

	return build_id_equal(&catalog->entries[index].id, key);
}

/* The map knows no removal: it is made anew after one, at the next look-up. */
static int refresh_map(struct symbol_catalog *catalog)
{
	int r = 0;

	if (!catalog->map_stale)
		return 0;
	index_map_clear(&catalog->map);
	for (uint32_t i = 0; r == 0 && i < catalog->count; i++)
		r = index_map_add(&catalog->map, build_id_hash(&catalog->entries[i].id), i);
	catalog->map_stale = r < 0;
	return r;
}

struct symbol_cache_entry *symbol_catalog_find(
	struct symbol_catalog *catalog, const struct build_id *id)
{
	uint32_t index;

	if (refresh_map(catalog) < 0)
		return NULL;
	index = index_map_find(&catalog->map, build_id_hash(id), equal, catalog, id);
	return index == INDEX_MAP_NONE ? NULL : &catalog->entries[index];
}

int symbol_catalog_put(struct symbol_catalog *catalog, const struct symbol_cache_entry *entry)
{
	struct symbol_cache_entry *found;
	int r = refresh_map(catalog);

	if (r < 0)
		return r;
	found = symbol_catalog_find(catalog, &entry->id);
	if (found) {
		catalog->byte_count -= found->byte_count;
		catalog->byte_count += entry->byte_count;
		*found = *entry;
		return 0;
	}
	r = grow_array(
		&catalog->entries, &catalog->capacity, catalog->count, SYMBOL_CATALOG_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&catalog->map, build_id_hash(&entry->id), catalog->count);
	if (r < 0)
		return r;
	catalog->entries[catalog->count++] = *entry;
	catalog->byte_count += entry->byte_count;
	return 0;
}

void symbol_catalog_remove(struct symbol_catalog *catalog, const struct build_id *id)
{
	struct symbol_cache_entry *found = symbol_catalog_find(catalog, id);

	if (!found)
		return;
	catalog->byte_count -= found->byte_count;
	*found = catalog->entries[--catalog->count];
	catalog->map_stale = true;
}

struct symbol_cache_entry *symbol_catalog_oldest(
	struct symbol_catalog *catalog, const struct build_id *keep)
{
	struct symbol_cache_entry *oldest = NULL;

	for (uint32_t i = 0; i < catalog->count; i++) {
		struct symbol_cache_entry *entry = &catalog->entries[i];

		if (keep && build_id_equal(&entry->id, keep))
			continue;
		if (!oldest || entry->used_at_ns < oldest->used_at_ns)
			oldest = entry;
	}
	return oldest;
}
