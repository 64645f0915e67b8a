/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   groups   0   1   2   3   4   5   6   7 ...
 *            taken   | opened    | not yet
 *                    taken_count opened_count <= taken_count + STORE_AHEAD_COUNT_MAX
 */
#include "store/disk/store_ahead.h"

#include "store/base/must.h"

/* For one group the thread would come too late. */
#define GROUP_COUNT_MIN 2u

static int open_group(
	const struct store_ahead *ahead, uint32_t index, struct segment_cache_entry **ret_entry)
{
	const struct store_ahead_group *group = &ahead->groups[index];

	return segment_cache_take(ahead->cache, &group->key, group->reader, ret_entry);
}

/* Whether there is a group to be opened; waits until there is room for it. */
static bool may_open(struct store_ahead *ahead)
{
	bool may;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->ending && ahead->opened_count - ahead->taken_count == STORE_AHEAD_COUNT_MAX)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	may = !ahead->ending;
	pthread_mutex_unlock(&ahead->lock);
	return may;
}

static void *run(void *context)
{
	struct store_ahead *ahead = context;

	for (uint32_t i = 0; i < ahead->group_count && may_open(ahead); i++) {
		struct store_ahead_opened opened = {0};

		opened.error = open_group(ahead, i, &opened.entry);
		pthread_mutex_lock(&ahead->lock);
		ahead->opened[i % STORE_AHEAD_COUNT_MAX] = opened;
		ahead->opened_count = i + 1;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
	return NULL;
}

void store_ahead_begin(struct store_ahead *ahead, struct segment_cache *cache,
	const struct store_ahead_group *groups, uint32_t group_count)
{
	*ahead = (struct store_ahead){.cache = cache, .groups = groups, .group_count = group_count};
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	ahead->has_thread = group_count >= GROUP_COUNT_MIN &&
		pthread_create(&ahead->thread, NULL, run, ahead) == 0;
}

int store_ahead_take(struct store_ahead *ahead, struct segment_cache_entry **ret_entry)
{
	struct store_ahead_opened *place =
		&ahead->opened[ahead->taken_count % STORE_AHEAD_COUNT_MAX];
	struct store_ahead_opened opened;

	must(ahead->taken_count < ahead->group_count);
	if (!ahead->has_thread)
		return open_group(ahead, ahead->taken_count++, ret_entry);
	pthread_mutex_lock(&ahead->lock);
	while (ahead->opened_count == ahead->taken_count)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	opened = *place;
	*place = (struct store_ahead_opened){0};
	ahead->taken_count++;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	if (opened.error < 0)
		return opened.error;
	*ret_entry = opened.entry;
	return 0;
}

void store_ahead_end(struct store_ahead *ahead)
{
	if (ahead->has_thread) {
		pthread_mutex_lock(&ahead->lock);
		ahead->ending = true;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
		pthread_join(ahead->thread, NULL);
	}
	for (uint32_t i = 0; i < STORE_AHEAD_COUNT_MAX; i++) {
		if (ahead->opened[i].entry)
			segment_cache_give(ahead->cache, ahead->opened[i].entry);
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	*ahead = (struct store_ahead){0};
}
