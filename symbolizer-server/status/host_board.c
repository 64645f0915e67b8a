/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_board.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire/collector_counter.h"
#include "proto/wire/collector_feature.h"

struct host_board {
	pthread_mutex_t lock;
	struct host_entry **entries; /* sorted by name */
	uint32_t count;
	uint32_t capacity;
};

int host_board_new(struct host_board **ret_board)
{
	struct host_board *board = calloc(1, sizeof(*board));

	if (!board)
		return -ENOMEM;
	if (pthread_mutex_init(&board->lock, NULL) != 0) {
		free(board);
		return -ENOMEM;
	}
	*ret_board = board;
	return 0;
}

void host_board_free(struct host_board *board)
{
	if (!board)
		return;
	for (uint32_t i = 0; i < board->count; i++)
		free(board->entries[i]);
	free(board->entries);
	pthread_mutex_destroy(&board->lock);
	free(board);
}

/* Copies a text of the profile, cut if it is too long. */
static void copy_text(const struct profile *profile, uint32_t string, char *ret_text, size_t bytes)
{
	snprintf(ret_text, bytes, "%s", string_table_text(&profile->strings, string));
}

/* The place of NAME among the entries, or where it belongs. */
static uint32_t find_place(const struct host_board *board, const char *name, bool *ret_found)
{
	uint32_t low = 0, high = board->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(board->entries[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_found = low < board->count && strcmp(board->entries[low]->name, name) == 0;
	return low;
}

static void drop_oldest(struct host_board *board)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < board->count; i++) {
		if (board->entries[i]->received_at_ns < board->entries[oldest]->received_at_ns)
			oldest = i;
	}
	free(board->entries[oldest]);
	board->count--;
	memmove(board->entries + oldest, board->entries + oldest + 1,
		(board->count - oldest) * sizeof(*board->entries));
}

static int reserve(struct host_board *board)
{
	uint32_t capacity = board->capacity ? board->capacity * 2 : 16;
	struct host_entry **entries;

	if (board->count == HOST_BOARD_COUNT_MAX)
		drop_oldest(board);
	if (board->count < board->capacity)
		return 0;
	entries = realloc(board->entries, capacity * sizeof(struct host_entry *));
	if (!entries)
		return -ENOMEM;
	board->entries = entries;
	board->capacity = capacity;
	return 0;
}

static int find_or_add(struct host_board *board, const char *name, struct host_entry **ret_entry)
{
	struct host_entry *entry;
	bool found;
	uint32_t place = find_place(board, name, &found);
	int r;

	if (found) {
		*ret_entry = board->entries[place];
		return 0;
	}
	r = reserve(board);
	if (r < 0)
		return r;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	place = find_place(board, name, &found);
	memmove(board->entries + place + 1, board->entries + place,
		(board->count - place) * sizeof(*board->entries));
	board->entries[place] = entry;
	board->count++;
	*ret_entry = entry;
	return 0;
}

static void add_samples(struct host_entry *entry, const struct host_window *rest)
{
	for (uint32_t i = 0; i < HOST_BOARD_WINDOW_COUNT; i++) {
		if (entry->windows[i].end_ns == rest->end_ns)
			entry->windows[i].sample_count += rest->sample_count;
	}
}

/* A window that came in several batches has its CPUs in the first alone. */
static void note_window(struct host_entry *entry, const struct profile *profile)
{
	struct host_window window = {
		.end_ns = profile_window_end_epoch_ns(profile),
		.length_ns = profile->head.window_end_ns - profile->head.window_start_ns,
		.sample_count = profile_sample_count(profile),
	};

	if (profile->cpu_count == 0) {
		add_samples(entry, &window);
		return;
	}
	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		window.busy_ns += profile->cpus[i].busy_ns;
		window.idle_ns += profile->cpus[i].idle_ns;
		window.steal_ns += profile->cpus[i].steal_ns;
		window.sampled_ns += profile->cpus[i].sampled_ns;
	}
	entry->windows[entry->window_count++ % HOST_BOARD_WINDOW_COUNT] = window;
}

/* Batches have their counters in any order. */
static int order_counters(const void *one, const void *other)
{
	const struct host_counter *a = one, *b = other;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void note_counters(struct host_entry *entry, const struct profile *profile)
{
	uint32_t count = profile->counter_count;

	if (count == 0)
		return;
	if (count > HOST_BOARD_COUNTER_COUNT_MAX)
		count = HOST_BOARD_COUNTER_COUNT_MAX;
	for (uint32_t i = 0; i < count; i++) {
		struct host_counter *counter = &entry->counters[i];

		copy_text(profile, profile->counters[i].name, counter->name, sizeof(counter->name));
		counter->rank = collector_counter_rank(counter->name);
		counter->value = profile->counters[i].value;
	}
	qsort(entry->counters, count, sizeof(*entry->counters), order_counters);
	entry->counter_count = count;
}

/* By rank; equal ones keep the order of the batch, which is that of their names. */
static void insert_feature(struct host_entry *entry, const struct host_feature *feature)
{
	uint32_t rank = feature_rank(feature->name), at = entry->feature_count++;

	while (at > 0 && feature_rank(entry->features[at - 1].name) > rank) {
		entry->features[at] = entry->features[at - 1];
		at--;
	}
	entry->features[at] = *feature;
}

static void note_features(struct host_entry *entry, const struct profile *profile)
{
	uint32_t count = profile->feature_count;

	if (count == 0)
		return;
	if (count > HOST_BOARD_FEATURE_COUNT_MAX)
		count = HOST_BOARD_FEATURE_COUNT_MAX;
	entry->feature_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_feature *from = &profile->features[i];
		struct host_feature feature = {.is_on = from->state == FEATURE_ON};

		copy_text(profile, from->name, feature.name, sizeof(feature.name));
		copy_text(profile, from->reason, feature.reason, sizeof(feature.reason));
		copy_text(profile, from->remedy, feature.remedy, sizeof(feature.remedy));
		insert_feature(entry, &feature);
	}
}

/* Whether a batch says what its host is now: a host's own clock may have been set meanwhile, so this
 * is by the time since its boot. One that was kept and sent late says nothing new but its samples. */
static bool is_newest(struct host_entry *entry, const struct profile *profile)
{
	char boot_id[HOST_BOARD_TEXT_BYTES];

	copy_text(profile, profile->head.boot_id, boot_id, sizeof(boot_id));
	if (strcmp(boot_id, entry->boot_id) != 0) {
		memcpy(entry->boot_id, boot_id, sizeof(boot_id));
		host_clock_reset(&entry->clock);
		return true;
	}
	return profile->head.window_end_ns >= entry->newest_ns;
}

static void note(struct host_entry *entry, const struct profile *profile, uint64_t now_ns)
{
	const struct profile_head *head = &profile->head;
	bool newest = is_newest(entry, profile);

	entry->sample_count += profile_sample_count(profile);
	note_window(entry, profile);
	host_clock_note(&entry->clock, &head->clocks, now_ns);
	entry->clock_skew_ns = host_clock_skew(&entry->clock);
	if (now_ns > entry->received_at_ns)
		entry->received_at_ns = now_ns;
	if (!newest)
		return;
	entry->newest_ns = head->window_end_ns;
	entry->last_seen_ns = profile_window_end_epoch_ns(profile);
	entry->online_cpu_count = head->online_cpu_count;
	copy_text(profile, head->kernel_release, entry->kernel_release,
		sizeof(entry->kernel_release));
	copy_text(profile, head->collector_version, entry->collector_version,
		sizeof(entry->collector_version));
	note_counters(entry, profile);
	note_features(entry, profile);
}

int host_board_note(struct host_board *board, const struct profile *profile, uint64_t now_ns)
{
	char name[HOST_BOARD_TEXT_BYTES];
	struct host_entry *entry;
	int r;

	copy_text(profile, profile->head.host, name, sizeof(name));
	pthread_mutex_lock(&board->lock);
	r = find_or_add(board, name, &entry);
	if (r == 0)
		note(entry, profile, now_ns);
	pthread_mutex_unlock(&board->lock);
	return r;
}

void host_board_begin(struct host_board *board)
{
	pthread_mutex_lock(&board->lock);
	for (uint32_t i = 0; i < board->count; i++)
		board->entries[i]->sample_count = 0;
	pthread_mutex_unlock(&board->lock);
}

int host_board_snapshot(struct host_board *board, struct host_snapshot *ret_snapshot)
{
	struct host_snapshot snapshot = {0};

	pthread_mutex_lock(&board->lock);
	/* One more than needed, so that none is no special case. */
	snapshot.entries = malloc(((size_t)board->count + 1) * sizeof(*snapshot.entries));
	for (uint32_t i = 0; snapshot.entries && i < board->count; i++)
		snapshot.entries[snapshot.count++] = *board->entries[i];
	pthread_mutex_unlock(&board->lock);
	if (!snapshot.entries)
		return -ENOMEM;
	*ret_snapshot = snapshot;
	return 0;
}

void host_snapshot_done(struct host_snapshot *snapshot)
{
	free(snapshot->entries);
	*snapshot = (struct host_snapshot){0};
}

struct host_window host_entry_recent(const struct host_entry *entry, uint64_t now_ns)
{
	struct host_window sum = {0};
	uint32_t count = entry->window_count < HOST_BOARD_WINDOW_COUNT ? entry->window_count
								       : HOST_BOARD_WINDOW_COUNT;

	for (uint32_t i = 0; i < count; i++) {
		const struct host_window *window = &entry->windows[i];

		/* By our clock. */
		if (window->end_ns - (uint64_t)entry->clock_skew_ns + HOST_BOARD_WINDOW_AGE_NS <
			now_ns)
			continue;
		sum.busy_ns += window->busy_ns;
		sum.idle_ns += window->idle_ns;
		sum.steal_ns += window->steal_ns;
		sum.length_ns += window->length_ns;
		sum.sample_count += window->sample_count;
		sum.sampled_ns += window->sampled_ns;
		if (window->end_ns > sum.end_ns)
			sum.end_ns = window->end_ns;
	}
	return sum;
}

double host_window_coverage(const struct host_window *window)
{
	return window->busy_ns > 0 ? (double)window->sampled_ns / (double)window->busy_ns : -1;
}

double host_window_sample_rate(const struct host_window *window)
{
	return window->length_ns > 0
		? (double)window->sample_count * (double)NS_PER_S / (double)window->length_ns
		: 0;
}

bool host_entry_find_counter(void *context, const char *name, uint64_t *ret_value)
{
	const struct host_entry *entry = context;

	for (uint32_t i = 0; i < entry->counter_count; i++) {
		if (strcmp(entry->counters[i].name, name) == 0) {
			*ret_value = entry->counters[i].value;
			return true;
		}
	}
	return false;
}
