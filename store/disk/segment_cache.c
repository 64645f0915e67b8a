/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   lists[hash of number and group] -> entry -> entry
 *   first (used last) <-> entry <-> ... <-> last (used longest ago)
 *
 * An entry in use stays in both; when there is too much, those at the end that nobody uses go.
 */
#include "store/disk/segment_cache.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/base/must.h"

struct segment_cache_entry {
	struct segment_cache_key key;
	struct segment_group *group;
	size_t byte_count;
	uint32_t user_count;
	struct segment_cache_entry *next_in_list;
	struct segment_cache_entry *newer, *older;
};

void segment_cache_init(struct segment_cache *cache, size_t bytes_max)
{
	*cache = (struct segment_cache){.bytes_max = bytes_max};
	pthread_mutex_init(&cache->lock, NULL);
}

static struct segment_cache_entry **list_of(
	struct segment_cache *cache, uint64_t number, uint32_t index)
{
	return &cache->lists[hash_pair(number, index) % SEGMENT_CACHE_LIST_COUNT];
}

static void unlink_use(struct segment_cache *cache, struct segment_cache_entry *entry)
{
	*(entry->newer ? &entry->newer->older : &cache->first) = entry->older;
	*(entry->older ? &entry->older->newer : &cache->last) = entry->newer;
}

static void link_first(struct segment_cache *cache, struct segment_cache_entry *entry)
{
	entry->newer = NULL;
	entry->older = cache->first;
	*(cache->first ? &cache->first->newer : &cache->last) = entry;
	cache->first = entry;
}

static void add(struct segment_cache *cache, struct segment_cache_entry *entry)
{
	struct segment_cache_entry **list = list_of(cache, entry->key.number, entry->key.index);

	entry->next_in_list = *list;
	*list = entry;
	link_first(cache, entry);
	cache->byte_count += entry->byte_count;
}

static void drop(struct segment_cache *cache, struct segment_cache_entry *entry)
{
	struct segment_cache_entry **at = list_of(cache, entry->key.number, entry->key.index);

	must(entry->user_count == 0);
	while (*at != entry)
		at = &(*at)->next_in_list;
	*at = entry->next_in_list;
	unlink_use(cache, entry);
	cache->byte_count -= entry->byte_count;
	segment_group_close(entry->group);
	free(entry);
}

/* Entries in use do not count as room that could be made. */
static void make_room(struct segment_cache *cache)
{
	struct segment_cache_entry *entry = cache->last;

	while (entry && cache->byte_count > cache->bytes_max) {
		struct segment_cache_entry *newer = entry->newer;

		if (entry->user_count == 0)
			drop(cache, entry);
		entry = newer;
	}
}

void segment_cache_done(struct segment_cache *cache)
{
	while (cache->first)
		drop(cache, cache->first);
	pthread_mutex_destroy(&cache->lock);
}

/* Values of enum segment_depth rise with what is decoded. */
static struct segment_cache_entry *use_known(
	struct segment_cache *cache, const struct segment_cache_key *key)
{
	struct segment_cache_entry *entry = *list_of(cache, key->number, key->index);

	while (entry &&
		(entry->key.number != key->number || entry->key.index != key->index ||
			entry->key.depth < key->depth))
		entry = entry->next_in_list;
	if (!entry)
		return NULL;
	entry->user_count++;
	unlink_use(cache, entry);
	link_first(cache, entry);
	return entry;
}

static int decode(const struct segment_cache_key *key, const struct segment_reader *reader,
	struct segment_cache_entry **ret_entry)
{
	struct segment_cache_entry *entry = calloc(1, sizeof(*entry));
	int r;

	if (!entry)
		return -ENOMEM;
	r = segment_group_open(reader, key->index, key->depth, &entry->group);
	if (r < 0) {
		free(entry);
		return r;
	}
	entry->key = *key;
	entry->byte_count = sizeof(*entry) + segment_group_bytes(entry->group);
	*ret_entry = entry;
	return 0;
}

int segment_cache_take(struct segment_cache *cache, const struct segment_cache_key *key,
	const struct segment_reader *reader, struct segment_cache_entry **ret_entry)
{
	struct segment_cache_entry *entry, *made;
	int r;

	pthread_mutex_lock(&cache->lock);
	entry = use_known(cache, key);
	cache->reused_count += entry != NULL;
	pthread_mutex_unlock(&cache->lock);
	if (!entry) {
		r = decode(key, reader, &made);
		if (r < 0)
			return r;
		pthread_mutex_lock(&cache->lock);
		cache->decoded_count++;
		/* Another thread may have been faster. */
		entry = use_known(cache, key);
		if (!entry) {
			entry = made;
			made = NULL;
			entry->user_count = 1;
			add(cache, entry);
			make_room(cache);
		}
		pthread_mutex_unlock(&cache->lock);
		if (made)
			segment_group_close(made->group);
		free(made);
	}
	*ret_entry = entry;
	return 0;
}

const struct segment_group *segment_cache_group(const struct segment_cache_entry *entry)
{
	return entry->group;
}

void segment_cache_give(struct segment_cache *cache, struct segment_cache_entry *entry)
{
	pthread_mutex_lock(&cache->lock);
	must(entry->user_count > 0);
	entry->user_count--;
	make_room(cache);
	pthread_mutex_unlock(&cache->lock);
}

void segment_cache_forget(struct segment_cache *cache, uint64_t number)
{
	struct segment_cache_entry *entry, *older;

	pthread_mutex_lock(&cache->lock);
	for (entry = cache->first; entry; entry = older) {
		older = entry->older;
		if (entry->key.number == number)
			drop(cache, entry);
	}
	pthread_mutex_unlock(&cache->lock);
}
