/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/batch_seen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"

void batch_seen_init(struct batch_seen *seen)
{
	*seen = (struct batch_seen){0};
	index_map_init(&seen->map, BATCH_SEEN_INSTANCE_COUNT_MAX);
}

void batch_seen_done(struct batch_seen *seen)
{
	for (uint32_t i = 0; i < seen->count; i++)
		free(seen->instances[i].intervals);
	free(seen->instances);
	index_map_done(&seen->map);
	*seen = (struct batch_seen){0};
}

static bool instance_equal(const void *context, uint32_t index, const void *key)
{
	const struct batch_instance *instances = context;

	return memcmp(instances[index].instance, key, BATCH_INSTANCE_BYTES) == 0;
}

static uint32_t find_instance(const struct batch_seen *seen, const uint8_t *instance)
{
	return index_map_find(&seen->map, hash_key(instance, BATCH_INSTANCE_BYTES), instance_equal,
		seen->instances, instance);
}

/* The place of the first interval that ends at SEQUENCE or behind it. */
static uint32_t interval_place(const struct batch_instance *instance, uint64_t sequence)
{
	uint32_t low = 0, high = instance->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (instance->intervals[middle].last < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool batch_seen_has(const struct batch_seen *seen, const struct batch_key *key)
{
	uint32_t index = find_instance(seen, key->instance);
	const struct batch_instance *instance;
	uint32_t place;

	if (index == INDEX_MAP_NONE)
		return false;
	instance = &seen->instances[index];
	place = interval_place(instance, key->sequence);
	return place < instance->count && instance->intervals[place].first <= key->sequence;
}

/* Removes those from PLACE up to END. */
static void remove_intervals(struct batch_instance *instance, uint32_t place, uint32_t end)
{
	memmove(instance->intervals + place, instance->intervals + end,
		(instance->count - end) * sizeof(*instance->intervals));
	instance->count -= end - place;
}

static int insert_interval(struct batch_seen *seen, struct batch_instance *instance, uint32_t place,
	struct batch_interval interval)
{
	int r;

	if (instance->count == BATCH_SEEN_INTERVAL_COUNT_MAX) {
		/* The lowest sequences are the oldest batches: least likely to come again. */
		seen->forgotten_count++;
		if (place == 0)
			return 0;
		remove_intervals(instance, 0, 1);
		place--;
	}
	r = grow_array(&instance->intervals, &instance->capacity, instance->count,
		BATCH_SEEN_INTERVAL_COUNT_MAX);
	if (r < 0)
		return r;
	memmove(instance->intervals + place + 1, instance->intervals + place,
		(instance->count - place) * sizeof(*instance->intervals));
	instance->intervals[place] = interval;
	instance->count++;
	return 0;
}

/* Whether NEXT, which ends behind the start of INTERVAL, overlaps it or begins right behind it. */
static bool joins(const struct batch_interval *interval, const struct batch_interval *next)
{
	return next->first <= interval->last || next->first - 1 == interval->last;
}

static int add_interval(
	struct batch_seen *seen, struct batch_instance *instance, struct batch_interval interval)
{
	uint32_t place = interval_place(instance, interval.first), end = place;

	/* Behind an interval that ends below the start: the sum does not overflow. */
	if (place > 0 && instance->intervals[place - 1].last + 1 == interval.first)
		place--;
	while (end < instance->count && joins(&interval, &instance->intervals[end]))
		end++;
	if (place == end)
		return insert_interval(seen, instance, place, interval);
	if (instance->intervals[place].first < interval.first)
		interval.first = instance->intervals[place].first;
	if (instance->intervals[end - 1].last > interval.last)
		interval.last = instance->intervals[end - 1].last;
	instance->intervals[place] = interval;
	remove_intervals(instance, place + 1, end);
	return 0;
}

static int rebuild_map(struct batch_seen *seen)
{
	index_map_clear(&seen->map);
	for (uint32_t i = 0; i < seen->count; i++) {
		int r = index_map_add(
			&seen->map, hash_key(seen->instances[i].instance, BATCH_INSTANCE_BYTES), i);

		if (r < 0)
			return r;
	}
	return 0;
}

int batch_seen_expire(struct batch_seen *seen, uint64_t before_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < seen->count; i++) {
		if (seen->instances[i].newest_ns < before_ns)
			free(seen->instances[i].intervals);
		else
			seen->instances[kept++] = seen->instances[i];
	}
	if (kept == seen->count)
		return 0;
	seen->count = kept;
	return rebuild_map(seen);
}

static int time_compare(const void *left, const void *right)
{
	uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

/* Forgets the older half of all instances: done so seldom that a sort does not matter. */
static int forget_half(struct batch_seen *seen)
{
	SCOPED_FREE uint64_t *times = malloc(seen->count * sizeof(*times));
	uint32_t count = seen->count;
	int r;

	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		times[i] = seen->instances[i].newest_ns;
	qsort(times, count, sizeof(*times), time_compare);
	/* Equal times at the middle may leave none to forget but all. */
	r = batch_seen_expire(seen, times[count / 2]);
	if (r == 0 && seen->count == count)
		r = batch_seen_expire(seen, times[count - 1] + 1);
	seen->forgotten_count += count - seen->count;
	return r;
}

static int add_instance(
	struct batch_seen *seen, const uint8_t *name, struct batch_instance **ret_instance)
{
	struct batch_instance instance = {0};
	int r = seen->count == BATCH_SEEN_INSTANCE_COUNT_MAX ? forget_half(seen) : 0;

	if (r == 0)
		r = grow_array(&seen->instances, &seen->capacity, seen->count,
			BATCH_SEEN_INSTANCE_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&seen->map, hash_key(name, BATCH_INSTANCE_BYTES), seen->count);
	if (r < 0)
		return r;
	memcpy(instance.instance, name, BATCH_INSTANCE_BYTES);
	seen->instances[seen->count] = instance;
	*ret_instance = &seen->instances[seen->count++];
	return 0;
}

int batch_seen_add_interval(struct batch_seen *seen, const uint8_t *name,
	struct batch_interval interval, uint64_t received_at_ns)
{
	uint32_t index = find_instance(seen, name);
	struct batch_instance *instance;
	int r;

	must(interval.first <= interval.last);
	if (index == INDEX_MAP_NONE) {
		r = add_instance(seen, name, &instance);
		if (r < 0)
			return r;
	} else {
		instance = &seen->instances[index];
	}
	if (instance->newest_ns < received_at_ns)
		instance->newest_ns = received_at_ns;
	return add_interval(seen, instance, interval);
}

int batch_seen_add(struct batch_seen *seen, const struct batch_key *key, uint64_t received_at_ns)
{
	struct batch_interval interval = {key->sequence, key->sequence};

	return batch_seen_add_interval(seen, key->instance, interval, received_at_ns);
}
