/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_windows.h"

#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"

/* An hour of ten thousand hosts, with the texts of each window. */
#define WINDOW_COUNT_MAX (4u << 20)
#define TEXT_BYTES_MAX ((size_t)1 << 30)

void store_windows_init(struct store_windows *windows, const struct store_pieces *pieces)
{
	*windows = (struct store_windows){
		.pieces = pieces, .hour = time_index_first_hour(pieces->visitor->from_ns)};
	arena_init(&windows->texts, TEXT_BYTES_MAX);
}

void store_windows_done(struct store_windows *windows)
{
	arena_done(&windows->texts);
	free(windows->held);
}

/* One hour of one segment. */
struct hour {
	struct store_windows *windows;
	uint64_t index;
};

static int copy_text(struct arena *texts, struct life_name *name)
{
	char *copy = arena_copy_text(texts, name->text ? name->text : "", name->length);

	if (!copy)
		return -ENOMEM;
	name->text = copy;
	return 0;
}

/* Windows that reach into the hour belong to the one in which they start. */
static int hold_window(void *context, const struct segment_window *window)
{
	const struct hour *hour = context;
	struct store_windows *windows = hour->windows;
	struct profile_store_window held = {
		.host = window->host,
		.start_ns = window->start_ns,
		.until_ns = window->until_ns,
		.received_at_ns = window->received_at_ns,
		.online_cpu_count = window->online_cpu_count,
		.busy_ns = window->busy_ns,
		.idle_ns = window->idle_ns,
		.steal_ns = window->steal_ns,
		.sampled_ns = window->sampled_ns,
		.kernel_release = window->kernel_release,
		.collector_version = window->collector_version,
	};
	int r;

	if (window->start_ns / TIME_INDEX_BUCKET_NS != hour->index)
		return 0;
	r = grow_array(&windows->held, &windows->capacity, windows->count, WINDOW_COUNT_MAX);
	if (r == 0)
		r = copy_text(&windows->texts, &held.host);
	if (r == 0)
		r = copy_text(&windows->texts, &held.kernel_release);
	if (r == 0)
		r = copy_text(&windows->texts, &held.collector_version);
	if (r == 0)
		windows->held[windows->count++] = held;
	/* More than a table holds is more than there is memory for. */
	return r < 0 ? -ENOMEM : 0;
}

static int window_compare(const void *left, const void *right)
{
	const struct profile_store_window *one = left, *other = right;

	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	if (one->received_at_ns != other->received_at_ns)
		return one->received_at_ns < other->received_at_ns ? -1 : 1;
	return life_name_compare(one->host, other->host);
}

/* What of the range may be told by windows that start in HOUR: one that starts before the range
 * reaches over its beginning. */
static struct segment_range range_of(const struct store_visitor *visitor, uint64_t hour)
{
	uint64_t start_ns = hour * TIME_INDEX_BUCKET_NS, end_ns = start_ns + TIME_INDEX_BUCKET_NS;
	struct segment_range range = {start_ns, end_ns};

	if (range.from_ns < visitor->from_ns)
		range.from_ns = visitor->from_ns;
	if (range.until_ns <= range.from_ns)
		range.until_ns = range.from_ns + 1;
	if (range.until_ns > visitor->until_ns)
		range.until_ns = visitor->until_ns;
	return range;
}

static int read_hour(struct store_windows *windows, uint64_t index)
{
	const struct store_pieces *pieces = windows->pieces;
	struct segment_range range = range_of(pieces->visitor, index);
	struct hour hour = {windows, index};
	int r = 0;

	arena_reset(&windows->texts);
	windows->count = windows->given = 0;
	for (uint32_t i = 0; r == 0 && i < pieces->file_count; i++) {
		const struct store_file *file = pieces->files[i];
		uint64_t damaged = 0;

		if (file->start_ns >= range.until_ns || file->until_ns <= range.from_ns)
			continue;
		r = segment_reader_windows(file->reader, range, pieces->visitor->filter.host,
			hold_window, &hour, &damaged);
		r = store_pieces_account(pieces, damaged, r);
	}
	if (windows->count > 1)
		qsort(windows->held, windows->count, sizeof(*windows->held), window_compare);
	return r;
}

/* The first hour from the next one on in which a segment may have windows; UINT64_MAX: none. */
static uint64_t next_hour(const struct store_windows *windows)
{
	const struct store_pieces *pieces = windows->pieces;
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < pieces->file_count; i++) {
		const struct store_file *file = pieces->files[i];
		uint64_t first = file->start_ns / TIME_INDEX_BUCKET_NS;

		if (file->until_ns <= windows->hour * TIME_INDEX_BUCKET_NS)
			continue;
		if (first < windows->hour)
			first = windows->hour;
		if (first < next)
			next = first;
	}
	return next;
}

static int give_held(struct store_windows *windows, uint64_t until_ns)
{
	const struct store_visitor *visitor = windows->pieces->visitor;
	int r = 0;

	while (r == 0 && windows->given < windows->count &&
		windows->held[windows->given].start_ns <= until_ns)
		r = visitor->window(visitor->context, &windows->held[windows->given++]);
	return r;
}

int store_windows_give(struct store_windows *windows, uint64_t until_ns)
{
	uint64_t behind_ns = windows->pieces->visitor->until_ns;
	int r = give_held(windows, until_ns);

	while (r == 0 && windows->given == windows->count) {
		uint64_t hour = next_hour(windows);

		if (hour == UINT64_MAX || hour * TIME_INDEX_BUCKET_NS > until_ns ||
			hour * TIME_INDEX_BUCKET_NS >= behind_ns)
			break;
		r = read_hour(windows, hour);
		windows->hour = hour + 1;
		if (r == 0)
			r = give_held(windows, until_ns);
	}
	return r;
}
