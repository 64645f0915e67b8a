/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values are told by their distance to what the window before leads one to expect: the same host
 * goes on where it stopped, its clocks run together, batches arrive soon after their end.
 */
#include "store/disk/segment_window.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/disk/block_dictionary.h"
#include "store/disk/block_lives.h"
#include "store/disk/segment_column.h"
#include "store/profile/grow.h"

int segment_windows_init(struct segment_windows *list)
{
	*list = (struct segment_windows){0};
	return string_table_init(&list->texts);
}

void segment_windows_done(struct segment_windows *list)
{
	free(list->windows);
	string_table_done(&list->texts);
	*list = (struct segment_windows){0};
}

/* X(name): the texts of a window, in the order of the format. */
#define WINDOW_TEXTS(X) \
	X(host)         \
	X(machine_id)   \
	X(boot_id)      \
	X(kernel_release) X(collector_version)

static int keep_text(struct segment_windows *list, struct life_name *text)
{
	uint32_t place;
	int r = string_table_add(&list->texts, text->text, text->length, &place);

	if (r == 0)
		text->text = string_table_text(&list->texts, place);
	return r;
}

int segment_windows_add(struct segment_windows *list, const struct segment_window *window)
{
	struct segment_window kept = *window;
	int r = grow_array(&list->windows, &list->capacity, list->count, SEGMENT_WINDOW_COUNT_MAX);

#define KEEP_TEXT(name) \
	if (r == 0)     \
		r = keep_text(list, &kept.name);
	WINDOW_TEXTS(KEEP_TEXT)
#undef KEEP_TEXT
	if (r == 0)
		list->windows[list->count++] = kept;
	return r;
}

static int window_compare(const struct segment_window *one, const struct segment_window *other)
{
	int r = life_name_compare(one->host, other->host);

	if (r != 0)
		return r;
	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	return (one->until_ns > other->until_ns) - (one->until_ns < other->until_ns);
}

static int place_compare(const void *left, const void *right, void *context)
{
	const struct segment_window *windows = context;
	uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
	int r = window_compare(&windows[one], &windows[other]);

	return r != 0 ? r : (one > other) - (one < other);
}

int segment_windows_sort(struct segment_windows *list, uint32_t *ret_places)
{
	uint32_t count = list->count;
	SCOPED_FREE uint32_t *order = malloc((count + 1) * sizeof(*order));
	SCOPED_FREE struct segment_window *sorted = calloc(count + 1, sizeof(*sorted));

	if (!order || !sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (count > 0)
		qsort_r(order, count, sizeof(*order), place_compare, list->windows);
	for (uint32_t i = 0; i < count; i++) {
		sorted[i] = list->windows[order[i]];
		ret_places[order[i]] = i;
	}
	free(list->windows);
	list->windows = TAKE(sorted);
	list->capacity = count + 1;
	return 0;
}

static uint32_t text_place(const struct segment_windows *list, struct life_name text)
{
	return string_table_find(&list->texts, text.text, text.length);
}

static void write_texts(struct bytes_writer *writer, const struct segment_windows *list)
{
#define WRITE_TEXT(name)                                                  \
	for (uint32_t i = 0, before = 0; i < list->count; i++) {          \
		uint32_t place = text_place(list, list->windows[i].name); \
                                                                          \
		bytes_write_signed(writer, (int64_t)place - before);      \
		before = place;                                           \
	}
	WINDOW_TEXTS(WRITE_TEXT)
#undef WRITE_TEXT
}

/* What leads one to expect the next window of a host; where the host changes, nothing does. */
static const struct segment_window nothing;

static const struct segment_window *before_of(const struct segment_windows *list, uint32_t i)
{
	const struct segment_window *windows = list->windows;

	return i > 0 && life_name_compare(windows[i - 1].host, windows[i].host) == 0
		? &windows[i - 1]
		: &nothing;
}

/* X(name, expected): the numbers of a window behind its times, each with what is expected of it. */
#define WINDOW_NUMBERS(X)                                                                   \
	X(received_at_ns, window->until_ns + (before->received_at_ns - before->until_ns))   \
	X(sent_at_ns, window->until_ns + (before->sent_at_ns - before->until_ns))           \
	X(monotonic_ns, before->monotonic_ns + (window->sent_at_ns - before->sent_at_ns))   \
	X(boottime_ns, window->monotonic_ns + (before->boottime_ns - before->monotonic_ns)) \
	X(busy_ns, before->busy_ns)                                                         \
	X(idle_ns, before->idle_ns)                                                         \
	X(steal_ns, before->steal_ns)                                                       \
	X(sampled_ns, before->sampled_ns)                                                   \
	X(sample_count, before->sample_count)

int segment_windows_write(struct bytes_writer *writer, const struct segment_windows *list)
{
	bytes_write_varint(writer, list->count);
	block_strings_write(writer, &list->texts);
	write_texts(writer, list);
	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t start_ns = list->windows[i].start_ns;

		bytes_write_signed(writer,
			(int64_t)(start_ns / PROFILE_SLOT_NS) -
				(int64_t)(before_of(list, i)->start_ns / PROFILE_SLOT_NS));
	}
	for (uint32_t i = 0; i < list->count; i++)
		bytes_write_varint(writer, list->windows[i].until_ns - list->windows[i].start_ns);
	for (uint32_t i = 0; i < list->count; i++)
		bytes_write_varint(writer, list->windows[i].online_cpu_count);
#define WRITE_NUMBER(name, expected)                                              \
	for (uint32_t i = 0; i < list->count; i++) {                              \
		const struct segment_window *window = &list->windows[i];          \
		const struct segment_window *before = before_of(list, i);         \
                                                                                  \
		bytes_write_signed(writer, (int64_t)(window->name - (expected))); \
	}
	WINDOW_NUMBERS(WRITE_NUMBER)
#undef WRITE_NUMBER
	return bytes_writer_fault(writer);
}

static struct life_name read_text(
	struct bytes_reader *reader, const struct segment_windows *list, int64_t *before)
{
	int64_t place = *before + segment_column_signed(reader);

	if (place < 0 || place >= list->texts.count) {
		bytes_reader_refuse(reader);
		place = 0;
	}
	*before = place;
	return (struct life_name){string_table_text(&list->texts, (uint32_t)place),
		string_table_length(&list->texts, (uint32_t)place)};
}

static void read_times(struct bytes_reader *reader, uint64_t hour, struct segment_windows *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct segment_window *window = &list->windows[i];
		uint64_t start = before_of(list, i)->start_ns / PROFILE_SLOT_NS +
			(uint64_t)segment_column_signed(reader);

		/* Below 2^63 ns: a later sum cannot overflow. */
		if (start > UINT64_MAX / 2 / PROFILE_SLOT_NS + 1 ||
			start * PROFILE_SLOT_NS / SEGMENT_HOUR_NS != hour)
			bytes_reader_refuse(reader);
		window->start_ns = reader->fault ? 0 : start * PROFILE_SLOT_NS;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		struct segment_window *window = &list->windows[i];
		uint64_t length_ns = segment_column_u64(reader);

		if (length_ns > PROFILE_WINDOW_NS_MAX) {
			bytes_reader_refuse(reader);
			length_ns = 0;
		}
		window->until_ns = window->start_ns + length_ns;
		if (i > 0 && window_compare(window - 1, window) > 0)
			bytes_reader_refuse(reader);
	}
}

static void read_columns(struct bytes_reader *reader, uint64_t hour, struct segment_windows *list)
{
#define READ_TEXT(name)                                                           \
	{                                                                         \
		int64_t before = 0;                                               \
                                                                                  \
		for (uint32_t i = 0; i < list->count; i++)                        \
			list->windows[i].name = read_text(reader, list, &before); \
	}
	WINDOW_TEXTS(READ_TEXT)
#undef READ_TEXT
	read_times(reader, hour, list);
	for (uint32_t i = 0; i < list->count; i++)
		list->windows[i].online_cpu_count = segment_column_u32(reader);
#define READ_NUMBER(name, expected)                                                  \
	for (uint32_t i = 0; i < list->count; i++) {                                 \
		struct segment_window *window = &list->windows[i];                   \
		const struct segment_window *before = before_of(list, i);            \
                                                                                     \
		window->name = (expected) + (uint64_t)segment_column_signed(reader); \
	}
	WINDOW_NUMBERS(READ_NUMBER)
#undef READ_NUMBER
}

int segment_windows_read(struct bytes_reader *reader, uint64_t hour, struct segment_windows *list)
{
	uint32_t count = block_read_count(reader, SEGMENT_WINDOW_COUNT_MAX);
	int r;

	list->windows = calloc(count ? count : 1, sizeof(*list->windows));
	if (!list->windows)
		return -ENOMEM;
	list->count = list->capacity = count;
	r = block_strings_read(reader, &list->texts);
	if (r < 0)
		return r;
	read_columns(reader, hour, list);
	return bytes_left(reader) == 0 ? bytes_reader_fault(reader) : -EBADMSG;
}

uint32_t segment_window_slot_count(const struct segment_window *window)
{
	uint64_t length_ns = window->until_ns - window->start_ns;

	return length_ns ? (uint32_t)((length_ns - 1) / PROFILE_SLOT_NS + 1) : 1;
}

uint64_t segment_window_slots_end_ns(const struct segment_window *window)
{
	return window->start_ns + segment_window_slot_count(window) * PROFILE_SLOT_NS;
}

static uint64_t add_up(uint64_t one, uint64_t other)
{
	uint64_t sum;

	return __builtin_add_overflow(one, other, &sum) || sum > INT64_MAX ? INT64_MAX : sum;
}

static struct life_name text_of(const struct profile *profile, uint32_t text)
{
	return (struct life_name){string_table_text(&profile->strings, text),
		string_table_length(&profile->strings, text)};
}

struct segment_window segment_window_of(const struct profile *profile)
{
	const struct profile_head *head = &profile->head;
	struct segment_window window = {
#define TEXT_OF(name) .name = text_of(profile, head->name),
		WINDOW_TEXTS(TEXT_OF)
#undef TEXT_OF
			.start_ns = profile_window_epoch_ns(profile),
		.until_ns = profile_window_end_epoch_ns(profile),
		.received_at_ns = head->received_at_ns,
		.sent_at_ns = head->clocks.realtime_ns,
		.monotonic_ns = head->clocks.monotonic_ns,
		.boottime_ns = head->clocks.boottime_ns,
		.online_cpu_count = head->online_cpu_count,
		.sample_count = profile_sample_count(profile),
	};

	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		window.busy_ns = add_up(window.busy_ns, profile->cpus[i].busy_ns);
		window.idle_ns = add_up(window.idle_ns, profile->cpus[i].idle_ns);
		window.steal_ns = add_up(window.steal_ns, profile->cpus[i].steal_ns);
		window.sampled_ns = add_up(window.sampled_ns, profile->cpus[i].sampled_ns);
	}
	return window;
}

void segment_lives_write(struct bytes_writer *writer, uint32_t place, uint32_t before,
	const struct life_table *lives)
{
	bytes_write_varint(writer, place - before);
	block_lives_write(writer, lives);
}

int segment_lives_read(struct bytes_reader *reader, uint32_t before, uint32_t window_count,
	uint32_t *ret_place, struct life_table *lives)
{
	uint32_t place = before + bytes_read_varint32(reader);

	if (place < before || place >= window_count)
		bytes_reader_refuse(reader);
	if (bytes_reader_fault(reader) < 0)
		return bytes_reader_fault(reader);
	*ret_place = place;
	return block_lives_read(reader, lives);
}
