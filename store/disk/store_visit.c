/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_visit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/disk/block_codec.h"
#include "store/disk/log_reader.h"

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
	r = store_dir_open_log(&store->dir, file->number, false, &fd);
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

/* Troubles of this process end the visit: leaving blocks out for them would look like an answer. */
static bool is_ours(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
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
	if (r == 0 || !is_ours(r)) {
		pthread_mutex_lock(&store->lock);
		store->counters[r < 0 ? PROFILE_STORE_blocks_unreadable
				      : PROFILE_STORE_blocks_read]++;
		pthread_mutex_unlock(&store->lock);
		if (r < 0 && visitor->unreadable)
			(*visitor->unreadable)++;
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
		const struct store_file *file = entries[i].owner;

		if (file->verdict == RETENTION_KEEP || file->doomed_at >= visit_serial)
			entries[kept++] = entries[i];
	}
	return kept;
}

int store_visit_run(struct profile_store *store, const struct time_selection *selection,
	uint64_t visit_serial, const struct store_visitor *visitor)
{
	uint64_t hour = time_index_first_hour(selection->from_ns);
	struct open_log log = {.fd = -1};
	uint32_t count;
	int r;

	do {
		SCOPED_FREE struct time_entry *entries = NULL;
		uint32_t kept = 0;

		pthread_mutex_lock(&store->lock);
		r = time_index_next(&store->index, selection, &hour, &entries, &count);
		if (r == 0)
			kept = drop_doomed(entries, count, visit_serial);
		pthread_mutex_unlock(&store->lock);
		for (uint32_t i = 0; r == 0 && i < kept; i++)
			r = visit_entry(store, &entries[i], &log, visitor);
	} while (r == 0 && count > 0);
	close_log(&log);
	return r;
}
