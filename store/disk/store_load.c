/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Troubles of this process, which the next start may not have; others are the file's own. */
static bool is_ours(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/* Leaves alone a file that cannot be read, or not to its end; what was found in it stays. */
static void report_unreadable(
	struct profile_store *store, struct store_file *file, struct profile_store_report *report)
{
	report->damaged_count++;
	report->damaged_bytes += file->bytes;
	file->newest_ns = clock_read(&store->config.clock).realtime_ns;
}

static int load_file(struct profile_store *store, struct store_file *file,
	struct profile_store_report *report, bool *ret_empty)
{
	struct load load = {store, file, report};
	struct log_scan scan = {0};
	struct stat status;
	SCOPED_FD int fd = -1;
	int r = store_dir_open_log(&store->dir, file->number, !store->config.read_only, &fd);

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
		return is_ours(r) ? r : 0;
	}
	report_scan(&scan, report);
	*ret_empty = scan.record_count == 0 && scan.torn_bytes == 0 && scan.damaged_count == 0;
	if (!scan.sealed && !*ret_empty && !store->config.read_only)
		return settle_leftover(store, file, &fd, &scan);
	return 0;
}

static int load_number(
	struct profile_store *store, uint64_t number, struct profile_store_report *report)
{
	struct store_file *file;
	bool empty = false;
	int r = store_files_add(store, number, &file);

	if (r == 0)
		r = load_file(store, file, report, &empty);
	if (r < 0) {
		snprintf(report->problem, sizeof(report->problem), "log file %010" PRIu64 ": %s",
			number, fault_text(r));
		return r;
	}
	if (empty) {
		if (!store->config.read_only)
			store_dir_remove_log(&store->dir, number);
		store_files_drop(store, file);
	}
	return 0;
}

int store_load(struct profile_store *store, struct profile_store_report *report)
{
	SCOPED_FREE uint64_t *numbers = NULL;
	size_t count;
	int r = store_dir_list(&store->dir, &numbers, &count);

	if (r < 0) {
		snprintf(report->problem, sizeof(report->problem), "the list of log files: %s",
			fault_text(r));
		return r;
	}
	for (size_t i = 0; i < count; i++) {
		r = load_number(store, numbers[i], report);
		if (r < 0)
			return r;
	}
	store->next_number = count > 0 ? numbers[count - 1] + 1 : 1;
	store->visible_id = store->index.next_id;
	report->file_count = store->file_count;
	report->record_count = store->index.entry_count;
	return 0;
}
