/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   buckets   [hour 474012] [hour 474013] [hour 474020] ...        sorted; hours without data: none
 *                  |
 *   entries   [start until id file offset bytes host types] ...    48 bytes a record
 *
 * Records come nearly in order, so an entry is appended and its bucket sorted only when a reader
 * finds it out of order. A reader takes one bucket at a time: memory and the time under the lock
 * follow one hour, not the range asked for.
 */
#include "store/disk/time_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/profile/grow.h"

int time_index_init(struct time_index *index)
{
	int r;

	*index = (struct time_index){0};
	r = string_table_init(&index->texts);
	if (r < 0)
		return r;
	r = string_table_init(&index->type_sets);
	if (r < 0)
		string_table_done(&index->texts);
	return r;
}

void time_index_done(struct time_index *index)
{
	for (uint32_t i = 0; i < index->count; i++)
		free(index->buckets[i].entries);
	free(index->buckets);
	string_table_done(&index->texts);
	string_table_done(&index->type_sets);
	*index = (struct time_index){0};
}

/* The place of the first bucket whose hour is not below HOUR. */
static uint32_t bucket_place(const struct time_index *index, uint64_t hour)
{
	uint32_t low = 0, high = index->count;

	/* New data belong to the last bucket or behind it. */
	if (high > 0 && index->buckets[high - 1].hour < hour)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (index->buckets[middle].hour < hour)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int find_or_add_bucket(
	struct time_index *index, uint64_t hour, struct time_bucket **ret_bucket)
{
	uint32_t place = bucket_place(index, hour);
	int r;

	if (place == index->count || index->buckets[place].hour != hour) {
		r = grow_array(&index->buckets, &index->capacity, index->count,
			TIME_INDEX_BUCKET_COUNT_MAX);
		if (r < 0)
			return r;
		memmove(index->buckets + place + 1, index->buckets + place,
			(index->count - place) * sizeof(*index->buckets));
		index->buckets[place] = (struct time_bucket){.hour = hour, .sorted = true};
		index->count++;
	}
	*ret_bucket = &index->buckets[place];
	return 0;
}

static int intern_texts(
	struct time_index *index, const struct log_record *record, struct time_entry *entry)
{
	uint32_t types[PROFILE_TYPE_COUNT_MAX];
	int r = string_table_add(
		&index->texts, record->host.text, record->host.length, &entry->host);

	for (uint32_t i = 0; r == 0 && i < record->type_count; i++)
		r = string_table_add(
			&index->texts, record->types[i].text, record->types[i].length, &types[i]);
	if (r == 0)
		r = string_table_add(&index->type_sets, (const char *)types,
			record->type_count * sizeof(*types), &entry->types);
	return r;
}

static int entry_compare(const void *left, const void *right)
{
	const struct time_entry *one = left, *other = right;

	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	return (one->id > other->id) - (one->id < other->id);
}

int time_index_add(
	struct time_index *index, const struct log_record *record, void *owner, uint32_t offset)
{
	struct time_entry entry = {
		.start_ns = record->start_ns,
		.until_ns = record->until_ns,
		.id = index->next_id,
		.owner = owner,
		.offset = offset,
		.byte_count = (uint32_t)log_record_bytes(record),
	};
	struct time_bucket *bucket = NULL;
	int r = intern_texts(index, record, &entry);

	if (r == 0)
		r = find_or_add_bucket(index, entry.start_ns / TIME_INDEX_BUCKET_NS, &bucket);
	if (r == 0)
		r = grow_array(&bucket->entries, &bucket->capacity, bucket->count,
			TIME_INDEX_ENTRY_COUNT_MAX);
	if (r != 0)
		return r;
	if (bucket->count > 0 && entry_compare(&bucket->entries[bucket->count - 1], &entry) > 0)
		bucket->sorted = false;
	bucket->entries[bucket->count++] = entry;
	index->entry_count++;
	index->next_id++;
	return 0;
}

void time_index_remove(struct time_index *index,
	bool (*drop)(const void *context, const struct time_entry *entry), const void *context)
{
	uint32_t bucket_count = 0;

	for (uint32_t i = 0; i < index->count; i++) {
		struct time_bucket *bucket = &index->buckets[i];
		uint32_t kept = 0;

		for (uint32_t j = 0; j < bucket->count; j++) {
			if (!drop(context, &bucket->entries[j]))
				bucket->entries[kept++] = bucket->entries[j];
		}
		index->entry_count -= bucket->count - kept;
		bucket->count = kept;
		if (kept > 0)
			index->buckets[bucket_count++] = *bucket;
		else
			free(bucket->entries);
	}
	index->count = bucket_count;
}

static bool find_text(const struct time_index *index, const char *text, bool *any, uint32_t *found)
{
	*any = !text;
	if (text)
		*found = string_table_find(&index->texts, text, strlen(text));
	return !text || *found != INDEX_MAP_NONE;
}

bool time_index_select(const struct time_index *index, const char *host, const char *type,
	struct time_selection *selection)
{
	return find_text(index, host, &selection->any_host, &selection->host) &&
		find_text(index, type, &selection->any_type, &selection->type);
}

static bool set_holds(const struct time_index *index, uint32_t set, uint32_t type)
{
	const char *types = string_table_text(&index->type_sets, set);
	size_t byte_count = string_table_length(&index->type_sets, set);

	for (size_t at = 0; at < byte_count; at += sizeof(type)) {
		if (memcmp(types + at, &type, sizeof(type)) == 0)
			return true;
	}
	return false;
}

static bool matches(const struct time_index *index, const struct time_selection *selection,
	const struct time_entry *entry)
{
	return entry->start_ns < selection->until_ns && entry->until_ns > selection->from_ns &&
		entry->id < selection->id_end &&
		(selection->any_host || entry->host == selection->host) &&
		(selection->any_type || set_holds(index, entry->types, selection->type));
}

static int copy_matching(const struct time_index *index, const struct time_bucket *bucket,
	const struct time_selection *selection, struct time_entry **ret_entries,
	uint32_t *ret_count)
{
	SCOPED_FREE struct time_entry *copies = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < bucket->count; i++)
		count += matches(index, selection, &bucket->entries[i]);
	if (count == 0) {
		*ret_entries = NULL;
		*ret_count = 0;
		return 0;
	}
	copies = malloc(count * sizeof(*copies));
	if (!copies)
		return -ENOMEM;
	count = 0;
	for (uint32_t i = 0; i < bucket->count; i++) {
		if (matches(index, selection, &bucket->entries[i]))
			copies[count++] = bucket->entries[i];
	}
	*ret_entries = TAKE(copies);
	*ret_count = count;
	return 0;
}

uint64_t time_index_first_hour(uint64_t from_ns)
{
	uint64_t hour = from_ns / TIME_INDEX_BUCKET_NS;

	return hour > 0 ? hour - 1 : 0;
}

int time_index_next(struct time_index *index, const struct time_selection *selection,
	uint64_t *hour, struct time_entry **ret_entries, uint32_t *ret_count)
{
	for (uint32_t i = bucket_place(index, *hour); i < index->count; i++) {
		struct time_bucket *bucket = &index->buckets[i];
		int r;

		if (bucket->hour * TIME_INDEX_BUCKET_NS >= selection->until_ns)
			break;
		if (!bucket->sorted)
			qsort(bucket->entries, bucket->count, sizeof(*bucket->entries),
				entry_compare);
		bucket->sorted = true;
		r = copy_matching(index, bucket, selection, ret_entries, ret_count);
		if (r < 0)
			return r;
		*hour = bucket->hour + 1;
		if (*ret_count > 0)
			return 0;
	}
	*ret_entries = NULL;
	*ret_count = 0;
	return 0;
}
