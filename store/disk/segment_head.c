/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_head.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/disk/block_dictionary.h"
#include "store/disk/segment_column.h"
#include "store/profile/grow.h"

int segment_head_init(struct segment_head *head)
{
	*head = (struct segment_head){.stack_count = 1, .text_count = 1};
	index_map_init(&head->series_map, SEGMENT_SERIES_COUNT_MAX);
	return profile_new(&head->labels);
}

void segment_head_done(struct segment_head *head)
{
	profile_free(head->labels);
	free(head->types);
	free(head->series);
	free(head->sections);
	index_map_done(&head->series_map);
	*head = (struct segment_head){0};
}

static uint32_t find_type(
	const struct segment_head *head, const struct segment_type *type, uint32_t *ret_periods)
{
	uint32_t periods = 0, found = UINT32_MAX;

	for (uint32_t i = 0; found == UINT32_MAX && i < head->type_count; i++) {
		const struct segment_type *at = &head->types[i];

		if (at->name != type->name || at->has_slots != type->has_slots)
			continue;
		periods++;
		if (at->period == type->period)
			found = i;
	}
	*ret_periods = periods;
	return found;
}

int segment_head_type(
	struct segment_head *head, const struct segment_type *type, uint32_t *ret_type)
{
	struct segment_type wanted = *type;
	uint32_t periods, found = find_type(head, &wanted, &periods);
	int r;

	if (found == UINT32_MAX && periods >= SEGMENT_PERIOD_COUNT_MAX) {
		wanted.period = 0;
		found = find_type(head, &wanted, &periods);
	}
	if (found == UINT32_MAX) {
		r = grow_array(&head->types, &head->type_capacity, head->type_count,
			SEGMENT_TYPE_COUNT_MAX);
		if (r < 0)
			return r;
		head->types[head->type_count] = wanted;
		found = head->type_count++;
	}
	*ret_type = found;
	return 0;
}

uint32_t segment_head_sum_type(const struct segment_head *head, uint32_t type)
{
	const struct segment_type *wanted;

	must(type < head->type_count);
	wanted = &head->types[type];
	for (uint32_t i = 0; i < type; i++) {
		if (head->types[i].name == wanted->name && head->types[i].period == wanted->period)
			return i;
	}
	return type;
}

static bool series_equal(const void *context, uint32_t index, const void *key)
{
	const struct segment_series_entry *one =
		(const struct segment_series_entry *)context + index;
	const struct segment_series_entry *other = key;

	return one->type == other->type && one->labels == other->labels;
}

int segment_head_note(struct segment_head *head, const struct segment_series_entry *series)
{
	uint64_t hash = hash_pair(series->type, series->labels);
	uint32_t found =
		index_map_find(&head->series_map, hash, series_equal, head->series, series);
	struct segment_series_entry *known;
	int r;

	if (found == INDEX_MAP_NONE) {
		r = grow_array(&head->series, &head->series_capacity, head->series_count,
			SEGMENT_SERIES_COUNT_MAX);
		if (r == 0)
			r = index_map_add(&head->series_map, hash, head->series_count);
		if (r == 0)
			head->series[head->series_count++] = *series;
		return r;
	}
	known = &head->series[found];
	known->from_ns = series->from_ns < known->from_ns ? series->from_ns : known->from_ns;
	known->until_ns = series->until_ns > known->until_ns ? series->until_ns : known->until_ns;
	known->sample_count += series->sample_count;
	return 0;
}

int segment_head_add_section(struct segment_head *head, const struct segment_section *section)
{
	int r = grow_array(&head->sections, &head->section_capacity, head->section_count,
		SEGMENT_SECTION_COUNT_MAX);

	if (r < 0)
		return r;
	head->sections[head->section_count++] = *section;
	return 0;
}

static void write_sections(struct bytes_writer *writer, const struct segment_head *head)
{
	uint64_t hour = 0;

	bytes_write_varint(writer, head->section_count);
	for (uint32_t i = 0; i < head->section_count; i++) {
		const struct segment_section *section = &head->sections[i];

		bytes_write_u8(writer, section->kind);
		bytes_write_signed(writer, (int64_t)(section->hour - hour));
		bytes_write_varint(writer, section->hour_count);
		if (section->kind == SEGMENT_SECTION_ROWS)
			bytes_write_varint(writer, section->until_ns);
		segment_ref_write(writer, &section->ref);
		hour = section->hour;
	}
}

void segment_head_write(struct bytes_writer *writer, const struct segment_head *head)
{
	block_strings_write(writer, &head->labels->strings);
	block_labels_write(writer, &head->labels->labels);
	bytes_write_varint(writer, head->stack_count);
	bytes_write_varint(writer, head->text_count);
	bytes_write_varint(writer, head->type_count);
	for (uint32_t i = 0; i < head->type_count; i++) {
		bytes_write_varint(writer, head->types[i].name);
		bytes_write_signed(writer, head->types[i].period);
		bytes_write_u8(writer, head->types[i].has_slots);
	}
	bytes_write_varint(writer, head->series_count);
	for (uint32_t i = 0; i < head->series_count; i++) {
		const struct segment_series_entry *series = &head->series[i];

		bytes_write_varint(writer, series->type);
		bytes_write_varint(writer, series->labels);
		bytes_write_varint(writer, series->from_ns);
		bytes_write_varint(writer, series->until_ns - series->from_ns);
		bytes_write_varint(writer, series->sample_count);
	}
	write_sections(writer, head);
}

static int read_types(struct bytes_reader *reader, struct segment_head *head)
{
	uint32_t count = block_read_count(reader, SEGMENT_TYPE_COUNT_MAX);

	for (uint32_t i = 0; i < count; i++) {
		struct segment_type type = {.name = bytes_read_varint32(reader)};
		uint8_t has_slots;
		int r;

		type.period = bytes_read_signed(reader);
		has_slots = bytes_read_u8(reader);
		type.has_slots = has_slots;
		if (type.name >= head->labels->strings.count || has_slots > 1)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		r = grow_array(&head->types, &head->type_capacity, head->type_count,
			SEGMENT_TYPE_COUNT_MAX);
		if (r < 0)
			return r;
		head->types[head->type_count++] = type;
	}
	return bytes_reader_fault(reader);
}

static int read_series(struct bytes_reader *reader, struct segment_head *head)
{
	uint32_t count = block_read_count(reader, SEGMENT_SERIES_COUNT_MAX);

	for (uint32_t i = 0; i < count; i++) {
		struct segment_series_entry series = {.type = bytes_read_varint32(reader)};
		int r;

		series.labels = bytes_read_varint32(reader);
		series.from_ns = bytes_read_varint(reader);
		series.until_ns = series.from_ns + bytes_read_varint(reader);
		series.sample_count = bytes_read_varint(reader);
		if (series.type >= head->labels->strings.count ||
			series.labels >= head->labels->labels.count)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		r = grow_array(&head->series, &head->series_capacity, head->series_count,
			SEGMENT_SERIES_COUNT_MAX);
		if (r < 0)
			return r;
		head->series[head->series_count++] = series;
	}
	return bytes_reader_fault(reader);
}

/* Hours of 63 bits of nanoseconds: so nothing of them overflows. */
#define HOUR_MAX (INT64_MAX / NS_PER_S / 3600)

static int read_sections(struct bytes_reader *reader, struct segment_head *head)
{
	uint32_t count = block_read_count(reader, SEGMENT_SECTION_COUNT_MAX);
	uint64_t hour = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct segment_section section = {.kind = bytes_read_u8(reader)};
		int r;

		hour += (uint64_t)bytes_read_signed(reader);
		section.hour = hour;
		section.hour_count = bytes_read_varint32(reader);
		if (section.kind == SEGMENT_SECTION_ROWS)
			section.until_ns = bytes_read_varint(reader);
		section.ref = segment_ref_read(reader);
		if (hour > HOUR_MAX || section.hour_count > HOUR_MAX)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		r = segment_head_add_section(head, &section);
		if (r < 0)
			return r;
	}
	return bytes_reader_fault(reader);
}

int segment_head_read(struct bytes_reader *reader, struct segment_head *head)
{
	int r = block_strings_read(reader, &head->labels->strings);

	if (r == 0)
		r = block_labels_read(reader, head->labels);
	if (r < 0)
		return r;
	head->stack_count = bytes_read_varint32(reader);
	head->text_count = bytes_read_varint32(reader);
	r = read_types(reader, head);
	if (r == 0)
		r = read_series(reader, head);
	if (r == 0)
		r = read_sections(reader, head);
	if (r == 0 && bytes_left(reader) > 0)
		r = -EBADMSG;
	return r;
}
