/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/disk/block_lives.h"
#include "store/profile/grow.h"

#define BLOCK_COUNT_MAX (16u << 20)

/* Lives of one window, as bytes. */
struct segment_gathered_lives {
	uint32_t window; /* by arrival, then its place */
	uint32_t byte_count;
	uint8_t *bytes;
};

static void free_lives(struct segment_gathered_hour *hour)
{
	for (uint32_t i = 0; i < hour->lives_count; i++)
		free(hour->lives[i].bytes);
	free(hour->lives);
	hour->lives = NULL;
	hour->lives_count = hour->lives_capacity = 0;
}

static void free_hour(struct segment_gathered_hour *hour)
{
	segment_windows_done(&hour->windows);
	free(hour->places);
	free_lives(hour);
}

void segment_gathering_done(struct segment_gathering *gathering)
{
	struct segment_layout *layout = &gathering->layout;

	for (uint32_t i = 0; i < gathering->hour_count; i++)
		free_hour(&gathering->hours[i]);
	free(gathering->hours);
	free(gathering->blocks);
	for (uint32_t i = 0; layout->hours && i < layout->hour_count; i++)
		free(layout->hours[i].spans);
	for (uint32_t i = 0; layout->places && i < layout->hour_count * layout->segment_count; i++)
		free(layout->places[i]);
	free(layout->hours);
	free(layout->places);
	*gathering = (struct segment_gathering){0};
}

static int find_hour(struct segment_gathering *gathering, uint64_t hour, uint32_t *ret_place)
{
	struct segment_gathered_hour *added;
	int r;

	for (uint32_t i = gathering->hour_count; i > 0; i--) {
		if (gathering->hours[i - 1].hour == hour) {
			*ret_place = i - 1;
			return 0;
		}
	}
	r = grow_array(&gathering->hours, &gathering->hour_capacity, gathering->hour_count,
		SEGMENT_HOUR_COUNT_MAX);
	if (r < 0)
		return r;
	added = &gathering->hours[gathering->hour_count];
	*added = (struct segment_gathered_hour){.hour = hour};
	r = segment_windows_init(&added->windows);
	if (r == 0)
		*ret_place = gathering->hour_count++;
	return r;
}

static int add_lives(
	struct segment_gathered_hour *hour, uint32_t window, const struct life_table *lives)
{
	struct segment_gathered_lives added = {.window = window};
	struct bytes_writer bytes;
	size_t byte_count;
	int r;

	if (lives->count == 0)
		return 0;
	r = grow_array(
		&hour->lives, &hour->lives_capacity, hour->lives_count, SEGMENT_WINDOW_COUNT_MAX);
	if (r < 0)
		return r;
	bytes_writer_init(&bytes, UINT32_MAX);
	block_lives_write(&bytes, lives);
	r = bytes_writer_fault(&bytes);
	if (r == 0) {
		added.bytes = bytes_writer_take(&bytes, &byte_count);
		added.byte_count = (uint32_t)byte_count;
		hour->lives[hour->lives_count++] = added;
	}
	bytes_writer_done(&bytes);
	return r;
}

int segment_gathering_add(struct segment_gathering *gathering, const struct profile *profile)
{
	struct segment_window window = segment_window_of(profile);
	struct segment_block_place place = {0};
	struct segment_gathered_hour *hour;
	int r = find_hour(gathering, window.start_ns / SEGMENT_HOUR_NS, &place.hour);

	if (r == 0)
		r = grow_array(&gathering->blocks, &gathering->block_capacity,
			gathering->block_count, BLOCK_COUNT_MAX);
	if (r < 0)
		return r;
	hour = &gathering->hours[place.hour];
	place.window = hour->windows.count;
	r = segment_windows_add(&hour->windows, &window);
	if (r == 0)
		r = add_lives(hour, place.window, &profile->lives);
	if (r == 0)
		gathering->blocks[gathering->block_count++] = place;
	return r;
}

static int hour_compare(const void *left, const void *right)
{
	const struct segment_hour_spans *one = left, *other = right;

	return (one->hour > other->hour) - (one->hour < other->hour);
}

/* The hours of all inputs, upwards, each once. */
static int list_hours(struct segment_gathering *gathering, const struct segment_input *input)
{
	struct segment_layout *layout = &gathering->layout;
	uint32_t count = gathering->hour_count, at = 0, kept = 0;

	for (uint32_t i = 0; i < input->segment_count; i++)
		count += input->segments[i]->index.hour_count;
	layout->hours = calloc(count + 1, sizeof(*layout->hours));
	if (!layout->hours)
		return -ENOMEM;
	for (uint32_t i = 0; i < gathering->hour_count; i++)
		layout->hours[at++].hour = gathering->hours[i].hour;
	for (uint32_t i = 0; i < input->segment_count; i++) {
		const struct segment_index *index = &input->segments[i]->index;

		for (uint32_t j = 0; j < index->hour_count; j++)
			layout->hours[at++].hour = index->hours[j].hour;
	}
	qsort(layout->hours, count, sizeof(*layout->hours), hour_compare);
	for (uint32_t i = 0; i < count; i++) {
		if (kept == 0 || layout->hours[kept - 1].hour != layout->hours[i].hour)
			layout->hours[kept++].hour = layout->hours[i].hour;
	}
	layout->hour_count = kept;
	layout->segment_count = input->segment_count;
	layout->places = calloc((size_t)kept * input->segment_count + 1, sizeof(*layout->places));
	return layout->places ? 0 : -ENOMEM;
}

/* Windows of the hour at hand that other segments have, with where each one's begin. */
struct hour_work {
	struct segment_gathered_hour *hour;
	uint32_t *
		bases; /* of each segment: place by arrival of its first window, UINT32_MAX: none */
	uint32_t base; /* of the segment at hand */
	const struct segment_windows *list; /* likewise */
};

static int add_segment_lives(const struct segment_reader *reader, uint64_t hour,
	struct hour_work *work, const struct segment_windows *list)
{
	uint32_t place = segment_reader_find_hour(reader, hour), next = 0;
	const struct segment_ref *ref = &reader->index.hours[place].lives;
	SCOPED_FREE uint8_t *bytes = NULL;
	struct bytes_reader at;
	size_t byte_count = 0;
	int r = ref->byte_count == 0 ? 0
				     : segment_file_read(&reader->file, ref, &bytes, &byte_count);

	bytes_reader_init(&at, bytes, byte_count);
	while (r == 0 && bytes_left(&at) > 0) {
		struct life_table lives;
		uint32_t window = 0;

		r = life_table_init(&lives, LIFE_COUNT_MAX);
		if (r == 0)
			r = segment_lives_read(&at, next, list->count, &window, &lives);
		if (r == 0)
			r = add_lives(work->hour, work->base + window, &lives);
		next = window + 1;
		life_table_done(&lives);
	}
	return r;
}

static int add_segment(
	const struct segment_reader *reader, struct hour_work *work, uint32_t segment)
{
	uint32_t place = segment_reader_find_hour(reader, work->hour->hour);
	struct segment_windows list;
	int r;

	work->bases[segment] = UINT32_MAX;
	if (place >= reader->index.hour_count ||
		reader->index.hours[place].hour != work->hour->hour)
		return 0;
	r = segment_reader_hour(reader, work->hour->hour, &list);
	if (r < 0)
		return r;
	work->base = work->bases[segment] = work->hour->windows.count;
	for (uint32_t i = 0; r == 0 && i < list.count; i++)
		r = segment_windows_add(&work->hour->windows, &list.windows[i]);
	if (r == 0)
		r = add_segment_lives(reader, work->hour->hour, work, &list);
	segment_windows_done(&list);
	return r;
}

static int lives_compare(const void *left, const void *right)
{
	const struct segment_gathered_lives *one = left, *other = right;

	return (one->window > other->window) - (one->window < other->window);
}

static int write_lives(struct segment_gathered_hour *hour, struct segment_output *output,
	struct segment_ref *ret_ref)
{
	struct bytes_writer bytes;
	uint32_t next = 0;
	int r;

	if (hour->lives_count == 0)
		return 0;
	for (uint32_t i = 0; i < hour->lives_count; i++)
		hour->lives[i].window = hour->places[hour->lives[i].window];
	qsort(hour->lives, hour->lives_count, sizeof(*hour->lives), lives_compare);
	bytes_writer_init(&bytes, SEGMENT_SECTION_BYTES_MAX);
	for (uint32_t i = 0; i < hour->lives_count; i++) {
		bytes_write_varint(&bytes, hour->lives[i].window - next);
		bytes_write_span(&bytes, hour->lives[i].bytes, hour->lives[i].byte_count);
		next = hour->lives[i].window + 1;
	}
	r = segment_output_section(output, &bytes, ret_ref);
	bytes_writer_done(&bytes);
	return r;
}

static int write_windows(struct segment_gathered_hour *hour, struct segment_output *output,
	struct segment_hour *entry)
{
	struct segment_windows sorted;
	struct bytes_writer bytes;
	int r;

	hour->places = malloc((hour->windows.count + 1) * sizeof(*hour->places));
	r = hour->places ? segment_windows_sort(&hour->windows, hour->places) : -ENOMEM;
	if (r < 0)
		return r;
	sorted = hour->windows;
	bytes_writer_init(&bytes, SEGMENT_SECTION_BYTES_MAX);
	r = segment_windows_write(&bytes, &sorted);
	if (r == 0)
		r = segment_output_section(output, &bytes, &entry->windows);
	bytes_writer_done(&bytes);
	return r;
}

static int keep_spans(const struct segment_gathered_hour *hour,
	const struct segment_options *options, struct segment_hour_spans *spans)
{
	spans->count = hour->windows.count;
	spans->spans = calloc(spans->count + 1, sizeof(*spans->spans));
	if (!spans->spans)
		return -ENOMEM;
	for (uint32_t i = 0; i < spans->count; i++) {
		const struct segment_window *window = &hour->windows.windows[i];

		spans->spans[i] = (struct segment_span){.start_ns = window->start_ns,
			.until_ns = window->until_ns,
			.slot_count = segment_window_slot_count(window),
			.keeps_slots =
				segment_window_slots_end_ns(window) > options->slots_from_ns};
	}
	return 0;
}

/* Of each segment: its windows' places by arrival become their places here. */
static int keep_places(
	struct segment_layout *layout, const struct hour_work *work, uint32_t hour_index)
{
	for (uint32_t i = 0; i < layout->segment_count; i++) {
		uint32_t first = work->bases[i], end = work->hour->windows.count;
		uint32_t *places;

		if (first == UINT32_MAX)
			continue;
		for (uint32_t j = i + 1; j < layout->segment_count; j++) {
			if (work->bases[j] != UINT32_MAX) {
				end = work->bases[j];
				break;
			}
		}
		places = malloc((end - first + 1) * sizeof(*places));
		if (!places)
			return -ENOMEM;
		memcpy(places, work->hour->places + first, (end - first) * sizeof(*places));
		layout->places[i * layout->hour_count + hour_index] = places;
	}
	return 0;
}

static void sum_up(const struct segment_gathered_hour *hour, struct segment_hour *entry,
	struct segment_index *index)
{
	entry->hour = hour->hour;
	entry->window_count = hour->windows.count;
	for (uint32_t i = 0; i < hour->windows.count; i++) {
		const struct segment_window *window = &hour->windows.windows[i];
		uint64_t end_ns = segment_window_slots_end_ns(window);

		if (i == 0 || window->start_ns < entry->from_ns)
			entry->from_ns = window->start_ns;
		if (end_ns > entry->until_ns)
			entry->until_ns = end_ns;
		if (window->received_at_ns > index->newest_received_ns)
			index->newest_received_ns = window->received_at_ns;
		index->sample_count += window->sample_count;
	}
}

static int write_hour(struct segment_gathering *gathering, const struct segment_options *options,
	struct hour_work *work, uint32_t hour_index, struct segment_output *output,
	struct segment_index *index)
{
	struct segment_hour entry = {0};
	int r = write_windows(work->hour, output, &entry);

	if (r == 0)
		r = write_lives(work->hour, output, &entry.lives);
	if (r == 0)
		r = keep_spans(work->hour, options, &gathering->layout.hours[hour_index]);
	if (r == 0)
		r = keep_places(&gathering->layout, work, hour_index);
	if (r < 0)
		return r;
	sum_up(work->hour, &entry, index);
	/* Of windows the places alone are still asked for. */
	free_lives(work->hour);
	segment_windows_done(&work->hour->windows);
	return segment_index_add_hour(index, &entry);
}

int segment_gathering_write(struct segment_gathering *gathering, const struct segment_input *input,
	const struct segment_options *options, struct segment_output *output,
	struct segment_index *index, struct segment_written *written)
{
	SCOPED_FREE uint32_t *bases = calloc((size_t)input->segment_count + 1, sizeof(*bases));
	struct hour_work work = {.bases = bases};
	int r = bases ? list_hours(gathering, input) : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < gathering->layout.hour_count; i++) {
		uint32_t place = 0;

		r = find_hour(gathering, gathering->layout.hours[i].hour, &place);
		if (r < 0)
			return r;
		work.hour = &gathering->hours[place];
		for (uint32_t j = 0; r == 0 && j < input->segment_count; j++) {
			r = add_segment(input->segments[j], &work, j);
			if (r == -EBADMSG)
				written->bad_segment = j;
		}
		if (r == 0)
			written->window_count += work.hour->windows.count;
		if (r == 0)
			r = write_hour(gathering, options, &work, i, output, index);
	}
	written->window_bytes += output->offset;
	return r;
}
