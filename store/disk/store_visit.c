/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_visit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/disk/block_codec.h"
#include "store/disk/log_reader.h"
#include "store/disk/store_files.h"
#include "store/disk/store_pieces.h"
#include "store/disk/store_windows.h"

/* The file read last: records that follow each other in time mostly lie in one. */
struct open_log {
	const struct store_file *file;
	int fd;
};

static void close_log(const struct open_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
}

static int open_log(
	const struct profile_store *store, const struct store_file *file, struct open_log *log)
{
	int fd, r;

	if (log->file == file)
		return 0;
	r = store_dir_open_file(&store->dir, STORE_LOG, file->number, false, &fd);
	if (r < 0)
		return r;
	close_log(log);
	*log = (struct open_log){file, fd};
	return 0;
}

/* A record as it was read, and what was made of it. */
struct opened {
	uint8_t *bytes;
	struct log_record record;
	struct profile *profile; /* of windows the dictionary alone; or */
	struct life_table lives;
};

static void close_opened(struct opened *opened)
{
	free(opened->bytes);
	profile_free(opened->profile);
	life_table_done(&opened->lives);
}

static int decode(const struct store_visitor *visitor, struct opened *opened)
{
	const uint8_t *payload = opened->bytes + opened->record.header_bytes;
	int r;

	if (visitor->lives) {
		r = life_table_init(&opened->lives, LIFE_COUNT_MAX);
		return r < 0
			? r
			: block_decode_lives(payload, opened->record.payload_bytes, &opened->lives);
	}
	r = visitor->window
		? block_decode_dictionary(payload, opened->record.payload_bytes, &opened->profile)
		: block_decode(payload, opened->record.payload_bytes, &opened->profile);
	if (r == 0)
		opened->profile->head.received_at_ns = opened->record.received_at_ns;
	return r;
}

static struct life_name name_of(const struct profile *profile, uint32_t text)
{
	return (struct life_name){string_table_text(&profile->strings, text),
		string_table_length(&profile->strings, text)};
}

static int hand_window(const struct store_visitor *visitor, const struct opened *opened)
{
	const struct log_record *record = &opened->record;
	const struct profile *profile = opened->profile;
	struct profile_store_window window = {
		.host = {record->host.text, record->host.length},
		.start_ns = record->start_ns,
		.until_ns = record->until_ns,
		.received_at_ns = record->received_at_ns,
		.online_cpu_count = profile->head.online_cpu_count,
		.kernel_release = name_of(profile, profile->head.kernel_release),
		.collector_version = name_of(profile, profile->head.collector_version),
	};

	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		window.busy_ns += profile->cpus[i].busy_ns;
		window.idle_ns += profile->cpus[i].idle_ns;
		window.steal_ns += profile->cpus[i].steal_ns;
		window.sampled_ns += profile->cpus[i].sampled_ns;
	}
	return visitor->window(visitor->context, &window);
}

static int hand_on(const struct store_visitor *visitor, const struct opened *opened)
{
	struct profile_store_lives lives = {
		.host = {opened->record.host.text, opened->record.host.length},
		.start_ns = opened->record.start_ns,
		.until_ns = opened->record.until_ns,
		.table = &opened->lives,
	};

	if (visitor->window)
		return hand_window(visitor, opened);
	return visitor->lives ? visitor->lives(visitor->context, &lives)
			      : visitor->profile(visitor->context, opened->profile);
}

static int visit_entry(struct profile_store *store, const struct time_entry *entry,
	struct open_log *log, const struct store_visitor *visitor)
{
	struct opened opened = {0};
	int r = open_log(store, entry->owner, log);

	if (r == 0)
		r = log_reader_read(
			log->fd, entry->offset, entry->byte_count, &opened.bytes, &opened.record);
	if (r == 0)
		r = decode(visitor, &opened);
	/* Leaving blocks out for troubles of this process would look like an answer. */
	if (!store_error_is_ours(r)) {
		pthread_mutex_lock(&store->lock);
		store->counters[r < 0 ? PROFILE_STORE_blocks_unreadable
				      : PROFILE_STORE_blocks_read]++;
		pthread_mutex_unlock(&store->lock);
		if (r < 0 && visitor->filter.unreadable_count)
			(*visitor->filter.unreadable_count)++;
		r = r < 0 ? 0 : hand_on(visitor, &opened);
	}
	close_opened(&opened);
	return r;
}

/* Leaves out what was marked for deletion before the visit began. */
static uint32_t drop_doomed(struct time_entry *entries, uint32_t count, uint64_t visit_serial)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (store_file_is_seen(entries[i].owner, visit_serial))
			entries[kept++] = entries[i];
	}
	return kept;
}

/* An hour of the index. */
struct bucket {
	uint64_t hour; /* the next */
	struct time_entry *entries;
	uint32_t count;
	uint32_t kept;
};

/* The next bucket of the index, what this visit does not see left out. RET_COUNT 0: there is none
 * any more. */
static int next_bucket(struct profile_store *store, const struct time_selection *selection,
	uint64_t visit_serial, struct bucket *bucket)
{
	int r = 0;

	do {
		free(TAKE(bucket->entries));
		bucket->count = bucket->kept = 0;
		if (!selection)
			return 0;
		pthread_mutex_lock(&store->lock);
		r = time_index_next(
			&store->index, selection, &bucket->hour, &bucket->entries, &bucket->count);
		if (r == 0)
			bucket->kept = drop_doomed(bucket->entries, bucket->count, visit_serial);
		pthread_mutex_unlock(&store->lock);
	} while (r == 0 && bucket->count > 0 && bucket->kept == 0);
	return r;
}

/* Windows of segments that come before the entry, and then the entry itself. */
static int visit_in_order(struct profile_store *store, const struct time_entry *entry,
	struct open_log *log, struct store_windows *windows, const struct store_visitor *visitor)
{
	int r = windows ? store_windows_give(windows, entry->start_ns) : 0;

	return r == 0 ? visit_entry(store, entry, log, visitor) : r;
}

static int visit_logs(struct profile_store *store, const struct time_selection *selection,
	uint64_t visit_serial, struct store_windows *windows, const struct store_visitor *visitor)
{
	struct bucket bucket = {.hour = time_index_first_hour(visitor->from_ns)};
	struct open_log log = {.fd = -1};
	int r;

	do {
		r = next_bucket(store, selection, visit_serial, &bucket);
		for (uint32_t i = 0; r == 0 && i < bucket.kept; i++)
			r = visit_in_order(store, &bucket.entries[i], &log, windows, visitor);
	} while (r == 0 && bucket.kept > 0);
	free(bucket.entries);
	close_log(&log);
	return r == 0 && windows ? store_windows_give(windows, UINT64_MAX) : r;
}

int store_visit_run(struct profile_store *store, const struct time_selection *selection,
	uint64_t visit_serial, const struct store_visitor *visitor)
{
	struct store_pieces pieces;
	struct store_windows windows;
	int r = store_pieces_list(&pieces, store, visit_serial, visitor);

	if (r == 0 && visitor->window) {
		store_windows_init(&windows, &pieces);
		r = visit_logs(store, selection, visit_serial, &windows, visitor);
		store_windows_done(&windows);
	} else if (r == 0) {
		r = store_pieces_give(&pieces);
		if (r == 0)
			r = visit_logs(store, selection, visit_serial, NULL, visitor);
	}
	store_pieces_done(&pieces);
	return r;
}
