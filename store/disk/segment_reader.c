/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/disk/segment_group.h"

bool segment_error_is_ours(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EINTR;
}

static int read_index(struct segment_reader *reader)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct bytes_reader at;
	size_t byte_count = 0;
	int r = segment_file_read(&reader->file, &reader->file.index, &bytes, &byte_count);

	if (r < 0)
		return r;
	bytes_reader_init(&at, bytes, byte_count);
	r = segment_index_read(&at, &reader->index);
	/* Limits of tables are limits of the format. */
	return r == -E2BIG ? -EBADMSG : r;
}

static void sum_up(struct segment_reader *reader)
{
	const struct segment_index *index = &reader->index;
	struct segment_summary *summary = &reader->summary;

	*summary = (struct segment_summary){
		.number = reader->file.number,
		.byte_count = reader->file.byte_count,
		.newest_received_ns = index->newest_received_ns,
		.sample_count = index->sample_count,
		.slot_bytes = index->slot_bytes,
		.slots_until_ns = index->slots_until_ns,
		.replaced = index->replaced,
		.replaced_count = index->replaced_count,
		.group_count = index->group_count,
		.hour_count = index->hour_count,
	};
	for (uint32_t i = 0; i < index->hour_count; i++) {
		const struct segment_hour *hour = &index->hours[i];

		if (i == 0)
			summary->from_ns = hour->from_ns;
		if (hour->until_ns > summary->until_ns)
			summary->until_ns = hour->until_ns;
		summary->window_count += hour->window_count;
	}
}

int segment_reader_open(int fd, struct segment_reader **ret_reader)
{
	struct segment_reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader) {
		close(fd);
		return -ENOMEM;
	}
	reader->file.fd = fd;
	r = segment_index_init(&reader->index);
	if (r == 0)
		r = segment_file_open(fd, &reader->file);
	if (r == 0)
		r = read_index(reader);
	if (r < 0) {
		segment_reader_close(reader);
		return r;
	}
	sum_up(reader);
	*ret_reader = reader;
	return 0;
}

void segment_reader_close(struct segment_reader *reader)
{
	if (!reader)
		return;
	close(reader->file.fd);
	segment_index_done(&reader->index);
	free(reader);
}

const struct segment_summary *segment_reader_summary(const struct segment_reader *reader)
{
	return &reader->summary;
}

struct segment_group_summary segment_reader_group(
	const struct segment_reader *reader, uint32_t index)
{
	const struct segment_group_entry *group;

	must(index < reader->index.group_count);
	group = &reader->index.groups[index];
	return (struct segment_group_summary){
		.service = segment_index_service(&reader->index, index),
		.from_ns = group->from_ns,
		.until_ns = group->until_ns,
		.sample_count = group->sample_count,
	};
}

uint32_t segment_reader_find_group(
	const struct segment_reader *reader, const char *service, size_t length)
{
	struct life_name wanted = {service, length};
	uint32_t low = 0, high = reader->index.group_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int r = life_name_compare(segment_index_service(&reader->index, middle), wanted);

		if (r == 0)
			return middle;
		if (r < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return UINT32_MAX;
}

int segment_reader_keys(const struct segment_reader *reader, struct batch_seen *seen)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct bytes_reader at;
	size_t byte_count = 0;
	int r;

	if (reader->index.keys.byte_count == 0)
		return 0;
	r = segment_file_read(&reader->file, &reader->index.keys, &bytes, &byte_count);
	if (r < 0)
		return r;
	bytes_reader_init(&at, bytes, byte_count);
	return segment_keys_read(&at, seen);
}

uint32_t segment_reader_find_hour(const struct segment_reader *reader, uint64_t hour)
{
	uint32_t low = 0, high = reader->index.hour_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (reader->index.hours[middle].hour < hour)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int read_windows(const struct segment_reader *reader, const struct segment_hour *hour,
	struct segment_windows *list)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct bytes_reader at;
	size_t byte_count = 0;
	int r = segment_file_read(&reader->file, &hour->windows, &bytes, &byte_count);

	if (r < 0)
		return r;
	bytes_reader_init(&at, bytes, byte_count);
	r = segment_windows_read(&at, hour->hour, list);
	if (r == 0 && list->count != hour->window_count)
		r = -EBADMSG;
	return r == -E2BIG ? -EBADMSG : r;
}

int segment_reader_hour(
	const struct segment_reader *reader, uint64_t hour, struct segment_windows *ret_list)
{
	uint32_t place = segment_reader_find_hour(reader, hour);
	struct segment_windows list;
	int r = segment_windows_init(&list);

	if (r == 0 && place < reader->index.hour_count && reader->index.hours[place].hour == hour)
		r = read_windows(reader, &reader->index.hours[place], &list);
	if (r < 0) {
		segment_windows_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}

int segment_hours_new(struct segment_hours **ret_hours)
{
	struct segment_hours *hours = calloc(1, sizeof(*hours));

	if (!hours)
		return -ENOMEM;
	*ret_hours = hours;
	return 0;
}

void segment_hours_free(struct segment_hours *hours)
{
	if (!hours)
		return;
	for (uint32_t i = 0; i < SEGMENT_HOURS_KEPT; i++)
		segment_windows_done(&hours->kept[i].windows);
	free(hours);
}

int segment_hours_get(struct segment_hours *hours, const struct segment_reader *reader,
	uint64_t hour, const struct segment_windows **ret_windows)
{
	struct segment_windows windows;
	uint32_t place = hours->next;
	int r;

	for (uint32_t i = 0; i < SEGMENT_HOURS_KEPT; i++) {
		if (hours->kept[i].reader == reader && hours->kept[i].hour == hour) {
			*ret_windows = &hours->kept[i].windows;
			return 0;
		}
	}
	r = segment_reader_hour(reader, hour, &windows);
	if (r < 0)
		return r;
	segment_windows_done(&hours->kept[place].windows);
	hours->kept[place].reader = reader;
	hours->kept[place].hour = hour;
	hours->kept[place].windows = windows;
	hours->next = (place + 1) % SEGMENT_HOURS_KEPT;
	*ret_windows = &hours->kept[place].windows;
	return 0;
}

struct window_visit {
	struct segment_range range;
	const char *host;
	segment_window_fn window; /* or */
	segment_lives_fn lives;
	void *context;
};

static bool is_wanted(const struct window_visit *visit, const struct segment_window *window)
{
	struct life_name host = {visit->host, visit->host ? strlen(visit->host) : 0};

	/* An empty window is where it starts. */
	return window->start_ns < visit->range.until_ns &&
		segment_window_slots_end_ns(window) > visit->range.from_ns &&
		(!visit->host || life_name_compare(window->host, host) == 0);
}

static int visit_windows(const struct window_visit *visit, const struct segment_windows *list)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < list->count; i++) {
		if (is_wanted(visit, &list->windows[i]))
			r = visit->window(visit->context, &list->windows[i]);
	}
	return r;
}

/* The next window's lives; handed on if it is wanted. RET_ANSWER: what the visitor said. */
static int visit_next_lives(const struct window_visit *visit, const struct segment_windows *list,
	struct bytes_reader *at, uint32_t *next, int *ret_answer)
{
	struct life_table lives;
	uint32_t place = 0;
	int r = life_table_init(&lives, LIFE_COUNT_MAX);

	if (r == 0)
		r = segment_lives_read(at, *next, list->count, &place, &lives);
	if (r == 0) {
		*next = place + 1;
		if (is_wanted(visit, &list->windows[place]))
			*ret_answer = visit->lives(visit->context, &list->windows[place], &lives);
	}
	life_table_done(&lives);
	return r;
}

static int visit_lives(const struct segment_reader *reader, const struct segment_hour *hour,
	const struct window_visit *visit, const struct segment_windows *list, int *ret_answer)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct bytes_reader at;
	size_t byte_count = 0;
	uint32_t next = 0;
	int r;

	if (hour->lives.byte_count == 0)
		return 0;
	r = segment_file_read(&reader->file, &hour->lives, &bytes, &byte_count);
	bytes_reader_init(&at, bytes, byte_count);
	while (r == 0 && *ret_answer == 0 && bytes_left(&at) > 0)
		r = visit_next_lives(visit, list, &at, &next, ret_answer);
	return r == -E2BIG ? -EBADMSG : r;
}

/* RET_ANSWER is the visitor's, the result that of reading. */
static int visit_hour(const struct segment_reader *reader, const struct segment_hour *hour,
	const struct window_visit *visit, int *ret_answer)
{
	struct segment_windows list;
	int r = segment_windows_init(&list);

	if (r == 0)
		r = read_windows(reader, hour, &list);
	if (r == 0 && visit->window)
		*ret_answer = visit_windows(visit, &list);
	else if (r == 0)
		r = visit_lives(reader, hour, visit, &list, ret_answer);
	segment_windows_done(&list);
	return r;
}

static int visit_hours(const struct segment_reader *reader, const struct window_visit *visit,
	uint64_t *ret_damaged)
{
	uint64_t damaged = 0;
	int answer = 0;

	for (uint32_t i = 0; answer == 0 && i < reader->index.hour_count; i++) {
		const struct segment_hour *hour = &reader->index.hours[i];
		int r;

		if (hour->from_ns >= visit->range.until_ns ||
			hour->until_ns <= visit->range.from_ns)
			continue;
		r = visit_hour(reader, hour, visit, &answer);
		if (segment_error_is_ours(r))
			return r;
		damaged += r < 0;
	}
	*ret_damaged = damaged;
	return answer;
}

int segment_reader_windows(const struct segment_reader *reader, struct segment_range range,
	const char *host, segment_window_fn visit, void *context, uint64_t *ret_damaged)
{
	struct window_visit wanted = {
		.range = range, .host = host, .window = visit, .context = context};

	return visit_hours(reader, &wanted, ret_damaged);
}

int segment_reader_lives(const struct segment_reader *reader, struct segment_range range,
	const char *host, segment_lives_fn visit, void *context, uint64_t *ret_damaged)
{
	struct window_visit wanted = {
		.range = range, .host = host, .lives = visit, .context = context};

	return visit_hours(reader, &wanted, ret_damaged);
}
