/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_index.h"

#include <errno.h>
#include <stdlib.h>

#include "store/disk/block_dictionary.h"
#include "store/profile/grow.h"

int segment_index_init(struct segment_index *index)
{
	*index = (struct segment_index){0};
	return string_table_init(&index->texts);
}

void segment_index_done(struct segment_index *index)
{
	free(index->replaced);
	free(index->hours);
	free(index->groups);
	string_table_done(&index->texts);
	*index = (struct segment_index){0};
}

int segment_index_add_hour(struct segment_index *index, const struct segment_hour *hour)
{
	int r = grow_array(
		&index->hours, &index->hour_capacity, index->hour_count, SEGMENT_HOUR_COUNT_MAX);

	if (r < 0)
		return r;
	index->hours[index->hour_count++] = *hour;
	return 0;
}

int segment_index_add_group(struct segment_index *index, const struct segment_group_entry *group)
{
	int r = grow_array(&index->groups, &index->group_capacity, index->group_count,
		SEGMENT_GROUP_COUNT_MAX);

	if (r < 0)
		return r;
	index->groups[index->group_count++] = *group;
	return 0;
}

struct life_name segment_index_service(const struct segment_index *index, uint32_t group)
{
	uint32_t service = index->groups[group].service;

	return (struct life_name){string_table_text(&index->texts, service),
		string_table_length(&index->texts, service)};
}

static void write_hours(struct bytes_writer *writer, const struct segment_index *index)
{
	uint64_t before = 0;

	bytes_write_varint(writer, index->hour_count);
	for (uint32_t i = 0; i < index->hour_count; i++) {
		const struct segment_hour *hour = &index->hours[i];

		bytes_write_varint(writer, hour->hour - before);
		bytes_write_varint(writer, hour->from_ns);
		bytes_write_varint(writer, hour->until_ns - hour->from_ns);
		bytes_write_varint(writer, hour->window_count);
		segment_ref_write(writer, &hour->windows);
		segment_ref_write(writer, &hour->lives);
		before = hour->hour;
	}
}

void segment_index_write(struct bytes_writer *writer, const struct segment_index *index)
{
	uint64_t before = 0;

	bytes_write_varint(writer, index->newest_received_ns);
	bytes_write_varint(writer, index->sample_count);
	bytes_write_varint(writer, index->slot_bytes);
	bytes_write_varint(writer, index->slots_until_ns);
	bytes_write_varint(writer, index->replaced_count);
	for (uint32_t i = 0; i < index->replaced_count; i++) {
		bytes_write_varint(writer, index->replaced[i] - before);
		before = index->replaced[i];
	}
	segment_ref_write(writer, &index->keys);
	write_hours(writer, index);
	block_strings_write(writer, &index->texts);
	bytes_write_varint(writer, index->group_count);
	for (uint32_t i = 0; i < index->group_count; i++) {
		const struct segment_group_entry *group = &index->groups[i];

		bytes_write_varint(writer, group->service);
		bytes_write_varint(writer, group->from_ns);
		bytes_write_varint(writer, group->until_ns - group->from_ns);
		bytes_write_varint(writer, group->sample_count);
		segment_ref_write(writer, &group->head);
	}
}

static int read_replaced(struct bytes_reader *reader, struct segment_index *index)
{
	uint32_t count = block_read_count(reader, SEGMENT_REPLACED_COUNT_MAX);
	uint64_t number = 0;

	index->replaced = calloc(count ? count : 1, sizeof(*index->replaced));
	if (!index->replaced)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t step = bytes_read_varint(reader);

		if (i > 0 && (step == 0 || step > UINT64_MAX - number))
			bytes_reader_refuse(reader);
		number += step;
		index->replaced[i] = number;
	}
	index->replaced_count = count;
	return bytes_reader_fault(reader);
}

static int read_hours(struct bytes_reader *reader, struct segment_index *index)
{
	uint32_t count = block_read_count(reader, SEGMENT_HOUR_COUNT_MAX);
	uint64_t number = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t step = bytes_read_varint(reader);
		struct segment_hour hour;
		int r;

		/* Hours of 63 bits of nanoseconds: so nothing of them overflows. */
		if ((i > 0 && step == 0) || step > INT64_MAX / NS_PER_S / 3600 - number)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		number += step;
		hour.hour = number;
		hour.from_ns = bytes_read_varint(reader);
		hour.until_ns = hour.from_ns + bytes_read_varint(reader);
		hour.window_count = bytes_read_varint32(reader);
		hour.windows = segment_ref_read(reader);
		hour.lives = segment_ref_read(reader);
		r = segment_index_add_hour(index, &hour);
		if (r < 0)
			return r;
	}
	return bytes_reader_fault(reader);
}

static bool services_rise(const struct segment_index *index)
{
	uint32_t last = index->group_count - 1;

	return last == 0 ||
		life_name_compare(segment_index_service(index, last - 1),
			segment_index_service(index, last)) < 0;
}

static int read_groups(struct bytes_reader *reader, struct segment_index *index)
{
	uint32_t count = block_read_count(reader, SEGMENT_GROUP_COUNT_MAX);

	for (uint32_t i = 0; i < count; i++) {
		struct segment_group_entry group = {.service = bytes_read_varint32(reader)};
		int r;

		group.from_ns = bytes_read_varint(reader);
		group.until_ns = group.from_ns + bytes_read_varint(reader);
		group.sample_count = bytes_read_varint(reader);
		group.head = segment_ref_read(reader);
		if (group.service >= index->texts.count)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		r = segment_index_add_group(index, &group);
		if (r < 0)
			return r;
		if (!services_rise(index))
			bytes_reader_refuse(reader);
	}
	return bytes_reader_fault(reader);
}

int segment_index_read(struct bytes_reader *reader, struct segment_index *index)
{
	int r;

	index->newest_received_ns = bytes_read_varint(reader);
	index->sample_count = bytes_read_varint(reader);
	index->slot_bytes = bytes_read_varint(reader);
	index->slots_until_ns = bytes_read_varint(reader);
	r = read_replaced(reader, index);
	if (r < 0)
		return r;
	index->keys = segment_ref_read(reader);
	r = read_hours(reader, index);
	if (r == 0)
		r = block_strings_read(reader, &index->texts);
	if (r == 0)
		r = read_groups(reader, index);
	if (r == 0 && bytes_left(reader) > 0)
		r = -EBADMSG;
	return r;
}

void segment_keys_write(struct bytes_writer *writer, const struct batch_seen *seen)
{
	bytes_write_varint(writer, seen->count);
	for (uint32_t i = 0; i < seen->count; i++) {
		const struct batch_instance *instance = &seen->instances[i];
		uint64_t before = 0;

		bytes_write_span(writer, instance->instance, BATCH_INSTANCE_BYTES);
		bytes_write_varint(writer, instance->newest_ns);
		bytes_write_varint(writer, instance->count);
		for (uint32_t j = 0; j < instance->count; j++) {
			const struct batch_interval *interval = &instance->intervals[j];

			bytes_write_varint(writer, interval->first - before);
			bytes_write_varint(writer, interval->last - interval->first);
			before = interval->last;
		}
	}
}

static int read_instance(struct bytes_reader *reader, struct batch_seen *seen)
{
	const uint8_t *name = bytes_read_span(reader, BATCH_INSTANCE_BYTES);
	uint64_t newest_ns = bytes_read_varint(reader), before = 0;
	uint32_t count = block_read_count(reader, BATCH_SEEN_INTERVAL_COUNT_MAX);

	for (uint32_t i = 0; name && i < count; i++) {
		uint64_t gap = bytes_read_varint(reader), more = bytes_read_varint(reader);
		struct batch_interval interval = {
			.first = before + gap, .last = before + gap + more};
		int r;

		if (gap > UINT64_MAX - before || more > UINT64_MAX - interval.first)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		r = batch_seen_add_interval(seen, name, interval, newest_ns);
		if (r < 0)
			return r;
		before = interval.last;
	}
	return bytes_reader_fault(reader);
}

int segment_keys_read(struct bytes_reader *reader, struct batch_seen *seen)
{
	uint32_t count = block_read_count(reader, BATCH_SEEN_INSTANCE_COUNT_MAX);

	for (uint32_t i = 0; i < count; i++) {
		int r = read_instance(reader, seen);

		if (r < 0)
			return r;
	}
	return bytes_left(reader) == 0 ? bytes_reader_fault(reader) : -EBADMSG;
}
