/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   entries   [a       ]   [b  ]            sorted by start; reach tells how far back a look-up
 *                [c ]      [d     ] [e]     has to go: no further than to the first entry whose
 *   reach     |--------|   |------| |-|     reach, with all before it, ends below the address
 */
#include "collector/jit/code_index.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"

#define CAPACITY_FIRST 64
/* One entry that spans all others would make each look-up go through them all. */
#define STEPS_MAX 512

void code_index_init(struct code_index *index, uint32_t count_max)
{
	must(count_max >= 16);
	*index = (struct code_index){.count_max = count_max};
}

void code_index_clear(struct code_index *index)
{
	free(index->entries);
	index->entries = NULL;
	index->count = index->capacity = index->sorted_count = 0;
}

void code_index_done(struct code_index *index)
{
	code_index_clear(index);
}

/* --- making room -------------------------------------------------------------------------------
 */

/* True: entry I begins where the next one does, which takes its place. */
static bool is_superseded(const struct code_index *index, uint32_t i)
{
	return i + 1 < index->count && index->entries[i].start == index->entries[i + 1].start &&
		index->entries[i].size <= index->entries[i + 1].size;
}

static void drop_superseded(struct code_index *index)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < index->count; i++) {
		if (!is_superseded(index, i))
			index->entries[kept++] = index->entries[i];
	}
	index->count = index->sorted_count = kept;
}

/* Drops what stands before LINE_AT in the file; what was asked for stays, unless ALL. */
static void drop_before(struct code_index *index, uint32_t line_at, bool all)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < index->count; i++) {
		const struct code_entry *entry = &index->entries[i];

		if (entry->line_at >= line_at || (!all && entry->name != CODE_NAME_NONE))
			index->entries[kept++] = *entry;
	}
	index->dropped_count += index->count - kept;
	index->count = index->sorted_count = kept;
}

static bool has_room(const struct code_index *index)
{
	return index->count <= index->count_max - index->count_max / 4;
}

static int make_room(struct code_index *index)
{
	uint32_t first = UINT32_MAX, last = 0;
	int r = code_index_settle(index);

	if (r < 0)
		return r;
	drop_superseded(index);
	for (uint32_t i = 0; i < index->count; i++) {
		uint32_t line_at = index->entries[i].line_at;

		first = line_at < first ? line_at : first;
		last = line_at > last ? line_at : last;
	}
	/* The older half, then half of the rest, as often as it takes. */
	while (!has_room(index) && first < last) {
		first += (last - first + 1) / 2;
		drop_before(index, first, false);
	}
	if (!has_room(index))
		drop_before(index, last, true);
	return code_index_settle(index);
}

/* --- adding ------------------------------------------------------------------------------------
 */

static int grow(struct code_index *index)
{
	uint32_t capacity = index->capacity ? index->capacity * 2 : CAPACITY_FIRST;
	struct code_entry *entries;

	if (capacity > index->count_max)
		capacity = index->count_max;
	entries = realloc(index->entries, capacity * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	index->entries = entries;
	index->capacity = capacity;
	return 0;
}

int code_index_add(struct code_index *index, const struct code_entry *entry)
{
	int r = 0;

	if (index->count == index->count_max)
		r = make_room(index);
	if (r == 0 && index->count == index->capacity)
		r = grow(index);
	if (r < 0)
		return r;
	index->entries[index->count++] = *entry;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct code_entry *one = left, *other = right;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return one->line_at < other->line_at ? -1 : one->line_at > other->line_at;
}

/* Merges the new entries, which are sorted, into those before them, from the end on. */
static void merge(struct code_index *index, const struct code_entry *fresh)
{
	uint32_t old_left = index->sorted_count, fresh_left = index->count - index->sorted_count;

	for (uint32_t to = index->count; fresh_left > 0; to--) {
		bool old_is_last = old_left > 0 &&
			compare(&index->entries[old_left - 1], &fresh[fresh_left - 1]) > 0;

		index->entries[to - 1] =
			old_is_last ? index->entries[--old_left] : fresh[--fresh_left];
	}
}

static void measure_reach(struct code_index *index)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < index->count; i++) {
		struct code_entry *entry = &index->entries[i];

		if (entry->start + entry->size > end)
			end = entry->start + entry->size;
		entry->reach = end > entry->start + UINT32_MAX ? UINT32_MAX
							       : (uint32_t)(end - entry->start);
	}
}

int code_index_settle(struct code_index *index)
{
	uint32_t fresh_count = index->count - index->sorted_count;
	SCOPED_FREE struct code_entry *fresh = NULL;

	if (fresh_count > 0) {
		fresh = malloc(fresh_count * sizeof(*fresh));
		if (!fresh)
			return -ENOMEM;
		memcpy(fresh, index->entries + index->sorted_count, fresh_count * sizeof(*fresh));
		qsort(fresh, fresh_count, sizeof(*fresh), compare);
		merge(index, fresh);
		index->sorted_count = index->count;
	}
	measure_reach(index);
	return 0;
}

/* --- finding -----------------------------------------------------------------------------------
 */

/* The number of entries that begin at or before ADDRESS. */
static uint32_t count_up_to(const struct code_index *index, uint64_t address)
{
	uint32_t low = 0, high = index->sorted_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (index->entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of what was seen later only: what was seen together stood there before, so that its last counts. */
static bool is_rather(const struct code_entry *entry, const struct code_entry *other)
{
	return entry->seen_at != other->seen_at ? entry->seen_at < other->seen_at
						: entry->line_at > other->line_at;
}

struct code_entry *code_index_find(const struct code_index *index, uint64_t address, uint32_t time)
{
	struct code_entry *before = NULL, *after = NULL;
	uint32_t i = count_up_to(index, address);

	for (uint32_t steps = 0; i > 0 && steps < STEPS_MAX; steps++) {
		struct code_entry *entry = &index->entries[--i];

		if (address - entry->start >= entry->reach)
			break;
		if (address - entry->start >= entry->size)
			continue;
		if (entry->seen_at <= time) {
			if (!before || entry->line_at > before->line_at)
				before = entry;
		} else if (!after || is_rather(entry, after)) {
			after = entry;
		}
	}
	return before ? before : after;
}
