/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A marked file stays in the set, and its records in the index, until every visit that began before
 * the mark has ended: a visit sees what was there when it began. Visits that begin later leave it
 * out. A segment comes in the moment that what it replaces goes, so that a visit sees one of the
 * two.
 *
 * A file is marked no earlier than those that it replaced, so that it never goes before they do:
 * otherwise a crash between the two could bring them back.
 */
#include "store/disk/store_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "store/base/cleanup.h"
#include "store/profile/grow.h"

#define FILE_COUNT_MAX (1u << 20)
/* A hundredth of the disk is left free, and no more than this. */
#define FREE_SHARE 100
#define FREE_BYTES_MAX (UINT64_C(256) << 20)

uint64_t store_files_take_number(struct profile_store *store)
{
	uint64_t number;

	pthread_mutex_lock(&store->lock);
	number = store->next_number++;
	pthread_mutex_unlock(&store->lock);
	return number;
}

int store_files_add(struct profile_store *store, enum store_kind kind, uint64_t number,
	struct store_file **ret_file)
{
	struct store_file *file;
	int r = grow_array(&store->files, &store->file_capacity, store->file_count, FILE_COUNT_MAX);

	if (r < 0)
		return r;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->kind = kind;
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

void store_file_describe(struct store_file *file, struct segment_reader *reader)
{
	const struct segment_summary *summary = segment_reader_summary(reader);

	file->reader = reader;
	file->bytes = summary->byte_count;
	file->record_count = summary->window_count;
	file->start_ns = summary->from_ns;
	file->until_ns = summary->until_ns;
	file->received_ns = summary->newest_received_ns;
	file->newest_ns = file->until_ns < file->received_ns ? file->until_ns : file->received_ns;
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
	if (record->received_at_ns > file->received_ns)
		file->received_ns = record->received_at_ns;
}

static void mark(struct profile_store *store, struct store_file *file, enum retention_verdict why)
{
	file->verdict = why;
	file->doomed_at = store->visit_serial;
	if (why != RETENTION_REPLACED)
		range_serials_touch_all(&store->serials);
}

void store_file_replace(struct profile_store *store, struct store_file *file)
{
	if (file->verdict == RETENTION_KEEP)
		mark(store, file, RETENTION_REPLACED);
}

bool store_file_is_seen(const struct store_file *file, uint64_t visit_serial)
{
	return file->born_at < visit_serial &&
		(file->verdict == RETENTION_KEEP || file->doomed_at >= visit_serial);
}

static void mark_files(struct profile_store *store, const struct retention_file *judged)
{
	for (uint32_t i = 0, at = 0; i < store->file_count; i++) {
		struct store_file *file = store->files[i];

		if (file == store->active_file || file->verdict != RETENTION_KEEP)
			continue;
		if (judged[at++].verdict != RETENTION_KEEP)
			mark(store, file, judged[at - 1].verdict);
	}
}

/* How many bytes the disk lacks to have some for others, and for what is put together. */
static uint64_t missing_bytes(const struct profile_store *store)
{
	struct statvfs disk;
	uint64_t free_bytes, wanted_bytes;

	if (fstatvfs(store->dir.profiles_fd, &disk) < 0)
		return 0;
	free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	wanted_bytes = (uint64_t)disk.f_blocks * disk.f_frsize / FREE_SHARE;
	if (wanted_bytes > FREE_BYTES_MAX)
		wanted_bytes = FREE_BYTES_MAX;
	return free_bytes < wanted_bytes ? wanted_bytes - free_bytes : 0;
}

/* All that retention may take. */
static uint64_t kept_bytes(const struct profile_store *store)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < store->file_count; i++) {
		if (store->files[i]->verdict == RETENTION_KEEP)
			bytes += store->files[i]->bytes;
	}
	return bytes;
}

/* A disk that is low, whoever filled it, costs the oldest, before it costs the newest. */
static void allow_for_disk(
	const struct profile_store *store, uint64_t missing, struct retention_limits *limits)
{
	uint64_t kept = kept_bytes(store), allowed = kept > missing ? kept - missing : 0;

	if (missing > 0 && allowed < limits->bytes)
		limits->bytes = allowed;
}

static void judge_files(struct profile_store *store, uint64_t now_ns, uint64_t missing)
{
	SCOPED_FREE struct retention_file *judged =
		calloc(store->file_count ? store->file_count : 1, sizeof(*judged));
	struct retention_limits limits = {now_ns, store->config.retain_ns,
		store->config.retain_bytes, TIME_INDEX_ENTRY_COUNT_MAX};
	uint32_t count = 0;

	allow_for_disk(store, missing, &limits);
	/* Without memory for it this round is left out: the next one comes. */
	if (!judged)
		return;
	for (uint32_t i = 0; i < store->file_count; i++) {
		const struct store_file *file = store->files[i];

		if (file == store->active_file)
			limits.bytes -= file->bytes < limits.bytes ? file->bytes : limits.bytes;
		else if (file->verdict == RETENTION_KEEP)
			judged[count++] = (struct retention_file){file->newest_ns, file->bytes,
				file->kind == STORE_LOG ? file->record_count : 0, RETENTION_KEEP};
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
	time_index_remove(&store->index, entry_is_dead, store);
	for (uint32_t i = 0; i < store->file_count; i++) {
		if (!is_dead(store, store->files[i]))
			store->files[kept++] = store->files[i];
	}
	store->file_count = kept;
	return dead_count;
}

static enum profile_store_counter counter_of_end(enum retention_verdict verdict)
{
	if (verdict == RETENTION_REPLACED)
		return PROFILE_STORE_files_replaced;
	return verdict == RETENTION_EXPIRED ? PROFILE_STORE_files_expired
					    : PROFILE_STORE_files_evicted;
}

static void count_deleted(struct profile_store *store, const struct store_file *file, int result)
{
	pthread_mutex_lock(&store->lock);
	if (result < 0) {
		store->counters[PROFILE_STORE_delete_failures]++;
	} else {
		store->counters[counter_of_end(file->verdict)]++;
		store->counters[PROFILE_STORE_bytes_deleted] += file->bytes;
	}
	pthread_mutex_unlock(&store->lock);
}

void store_file_free(struct profile_store *store, struct store_file *file)
{
	if (file->reader)
		segment_cache_forget(&store->cache, file->number);
	segment_reader_close(file->reader);
	free(file);
}

static void end_file(struct profile_store *store, struct store_file *file)
{
	count_deleted(store, file, store_dir_remove(&store->dir, file->kind, file->number));
	store_file_free(store, file);
}

/* What was replaced goes before what replaced it: a segment has the higher number. */
static int file_compare(const void *left, const void *right)
{
	const struct store_file *one = *(const struct store_file *const *)left;
	const struct store_file *other = *(const struct store_file *const *)right;

	return (one->number > other->number) - (one->number < other->number);
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
	if (dead_count > 1)
		qsort(dead, dead_count, sizeof(struct store_file *), file_compare);
	for (uint32_t i = 0; i < dead_count; i++) {
		end_file(store, dead[i]);
	}
	if (dead_count > 0)
		store_dir_sync(&store->dir);
}

void store_files_retain(struct profile_store *store, uint64_t now_ns)
{
	uint64_t missing = missing_bytes(store);

	pthread_mutex_lock(&store->lock);
	judge_files(store, now_ns, missing);
	pthread_mutex_unlock(&store->lock);
	store_files_reap(store);
}
