/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file marked by retention stays in the set, and its records in the index, until every visit that
 * began before the mark has ended: a visit sees what was there when it began. Visits that begin
 * later leave it out.
 */
#include "store/disk/store_files.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/profile/grow.h"

#define FILE_COUNT_MAX (1u << 20)

int store_files_add(struct profile_store *store, uint64_t number, struct store_file **ret_file)
{
	struct store_file *file;
	int r = grow_array(&store->files, &store->file_capacity, store->file_count, FILE_COUNT_MAX);

	if (r < 0)
		return r;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->number = number;
	file->start_ns = UINT64_MAX;
	store->files[store->file_count++] = file;
	*ret_file = file;
	return 0;
}

void store_files_drop(struct profile_store *store, struct store_file *file)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < store->file_count; i++) {
		if (store->files[i] != file)
			store->files[kept++] = store->files[i];
	}
	store->file_count = kept;
	free(file);
}

void store_file_count(struct store_file *file, const struct log_record *record)
{
	/* A clock in the future must not keep data for ever. */
	uint64_t newest_ns = record->until_ns < record->received_at_ns ? record->until_ns
								       : record->received_at_ns;

	file->record_count++;
	if (record->start_ns < file->start_ns)
		file->start_ns = record->start_ns;
	if (record->until_ns > file->until_ns)
		file->until_ns = record->until_ns;
	if (newest_ns > file->newest_ns)
		file->newest_ns = newest_ns;
}

static void mark_files(struct profile_store *store, const struct retention_file *judged)
{
	for (uint32_t i = 0, at = 0; i < store->file_count; i++) {
		struct store_file *file = store->files[i];

		if (file == store->active_file || file->verdict != RETENTION_KEEP)
			continue;
		file->verdict = judged[at++].verdict;
		file->doomed_at = store->visit_serial;
	}
}

static void judge_files(struct profile_store *store, uint64_t now_ns)
{
	SCOPED_FREE struct retention_file *judged =
		calloc(store->file_count ? store->file_count : 1, sizeof(*judged));
	struct retention_limits limits = {now_ns, store->config.retain_ns,
		store->config.retain_bytes, TIME_INDEX_ENTRY_COUNT_MAX};
	uint32_t count = 0;

	/* Without memory for it this round is left out: the next one comes. */
	if (!judged)
		return;
	for (uint32_t i = 0; i < store->file_count; i++) {
		const struct store_file *file = store->files[i];

		if (file == store->active_file)
			limits.bytes -= file->bytes < limits.bytes ? file->bytes : limits.bytes;
		else if (file->verdict == RETENTION_KEEP)
			judged[count++] = (struct retention_file){
				file->newest_ns, file->bytes, file->record_count, RETENTION_KEEP};
	}
	retention_decide(judged, count, &limits);
	mark_files(store, judged);
}

static bool is_dead(const struct profile_store *store, const struct store_file *file)
{
	if (file->verdict == RETENTION_KEEP)
		return false;
	for (const struct store_visit *visit = store->visits; visit; visit = visit->next) {
		if (visit->serial <= file->doomed_at)
			return false;
	}
	return true;
}

static bool entry_is_dead(const void *context, const struct time_entry *entry)
{
	return is_dead(context, entry->owner);
}

/* Takes dead files out of the set and the index, into RET_DEAD. */
static uint32_t take_dead(struct profile_store *store, struct store_file **ret_dead)
{
	uint32_t dead_count = 0, kept = 0;

	for (uint32_t i = 0; i < store->file_count; i++) {
		if (is_dead(store, store->files[i]))
			ret_dead[dead_count++] = store->files[i];
	}
	if (dead_count == 0)
		return 0;
	range_serials_touch_all(&store->serials);
	time_index_remove(&store->index, entry_is_dead, store);
	for (uint32_t i = 0; i < store->file_count; i++) {
		if (!is_dead(store, store->files[i]))
			store->files[kept++] = store->files[i];
	}
	store->file_count = kept;
	return dead_count;
}

static void count_deleted(struct profile_store *store, const struct store_file *file, int result)
{
	pthread_mutex_lock(&store->lock);
	if (result < 0) {
		store->counters[PROFILE_STORE_delete_failures]++;
	} else {
		store->counters[file->verdict == RETENTION_EXPIRED ? PROFILE_STORE_files_expired
								   : PROFILE_STORE_files_evicted]++;
		store->counters[PROFILE_STORE_bytes_deleted] += file->bytes;
	}
	pthread_mutex_unlock(&store->lock);
}

void store_files_reap(struct profile_store *store)
{
	SCOPED_FREE struct store_file **dead = NULL;
	uint32_t dead_count = 0;

	pthread_mutex_lock(&store->lock);
	dead = malloc((store->file_count ? store->file_count : 1) * sizeof(struct store_file *));
	if (dead)
		dead_count = take_dead(store, dead);
	pthread_mutex_unlock(&store->lock);
	for (uint32_t i = 0; i < dead_count; i++) {
		count_deleted(store, dead[i], store_dir_remove_log(&store->dir, dead[i]->number));
		free(dead[i]);
	}
	if (dead_count > 0)
		store_dir_sync(&store->dir);
}

void store_files_retain(struct profile_store *store, uint64_t now_ns)
{
	pthread_mutex_lock(&store->lock);
	judge_files(store, now_ns);
	pthread_mutex_unlock(&store->lock);
	store_files_reap(store);
}
