/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/hold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"
#include "store/profile/grow.h"

#define CAPACITY_FIRST ((size_t)64 << 10)
#define ENTRY_COUNT_MAX ((uint32_t)(HOLD_BYTES_MAX / sizeof(struct event_sample)))

void hold_init(struct hold *hold)
{
	*hold = (struct hold){.bytes_max = HOLD_BYTES_MAX, .is_sorted = true};
}

void hold_done(struct hold *hold)
{
	free(hold->bytes);
	free(hold->entries);
	hold_init(hold);
}

static int make_room(struct hold *hold, size_t byte_count)
{
	size_t capacity = hold->capacity ? hold->capacity : CAPACITY_FIRST;
	uint8_t *bytes;

	if (hold->byte_count + byte_count > hold->bytes_max)
		return -ENOBUFS;
	while (capacity < hold->byte_count + byte_count)
		capacity *= 2;
	if (capacity == hold->capacity)
		return 0;
	bytes = realloc(hold->bytes, capacity);
	if (!bytes)
		return -ENOMEM;
	hold->bytes = bytes;
	hold->capacity = capacity;
	return 0;
}

int hold_add(struct hold *hold, const struct event_sample *sample)
{
	size_t byte_count = event_sample_bytes(sample);
	int r = make_room(hold, byte_count);

	if (r == 0)
		r = grow_array(&hold->entries, &hold->entry_capacity, hold->count, ENTRY_COUNT_MAX);
	if (r < 0)
		return r == -E2BIG ? -ENOBUFS : r;
	memcpy(hold->bytes + hold->byte_count, sample, byte_count);
	if (hold->count > hold->next &&
		hold->entries[hold->count - 1].taken_at_ns > sample->taken_at_ns)
		hold->is_sorted = false;
	hold->entries[hold->count++] = (struct hold_entry){sample->taken_at_ns, hold->byte_count};
	hold->byte_count += byte_count;
	return 0;
}

static int compare_entries(const void *one, const void *other)
{
	const struct hold_entry *first = one, *second = other;

	if (first->taken_at_ns != second->taken_at_ns)
		return first->taken_at_ns < second->taken_at_ns ? -1 : 1;
	return first->offset < second->offset ? -1 : 1;
}

static struct event_sample *sample_at(const struct hold *hold, uint32_t index)
{
	return (struct event_sample *)(void *)(hold->bytes + hold->entries[index].offset);
}

struct event_sample *hold_next(struct hold *hold, uint64_t until_ns)
{
	if (!hold->is_sorted) {
		qsort(hold->entries + hold->next, hold->count - hold->next, sizeof(*hold->entries),
			compare_entries);
		hold->is_sorted = true;
	}
	if (hold->next == hold->count || hold->entries[hold->next].taken_at_ns >= until_ns)
		return NULL;
	return sample_at(hold, hold->next++);
}

/* What remains is little (the last milliseconds), so it is copied out and back in. */
void hold_compact(struct hold *hold)
{
	struct hold rest;

	if (hold->next == 0)
		return;
	if (hold->next == hold->count) {
		hold->count = hold->next = 0;
		hold->byte_count = 0;
		return;
	}
	hold_init(&rest);
	for (uint32_t i = hold->next; i < hold->count; i++) {
		if (hold_add(&rest, sample_at(hold, i)) < 0) {
			/* Without memory everything stays where it is, and is tried again. */
			hold_done(&rest);
			return;
		}
	}
	rest.is_sorted = hold->is_sorted;
	rest.bytes_max = hold->bytes_max;
	hold_done(hold);
	*hold = rest;
}

uint32_t hold_count(const struct hold *hold)
{
	return hold->count - hold->next;
}
