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

static int read_profile(
	const struct open_log *log, const struct time_entry *entry, struct profile **ret_profile)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct log_record record;
	struct profile *profile;
	int r = log_reader_read(log->fd, entry->offset, entry->byte_count, &bytes, &record);

	if (r == 0)
		r = block_decode(bytes + record.header_bytes, record.payload_bytes, &profile);
	if (r != 0)
		return r;
	profile->head.received_at_ns = record.received_at_ns;
	*ret_profile = profile;
	return 0;
}

/* Troubles of this process end the visit: leaving blocks out for them would look like an answer. */
static bool is_ours(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

static int visit_entry(struct profile_store *store, const struct time_entry *entry,
	struct open_log *log, profile_store_visit_fn visit, void *context)
{
	struct profile *profile = NULL;
	int r = open_log(store, entry->owner, log);

	if (r == 0)
		r = read_profile(log, entry, &profile);
	if (r < 0 && is_ours(r))
		return r;
	pthread_mutex_lock(&store->lock);
	store->counters[r < 0 ? PROFILE_STORE_blocks_unreadable : PROFILE_STORE_blocks_read]++;
	pthread_mutex_unlock(&store->lock);
	if (r < 0)
		return 0;
	r = visit(context, profile);
	profile_free(profile);
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
	uint64_t visit_serial, profile_store_visit_fn visit, void *context)
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
			r = visit_entry(store, &entries[i], &log, visit, context);
	} while (r == 0 && count > 0);
	close_log(&log);
	return r;
}
