/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "store/disk/log_reader.h"
#include "store/disk/store_files.h"

struct load {
	struct profile_store *store;
	struct store_file *file;
	struct profile_store_report *report;
};

static int load_record(void *context, const struct log_found *found)
{
	const struct load *load = context;
	const struct log_record *record = found->record;
	int r;

	/* After a failed fdatasync a batch may lie in two files: whole in both, it counts once. */
	if (batch_seen_has(&load->store->seen, &record->key))
		return 0;
	r = found->offset > UINT32_MAX ? -EFBIG : 0;
	if (r == 0)
		r = time_index_add(
			&load->store->index, record, load->file, (uint32_t)found->offset);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		load->report->damaged_count++;
		load->report->damaged_bytes += log_record_bytes(record);
		return 0;
	}
	store_file_count(load->file, record);
	return batch_seen_add(&load->store->seen, &record->key, record->received_at_ns);
}

static int collect_header(void *context, const struct log_found *found)
{
	return log_file_add_header(
		context, found->offset, found->header, found->record->header_bytes);
}

/* Puts an index behind the records of a file that a crash left without, so that it is read from its
 * start only once. Best effort: a full disk must not keep the store from opening. */
static void seal_leftover(struct store_file *file, int fd, uint64_t intact_bytes)
{
	struct log_file log;
	struct log_scan scan;
	int r;

	log_file_resume(&log, fd, file->number, intact_bytes);
	r = log_file_rollback(&log); /* what may be left of an index */
	if (r == 0)
		r = log_reader_scan(fd, collect_header, &log, &scan);
	if (r == 0)
		r = log_file_seal(&log);
	if (r < 0)
		log_file_rollback(&log);
	file->bytes = log.durable_bytes;
	log_file_done(&log);
}

/* What was found intact was perhaps never synced: it counts as durable only from here on. */
static int settle_leftover(
	struct profile_store *store, struct store_file *file, int *fd, const struct log_scan *scan)
{
	int r = 0;

	if (scan->torn_bytes > 0)
		r = store_dir_cut_tail(&store->dir, file->number, *fd, scan->intact_bytes);
	else
		r = fdatasync(*fd) < 0 ? -errno : store_dir_sync(&store->dir);
	if (r < 0)
		return r;
	file->bytes = scan->intact_bytes;
	if (scan->record_count > 0)
		seal_leftover(file, TAKE_FD(*fd), scan->intact_bytes);
	return 0;
}

static void report_scan(const struct log_scan *scan, struct profile_store_report *report)
{
	report->damaged_count += scan->damaged_count;
	report->damaged_bytes += scan->damaged_bytes;
	if (scan->torn_bytes > 0) {
		report->torn_tail_count++;
		report->torn_tail_bytes += scan->torn_bytes;
	}
}

/* Leaves alone a file that cannot be read, or not to its end; what was found in it stays. */
static void report_unreadable(
	struct profile_store *store, struct store_file *file, struct profile_store_report *report)
{
	report->damaged_count++;
	report->damaged_bytes += file->bytes;
	file->unfit = true;
	file->newest_ns = clock_read(&store->config.clock).realtime_ns;
}

static int load_file(struct profile_store *store, struct store_file *file,
	struct profile_store_report *report, bool *ret_empty)
{
	struct load load = {store, file, report};
	struct log_scan scan = {0};
	struct stat status;
	SCOPED_FD int fd = -1;
	int r = store_dir_open_file(
		&store->dir, STORE_LOG, file->number, !store->config.read_only, &fd);

	*ret_empty = r == -ENOENT;
	if (*ret_empty)
		return 0;
	if (r == 0)
		r = fstat(fd, &status) < 0 ? -errno : 0;
	if (r == 0) {
		file->bytes = (uint64_t)status.st_size;
		r = log_reader_scan(fd, load_record, &load, &scan);
	}
	if (r < 0) {
		report_unreadable(store, file, report);
		return store_error_is_ours(r) ? r : 0;
	}
	report_scan(&scan, report);
	/* Compaction would delete what somebody may still get out of it. */
	file->unfit = scan.damaged_count > 0;
	*ret_empty = scan.record_count == 0 && scan.torn_bytes == 0 && scan.damaged_count == 0;
	if (!scan.sealed && !*ret_empty && !store->config.read_only)
		return settle_leftover(store, file, &fd, &scan);
	return 0;
}

/* What opening a folder knows of its files. */
struct census {
	uint64_t *logs, *segments, *unfinished; /* numbers, upwards */
	size_t log_count, segment_count, unfinished_count;
	uint64_t *replaced; /* by a segment that is intact; upwards once all are loaded */
	size_t replaced_count;
};

static void free_census(struct census *census)
{
	free(census->logs);
	free(census->segments);
	free(census->unfinished);
	free(census->replaced);
}

static int take_census(const struct store_dir *dir, struct census *census)
{
	int r = store_dir_list(dir, STORE_LOG, &census->logs, &census->log_count);

	/* Behind the logs: one that somebody compacts meanwhile is in one of the two lists. */
	if (r == 0)
		r = store_dir_list(dir, STORE_SEGMENT, &census->segments, &census->segment_count);
	if (r == 0)
		r = store_dir_list(
			dir, STORE_UNFINISHED, &census->unfinished, &census->unfinished_count);
	return r;
}

static int number_compare(const void *left, const void *right)
{
	uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

static int note_replaced(struct census *census, const struct segment_summary *summary)
{
	size_t count = census->replaced_count + summary->replaced_count;
	uint64_t *grown;

	if (summary->replaced_count == 0)
		return 0;
	grown = realloc(census->replaced, count * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memcpy(grown + census->replaced_count, summary->replaced,
		summary->replaced_count * sizeof(*grown));
	census->replaced = grown;
	census->replaced_count = count;
	qsort(grown, count, sizeof(*grown), number_compare);
	return 0;
}

static bool is_replaced(const struct census *census, uint64_t number)
{
	return census->replaced_count > 0 &&
		bsearch(&number, census->replaced, census->replaced_count,
			sizeof(*census->replaced), number_compare) != NULL;
}

/* One that was copied, or says that it replaces itself or what came later, must delete nothing. */
static bool is_plausible(const struct segment_summary *summary, uint64_t number)
{
	bool plausible = summary->number == number;

	for (uint32_t i = 0; i < summary->replaced_count; i++)
		plausible &= summary->replaced[i] < number;
	return plausible;
}

static int open_segment(struct profile_store *store, struct store_file *file)
{
	struct segment_reader *reader;
	struct stat status;
	int fd, r = store_dir_open_file(&store->dir, STORE_SEGMENT, file->number, false, &fd);

	if (r < 0)
		return r;
	if (fstat(fd, &status) == 0)
		file->bytes = (uint64_t)status.st_size;
	r = segment_reader_open(fd, &reader);
	if (r < 0)
		return r;
	if (!is_plausible(segment_reader_summary(reader), file->number)) {
		segment_reader_close(reader);
		return -EBADMSG;
	}
	store_file_describe(file, reader);
	return 0;
}

static int load_segment(struct profile_store *store, uint64_t number, struct census *census,
	struct profile_store_report *report)
{
	struct store_file *file;
	int r = store_files_add(store, STORE_SEGMENT, number, &file);

	if (r < 0)
		return r;
	r = open_segment(store, file);
	if (r == 0)
		r = segment_reader_keys(file->reader, &store->seen);
	if (r == 0)
		return note_replaced(census, segment_reader_summary(file->reader));
	if (store_error_is_ours(r))
		return r;
	report_unreadable(store, file, report);
	return 0;
}

static int load_log(
	struct profile_store *store, uint64_t number, struct profile_store_report *report)
{
	struct store_file *file;
	bool empty = false;
	int r = store_files_add(store, STORE_LOG, number, &file);

	if (r == 0)
		r = load_file(store, file, report, &empty);
	if (r == 0 && empty) {
		if (!store->config.read_only)
			store_dir_remove(&store->dir, STORE_LOG, number);
		store_files_drop(store, file);
	}
	return r;
}

static int fail(int error, const char *what, uint64_t number, struct profile_store_report *report)
{
	snprintf(report->problem, sizeof(report->problem), "%s %010" PRIu64 ": %s", what, number,
		fault_text(error));
	return error;
}

/* A segment has a higher number than what it replaces: from the highest down, one that is replaced
 * is known before it is come to. */
static int load_files(
	struct profile_store *store, struct census *census, struct profile_store_report *report)
{
	for (size_t i = census->segment_count; i-- > 0;) {
		int r = 0;

		if (!is_replaced(census, census->segments[i]))
			r = load_segment(store, census->segments[i], census, report);
		if (r < 0)
			return fail(r, "segment", census->segments[i], report);
	}
	for (size_t i = 0; i < census->log_count; i++) {
		int r = 0;

		if (!is_replaced(census, census->logs[i]))
			r = load_log(store, census->logs[i], report);
		if (r < 0)
			return fail(r, "log file", census->logs[i], report);
	}
	return 0;
}

/* Deletes what a crash kept from being deleted. What replaces it must have its name for ever first:
 * a process that was killed may not have seen to that. */
static int remove_leftovers(struct profile_store *store, const struct census *census)
{
	size_t removed = census->unfinished_count;
	int r = store_dir_sync(&store->dir);

	for (size_t i = 0; r == 0 && i < census->unfinished_count; i++)
		store_dir_remove(&store->dir, STORE_UNFINISHED, census->unfinished[i]);
	for (size_t i = 0; r == 0 && i < census->log_count; i++) {
		if (is_replaced(census, census->logs[i])) {
			store_dir_remove(&store->dir, STORE_LOG, census->logs[i]);
			removed++;
		}
	}
	for (size_t i = 0; r == 0 && i < census->segment_count; i++) {
		if (is_replaced(census, census->segments[i])) {
			store_dir_remove(&store->dir, STORE_SEGMENT, census->segments[i]);
			removed++;
		}
	}
	return r == 0 && removed > 0 ? store_dir_sync(&store->dir) : r;
}

static uint64_t last_number(const uint64_t *numbers, size_t count)
{
	return count > 0 ? numbers[count - 1] : 0;
}

static uint64_t first_free_number(const struct census *census)
{
	uint64_t logs = last_number(census->logs, census->log_count);
	uint64_t segments = last_number(census->segments, census->segment_count);
	uint64_t unfinished = last_number(census->unfinished, census->unfinished_count);
	uint64_t last = logs > segments ? logs : segments;

	return (last > unfinished ? last : unfinished) + 1;
}

static int load_all(
	struct profile_store *store, struct census *census, struct profile_store_report *report)
{
	int r = take_census(&store->dir, census);

	if (r < 0) {
		snprintf(report->problem, sizeof(report->problem), "the list of files: %s",
			fault_text(r));
		return r;
	}
	r = load_files(store, census, report);
	if (r < 0 || store->config.read_only)
		return r;
	r = remove_leftovers(store, census);
	if (r < 0)
		snprintf(report->problem, sizeof(report->problem), "the folder `profiles`: %s",
			fault_text(r));
	return r;
}

int store_load(struct profile_store *store, struct profile_store_report *report)
{
	struct census census = {0};
	int r = load_all(store, &census, report);

	store->next_number = first_free_number(&census);
	store->visible_id = store->index.next_id;
	for (uint32_t i = 0; i < store->file_count; i++)
		report->record_count += store->files[i]->record_count;
	report->file_count = store->file_count;
	free_census(&census);
	return r;
}
