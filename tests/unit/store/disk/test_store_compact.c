/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_compact.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/lived_store.h"
#include "tests/support/store_digest.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define MINUTE_NS LIVED_MINUTE_NS
#define HOUR_NS LIVED_HOUR_NS
#define DAY_START_NS LIVED_DAY_START_NS

/* These stand in front of libc's own and do what the disk of the test does. */
static _Atomic int write_error, sync_error, rename_error, unlink_error;
static _Atomic int64_t write_error_from; /* bytes of a file that still fit */
static _Atomic size_t write_bytes_max; /* 0: no limit */
static _Atomic int read_error;

ssize_t write(int fd, const void *bytes, size_t byte_count)
{
	off_t at = write_error ? lseek(fd, 0, SEEK_CUR) : -1;

	if (at >= 0 && at + (off_t)byte_count > write_error_from) {
		/* What fits is still taken, as by a disk that fills up. */
		if (at < write_error_from)
			return syscall(SYS_write, fd, bytes, (size_t)(write_error_from - at));
		errno = write_error;
		return -1;
	}
	if (write_bytes_max && byte_count > write_bytes_max)
		byte_count = write_bytes_max;
	return syscall(SYS_write, fd, bytes, byte_count);
}

int fsync(int fd)
{
	if (sync_error) {
		errno = sync_error;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	if (rename_error) {
		errno = rename_error;
		return -1;
	}
	return (int)syscall(SYS_renameat, from_fd, from, to_fd, to);
}

int unlinkat(int fd, const char *path, int flags)
{
	if (unlink_error) {
		errno = unlink_error;
		return -1;
	}
	return (int)syscall(SYS_unlinkat, fd, path, flags);
}

ssize_t pread(int fd, void *bytes, size_t byte_count, off_t offset)
{
	if (read_error) {
		errno = read_error;
		return -1;
	}
	return syscall(SYS_pread64, fd, bytes, byte_count, offset);
}

static void heal(void)
{
	write_error = sync_error = rename_error = unlink_error = read_error = 0;
	write_error_from = 0;
	write_bytes_max = 0;
}

/* ---- What it does ---- */

static void logs_become_segments_and_answers_stay(void)
{
	struct lived_store filled = lived_begin("stay");
	char *before;

	lived_on(&filled, 25 * MINUTE_NS, MINUTE_NS);
	before = lived_answers(&filled);
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).segment_count, 2);
	CHECK_EQ(lived_file_count("stay", ".seg"), 2);
	CHECK_EQ(lived_file_count("stay", ".log"), 1);
	CHECK_EQ(lived_file_count("stay", ".new"), 0);
	lived_check_answers(&filled, before);
	free(before);
	CHECK_EQ(lived_stats(&filled).compact_error, 0);
	profile_store_close(filled.store);
}

static void hours_and_days_are_put_together(void)
{
	struct lived_store filled = lived_begin("together");
	char *before;

	for (int hour = 0; hour < 25; hour++) {
		lived_on(&filled, HOUR_NS, 20 * MINUTE_NS);
		if (hour % 2)
			profile_store_compact(filled.store);
	}
	before = lived_answers(&filled);
	fixture_now_ns += 20 * MINUTE_NS;
	profile_store_compact(filled.store);
	/* A day, and the hour behind it. */
	CHECK_EQ(lived_stats(&filled).segment_count, 2);
	CHECK_EQ(lived_stats(&filled).file_count, 2);
	CHECK(fixture_counter(filled.store, PROFILE_STORE_compact_bytes_out) > 0);
	CHECK(fixture_counter(filled.store, PROFILE_STORE_compact_bytes_in) >
		fixture_counter(filled.store, PROFILE_STORE_compact_bytes_out));
	CHECK(lived_stats(&filled).segment_bytes > 0);
	CHECK_EQ(lived_stats(&filled).oldest_ns, DAY_START_NS);
	lived_check_answers(&filled, before);
	/* Nothing is left to do. */
	profile_store_compact(filled.store);
	CHECK_EQ(fixture_counter(filled.store, PROFILE_STORE_segments_written), 0);
	free(before);
	profile_store_close(filled.store);
}

static void late_data_are_found_where_they_belong(void)
{
	struct lived_store filled = lived_begin("late");
	uint64_t now_ns;
	char *before;

	lived_on(&filled, 2 * HOUR_NS, 10 * MINUTE_NS);
	fixture_now_ns += 10 * MINUTE_NS;
	profile_store_compact(filled.store);
	/* Windows of the day before, and of the first hour, received now. */
	now_ns = fixture_now_ns;
	for (uint64_t i = 0; i < 5; i++) {
		struct batch_key key = fixture_key(1, filled.sequence++);

		CHECK_EQ(fixture_append_at(filled.store, "late", key,
				 DAY_START_NS + i * 7 * MINUTE_NS - 10 * MINUTE_NS, 20,
				 &filled.answers),
			0);
		CHECK_EQ(profile_store_flush(filled.store), 0);
	}
	before = lived_answers(&filled);
	fixture_now_ns = now_ns + FIXTURE_DAY_NS;
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).file_count, 1);
	lived_check_answers(&filled, before);
	free(before);
	profile_store_close(filled.store);
}

static void batches_count_once_whatever_was_compacted(void)
{
	struct lived_store filled = lived_begin("once");
	struct fixture_answers again = {0};

	lived_on(&filled, HOUR_NS, 5 * MINUTE_NS);
	fixture_now_ns += HOUR_NS;
	for (int round = 0; round < 3; round++) {
		profile_store_compact(filled.store);
		for (uint64_t i = 0; i < filled.sequence; i++) {
			CHECK_EQ(fixture_append_at(filled.store, "a", fixture_key(1, i),
					 fixture_now_ns, 5, &again),
				0);
		}
		CHECK_EQ(profile_store_flush(filled.store), 0);
		CHECK_EQ(again.stored, 0);
		fixture_now_ns += FIXTURE_DAY_NS;
		lived_reopen(&filled);
	}
	CHECK_EQ(again.already, 3 * (int)filled.sequence);
	lived_check_accounts(&filled);
	profile_store_close(filled.store);
}

static void a_short_retention_keeps_logs(void)
{
	struct lived_store filled = lived_begin("short");

	filled.config.retain_ns = 70 * MINUTE_NS;
	lived_reopen(&filled);
	lived_on(&filled, HOUR_NS, 5 * MINUTE_NS);
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).segment_count, 0);
	lived_check_accounts(&filled);
	profile_store_close(filled.store);
}

static void slots_are_dropped_when_their_time_is_over(void)
{
	struct profile_store_filter filter = {.detail = PROFILE_STORE_STACKS};
	struct lived_store filled = lived_begin("slots");
	char *before, *after;
	struct fixture_seen seen;

	filled.config.hot_ns = 2 * FIXTURE_DAY_NS;
	lived_reopen(&filled);
	lived_on(&filled, 2 * HOUR_NS, 5 * MINUTE_NS);
	fixture_now_ns = DAY_START_NS + FIXTURE_DAY_NS + HOUR_NS;
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).file_count, 1);
	seen = fixture_visit_all(filled.store);
	CHECK_EQ(seen.slots, seen.samples);
	before = store_digest(filled.store, DAY_START_NS, DAY_START_NS + HOUR_NS, &filter);
	fixture_now_ns += 2 * FIXTURE_DAY_NS;
	profile_store_compact(filled.store);
	CHECK_EQ(fixture_visit_all(filled.store).slots, 0);
	CHECK_EQ(fixture_visit_all(filled.store).samples, seen.samples);
	after = store_digest(filled.store, DAY_START_NS, DAY_START_NS + HOUR_NS, &filter);
	lived_check_same(before, after);
	free(before);
	free(after);
	CHECK_EQ(fixture_counter(filled.store, PROFILE_STORE_segments_written), 2);
	profile_store_compact(filled.store);
	CHECK_EQ(fixture_counter(filled.store, PROFILE_STORE_segments_written), 2);
	profile_store_close(filled.store);
}

static void retention_deletes_whole_segments(void)
{
	struct lived_store filled = lived_begin("retain");

	filled.config.retain_ns = 10 * FIXTURE_DAY_NS;
	lived_reopen(&filled);
	for (int day = 0; day < 12; day++) {
		lived_on(&filled, FIXTURE_DAY_NS, 6 * HOUR_NS);
		fixture_now_ns += 10 * MINUTE_NS;
		profile_store_compact(filled.store);
		fixture_now_ns -= 10 * MINUTE_NS;
	}
	CHECK_EQ(lived_file_count("retain", ".seg"), 10);
	CHECK_EQ(fixture_counter(filled.store, PROFILE_STORE_files_expired), 2);
	fixture_now_ns += 20 * FIXTURE_DAY_NS;
	profile_store_retain(filled.store);
	CHECK_EQ(work_try("test -z \"$(ls retain/profiles)\""), 0);
	CHECK_EQ(lived_stats(&filled).file_count, 0);
	profile_store_close(filled.store);
}

/* ---- Visits meanwhile ---- */

struct meanwhile {
	struct lived_store *filled;
	int visited;
	int logs_within;
	int segments_within;
};

static int compact_within(void *context, const struct profile *profile)
{
	struct meanwhile *meanwhile = context;

	(void)profile;
	if (meanwhile->visited++ > 0)
		return 0;
	fixture_now_ns += 2 * FIXTURE_DAY_NS;
	profile_store_compact(meanwhile->filled->store);
	meanwhile->logs_within = lived_file_count("within", ".log");
	/* One that begins now sees the segment, and everything once. */
	CHECK_EQ(fixture_visit_all(meanwhile->filled->store).samples,
		12 * meanwhile->filled->sequence);
	return 0;
}

static int expire_within(void *context, const struct profile *profile)
{
	struct meanwhile *meanwhile = context;

	(void)profile;
	if (meanwhile->visited++ > 0)
		return 0;
	fixture_now_ns += 100 * FIXTURE_DAY_NS;
	profile_store_retain(meanwhile->filled->store);
	meanwhile->segments_within = lived_file_count("within", ".seg");
	CHECK_EQ(fixture_visit_all(meanwhile->filled->store).profiles, 0);
	return 0;
}

static void a_visit_finishes_on_what_is_replaced_and_on_what_is_deleted(void)
{
	struct lived_store filled = lived_begin("within");
	struct meanwhile meanwhile = {.filled = &filled};

	lived_on(&filled, HOUR_NS, 5 * MINUTE_NS);
	CHECK_EQ(profile_store_visit(filled.store, 0, UINT64_MAX, NULL, compact_within, &meanwhile),
		0);
	CHECK_EQ(meanwhile.visited, filled.sequence);
	CHECK(meanwhile.logs_within > 0);
	CHECK_EQ(lived_file_count("within", ".log"), 0);
	CHECK_EQ(lived_file_count("within", ".seg"), 1);
	meanwhile = (struct meanwhile){.filled = &filled};
	CHECK_EQ(profile_store_visit(filled.store, 0, UINT64_MAX, NULL, expire_within, &meanwhile),
		0);
	CHECK(meanwhile.visited > 1);
	CHECK_EQ(meanwhile.segments_within, 1);
	CHECK_EQ(lived_file_count("within", ".seg"), 0);
	CHECK_EQ(fixture_counter(filled.store, PROFILE_STORE_sections_unreadable), 0);
	profile_store_close(filled.store);
}

struct asker {
	struct lived_store *filled;
	_Atomic bool stop;
	_Atomic uint64_t asked;
};

static void *ask_on(void *context)
{
	struct asker *asker = context;

	for (; !asker->stop; asker->asked++) {
		/* Before it is asked, so many have been stored; more may come meanwhile. */
		uint64_t stored = 12 * (uint64_t)asker->filled->answers.stored;

		CHECK(fixture_visit_all(asker->filled->store).samples >= stored);
	}
	return NULL;
}

static void visits_see_all_of_it_at_any_moment(void)
{
	struct lived_store filled = lived_begin("moment");
	struct asker asker = {.filled = &filled};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, ask_on, &asker), 0);
	for (int i = 0; i < 30; i++) {
		lived_on(&filled, 10 * MINUTE_NS, 5 * MINUTE_NS);
		profile_store_compact(filled.store);
	}
	asker.stop = true;
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	CHECK(asker.asked > 0);
	CHECK_EQ(fixture_visit_all(filled.store).samples, 12 * filled.sequence);
	lived_check_accounts(&filled);
	profile_store_close(filled.store);
}

/* ---- Faults ---- */

/* While FAULT is there compaction fails and nothing is lost; once it is gone, it works. */
static void fail_and_mend(const char *name, _Atomic int *fault, int error)
{
	struct lived_store filled = lived_begin(name);
	char *before;

	lived_on(&filled, HOUR_NS, 10 * MINUTE_NS);
	fixture_now_ns += HOUR_NS;
	before = lived_answers(&filled);
	/* Logs that are due end. */
	profile_store_retain(filled.store);
	*fault = error;
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).segment_count, 0);
	CHECK_EQ(lived_stats(&filled).compact_error, -error);
	CHECK_EQ(fixture_counter(filled.store, PROFILE_STORE_compactions_failed), 1);
	heal();
	CHECK_EQ(lived_file_count(name, ".seg"), 0);
	CHECK_EQ(lived_file_count(name, ".new"), 0);
	lived_check_answers(&filled, before);
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).compact_error, 0);
	CHECK_EQ(lived_stats(&filled).segment_count, 1);
	CHECK_EQ(lived_stats(&filled).file_count, 1);
	lived_check_answers(&filled, before);
	free(before);
	profile_store_close(filled.store);
}

static void a_full_disk_leaves_logs_as_they_are(void)
{
	fail_and_mend("full", &write_error, ENOSPC);
	/* Wherever it fills up. */
	for (int64_t bytes = 1; bytes < 30000; bytes = bytes * 5 + 3) {
		struct lived_store filled = lived_begin("fills");

		work_run("rm -rf fills/profiles/*");
		lived_reopen(&filled);
		lived_on(&filled, HOUR_NS, 10 * MINUTE_NS);
		fixture_now_ns += HOUR_NS;
		profile_store_retain(filled.store);
		write_error = ENOSPC;
		write_error_from = bytes;
		profile_store_compact(filled.store);
		heal();
		CHECK_EQ(lived_file_count("fills", ".new"), 0);
		CHECK_EQ(fixture_visit_all(filled.store).samples, 12 * filled.sequence);
		lived_check_accounts(&filled);
		profile_store_close(filled.store);
		work_run("rm -rf fills");
	}
}

static void a_failed_write_leaves_logs_as_they_are(void)
{
	fail_and_mend("write", &write_error, EIO);
}

static void a_failed_fsync_leaves_logs_as_they_are(void)
{
	fail_and_mend("sync", &sync_error, EIO);
}

static void a_failed_rename_leaves_logs_as_they_are(void)
{
	fail_and_mend("rename", &rename_error, EIO);
}

static void short_writes_are_carried_on(void)
{
	struct lived_store filled = lived_begin("bits");
	char *before;

	lived_on(&filled, HOUR_NS, 10 * MINUTE_NS);
	fixture_now_ns += HOUR_NS;
	before = lived_answers(&filled);
	write_bytes_max = 7;
	profile_store_compact(filled.store);
	write_bytes_max = 0;
	CHECK_EQ(lived_stats(&filled).segment_count, 1);
	CHECK_EQ(lived_stats(&filled).compact_error, 0);
	lived_check_answers(&filled, before);
	free(before);
	profile_store_close(filled.store);
}

/* A log that cannot be read stays as it is; the others do not wait for it. */
static void a_damaged_log_stays_and_the_others_go_on(void)
{
	struct lived_store filled = lived_begin("damaged");
	uint64_t samples;

	lived_on(&filled, HOUR_NS, 10 * MINUTE_NS);
	fixture_now_ns += HOUR_NS;
	profile_store_retain(filled.store);
	work_run("printf 'x' | dd of=damaged/profiles/0000000003.log bs=1 seek=900 conv=notrunc "
		 "status=none");
	samples = fixture_visit_all(filled.store).samples;
	CHECK(samples < 12 * filled.sequence);
	profile_store_compact(filled.store);
	CHECK_EQ(lived_file_count("damaged", ".log"), 1);
	CHECK_EQ(lived_file_count("damaged", ".seg"), 1);
	CHECK_EQ(fixture_counter(filled.store, PROFILE_STORE_compactions_failed), 1);
	CHECK_EQ(fixture_visit_all(filled.store).samples, samples);
	lived_reopen(&filled);
	CHECK_EQ(fixture_visit_all(filled.store).samples, samples);
	profile_store_close(filled.store);
}

/* Replaced files that could not be deleted do not come back as data. */
static void what_cannot_be_deleted_counts_once_all_the_same(void)
{
	struct lived_store filled = lived_begin("stuck");
	char *before;

	lived_on(&filled, HOUR_NS, 10 * MINUTE_NS);
	fixture_now_ns += HOUR_NS;
	before = lived_answers(&filled);
	unlink_error = EIO;
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).segment_count, 1);
	CHECK(fixture_counter(filled.store, PROFILE_STORE_delete_failures) > 0);
	lived_check_answers(&filled, before);
	heal();
	CHECK(lived_file_count("stuck", ".log") > 0);
	lived_reopen(&filled);
	CHECK_EQ(lived_file_count("stuck", ".log"), 0);
	lived_check_answers(&filled, before);
	free(before);
	profile_store_close(filled.store);
}

/* Nor do they once the segment that replaced them was itself replaced. */
static void what_is_left_is_known_to_later_segments(void)
{
	struct lived_store filled = lived_begin("left");
	char *before;

	filled.config.hot_ns = 2 * FIXTURE_DAY_NS;
	lived_reopen(&filled);
	for (int hour = 0; hour < 2; hour++) {
		lived_on(&filled, HOUR_NS, 10 * MINUTE_NS);
		fixture_now_ns += 10 * MINUTE_NS;
		profile_store_compact(filled.store);
		fixture_now_ns -= 10 * MINUTE_NS;
	}
	CHECK_EQ(lived_file_count("left", ".seg"), 2);
	fixture_now_ns += FIXTURE_DAY_NS;
	unlink_error = EIO;
	profile_store_compact(filled.store);
	heal();
	CHECK_EQ(lived_file_count("left", ".seg"), 3);
	/* The day is written again, without its slots. */
	fixture_now_ns += 2 * FIXTURE_DAY_NS;
	profile_store_compact(filled.store);
	CHECK_EQ(lived_file_count("left", ".seg"), 3);
	before = lived_answers(&filled);
	lived_check_answers(&filled, before);
	CHECK_EQ(lived_file_count("left", ".seg"), 1);
	free(before);
	profile_store_close(filled.store);
}

int main(void)
{
	RUN(logs_become_segments_and_answers_stay);
	RUN(hours_and_days_are_put_together);
	RUN(late_data_are_found_where_they_belong);
	RUN(batches_count_once_whatever_was_compacted);
	RUN(a_short_retention_keeps_logs);
	RUN(slots_are_dropped_when_their_time_is_over);
	RUN(retention_deletes_whole_segments);
	RUN(a_visit_finishes_on_what_is_replaced_and_on_what_is_deleted);
	RUN(visits_see_all_of_it_at_any_moment);
	RUN(a_full_disk_leaves_logs_as_they_are);
	RUN(a_failed_write_leaves_logs_as_they_are);
	RUN(a_failed_fsync_leaves_logs_as_they_are);
	RUN(a_failed_rename_leaves_logs_as_they_are);
	RUN(short_writes_are_carried_on);
	RUN(a_damaged_log_stays_and_the_others_go_on);
	RUN(what_cannot_be_deleted_counts_once_all_the_same);
	RUN(what_is_left_is_known_to_later_segments);
	return 0;
}
