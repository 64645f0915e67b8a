/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_writer.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

/* These stand in front of libc's own and do what the disk of the test does. */
static _Atomic size_t write_bytes_max; /* 0: no limit */
static _Atomic int write_error, write_error_at_byte;
static _Atomic int sync_error, dir_sync_error, truncate_error;
static struct profile_store *watched; /* a store to look at while it waits for the disk */
static uint64_t seen_while_syncing;

static atomic_bool hangs; /* fdatasync does not return */

ssize_t pwrite(int fd, const void *bytes, size_t byte_count, off_t offset)
{
	int error = write_error;

	if (error && offset + (off_t)byte_count > write_error_at_byte) {
		/* What fits is still taken, as by a disk that fills up. */
		if (offset < write_error_at_byte)
			return syscall(SYS_pwrite64, fd, bytes,
				(size_t)(write_error_at_byte - offset), offset);
		errno = error;
		return -1;
	}
	if (write_bytes_max && byte_count > write_bytes_max)
		byte_count = write_bytes_max;
	return syscall(SYS_pwrite64, fd, bytes, byte_count, offset);
}

int fdatasync(int fd)
{
	while (atomic_load(&hangs))
		usleep(1000);
	if (watched)
		seen_while_syncing = fixture_visit_all(watched).profiles;
	if (sync_error) {
		errno = sync_error;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
	if (dir_sync_error) {
		errno = dir_sync_error;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

int ftruncate(int fd, off_t length)
{
	if (truncate_error) {
		errno = truncate_error;
		return -1;
	}
	return (int)syscall(SYS_ftruncate, fd, length);
}

static void heal(void)
{
	write_bytes_max = 0;
	write_error = write_error_at_byte = 0;
	sync_error = dir_sync_error = truncate_error = 0;
}

/* Appends, flushes and answers what came of it. */
static int store_one(struct profile_store *store, uint64_t number)
{
	struct fixture_answers answers = {.last = 1};
	int r = fixture_append(store, "a", 1, number, 20, &answers);

	if (r < 0)
		return r;
	r = profile_store_flush(store);
	/* It tells of what it waited for; this one may have been answered before. */
	if (answers.last == 0 || answers.last == -EALREADY)
		CHECK_EQ(r, 0);
	else
		CHECK(r == 0 || r == answers.last);
	return answers.last;
}

static void check_numbers(struct profile_store *store, uint64_t numbers)
{
	struct fixture_seen seen = fixture_visit_all(store);

	CHECK_EQ(seen.numbers[0], numbers);
	CHECK_EQ(seen.twice, 0);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_blocks_unreadable), 0);
}

/* Whatever happened to what was OFFERED: nothing is unaccounted for. */
static void check_accounts(struct profile_store *store, uint64_t offered)
{
	struct profile_store_stats stats;

	profile_store_stats(store, &stats);
	CHECK_EQ(stats.counters[PROFILE_STORE_records_offered], offered);
	CHECK_EQ(stats.counters[PROFILE_STORE_records_appended] +
			stats.counters[PROFILE_STORE_duplicates] +
			stats.counters[PROFILE_STORE_refused_full] +
			stats.counters[PROFILE_STORE_refused_queue] +
			stats.counters[PROFILE_STORE_refused_old] +
			stats.counters[PROFILE_STORE_refused_large] +
			stats.counters[PROFILE_STORE_refused_other] +
			stats.counters[PROFILE_STORE_records_failed] + stats.pending_count,
		offered);
	CHECK_EQ(stats.counters[PROFILE_STORE_files_found] +
			stats.counters[PROFILE_STORE_files_created],
		stats.counters[PROFILE_STORE_files_expired] +
			stats.counters[PROFILE_STORE_files_evicted] +
			stats.counters[PROFILE_STORE_files_given_up] +
			stats.counters[PROFILE_STORE_delete_failures] + stats.file_count);
}

static struct profile_store *reopen(
	struct profile_store *store, const struct profile_store_config *config)
{
	profile_store_close(store);
	return fixture_open(config, NULL);
}

static void short_writes_are_carried_on(void)
{
	struct profile_store_config config = fixture_config(work_path("short"));
	struct profile_store *store = fixture_open(&config, NULL);

	write_bytes_max = 7;
	CHECK_EQ(store_one(store, 0), 0);
	CHECK_EQ(store_one(store, 1), 0);
	check_numbers(store, 3);
	store = reopen(store, &config);
	heal();
	check_numbers(store, 3);
	profile_store_close(store);
}

/* FAULT is set, one batch fails, FAULT is mended, the batch is sent again. */
static void fail_once(const char *name, _Atomic int *fault, int error)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));
	struct profile_store *store = fixture_open(&config, NULL);

	CHECK_EQ(store_one(store, 0), 0);
	*fault = error;
	CHECK_EQ(store_one(store, 1), -error);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_records_failed), 1);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_write_failures) +
			fixture_counter(store, PROFILE_STORE_sync_failures),
		1);
	check_numbers(store, 1);
	*fault = 0;
	CHECK_EQ(store_one(store, 1), 0);
	CHECK_EQ(store_one(store, 1), -EALREADY);
	CHECK_EQ(store_one(store, 2), 0);
	check_numbers(store, 7);
	check_accounts(store, 5);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_created), 2);
	for (int round = 0; round < 2; round++) {
		store = reopen(store, &config);
		check_numbers(store, 7);
		CHECK_EQ(store_one(store, 1), -EALREADY);
	}
	profile_store_close(store);
}

static void a_failed_write_is_answered_and_its_file_left(void)
{
	fail_once("write", &write_error, EIO);
	heal();
}

static void a_failed_fdatasync_is_answered_and_its_file_left(void)
{
	fail_once("sync", &sync_error, EIO);
	heal();
}

/* Room that was promised and then is not there: what of the file is on the disk is not known, as
 * with any other failed fdatasync. */
static void a_disk_found_full_by_fdatasync_costs_the_file(void)
{
	struct profile_store_config config = fixture_config(work_path("late"));
	struct profile_store *store = fixture_open(&config, NULL);

	CHECK_EQ(store_one(store, 0), 0);
	sync_error = ENOSPC;
	CHECK_EQ(store_one(store, 1), -ENOSPC);
	heal();
	fixture_now_ns += STORE_FULL_RETRY_NS;
	CHECK_EQ(store_one(store, 1), 0);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_created), 2);
	check_numbers(store, 3);
	profile_store_close(store);
}

/* The worst case: what could not be synced can't be taken back either. Then the batch lies in two
 * files and still counts once. */
static void what_cannot_be_taken_back_counts_once(void)
{
	truncate_error = EIO;
	fail_once("stuck", &sync_error, EIO);
	heal();
}

static void what_is_not_durable_yet_is_not_visible(void)
{
	struct profile_store_config config = fixture_config(work_path("hidden"));
	struct profile_store *store = fixture_open(&config, NULL);

	CHECK_EQ(store_one(store, 0), 0);
	watched = store;
	seen_while_syncing = 77;
	CHECK_EQ(store_one(store, 1), 0);
	watched = NULL;
	CHECK_EQ(seen_while_syncing, 1);
	check_numbers(store, 3);
	profile_store_close(store);
}

static void a_file_whose_folder_cannot_be_synced_is_not_acknowledged(void)
{
	struct profile_store_config config = fixture_config(work_path("folder"));
	struct profile_store *store = fixture_open(&config, NULL);

	dir_sync_error = EIO;
	CHECK_EQ(store_one(store, 0), -EIO);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_sync_failures), 1);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_given_up), 1);
	check_accounts(store, 1);
	check_numbers(store, 0);
	heal();
	CHECK_EQ(store_one(store, 0), 0);
	check_numbers(store, 1);
	profile_store_close(store);
}

static void a_full_disk_refuses_and_recovers_by_itself(void)
{
	struct profile_store_config config = fixture_config(work_path("full"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct profile_store_stats stats;

	CHECK_EQ(store_one(store, 0), 0);
	profile_store_stats(store, &stats);
	write_error = ENOSPC;
	write_error_at_byte = (int)stats.bytes + 100; /* in the middle of a record */
	CHECK_EQ(store_one(store, 1), -ENOSPC);
	profile_store_stats(store, &stats);
	CHECK(stats.full);
	CHECK_EQ(stats.commit_error, -ENOSPC);
	CHECK_EQ(store_one(store, 2), -ENOSPC); /* at once: nothing is tried */
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_refused_full), 1);
	check_numbers(store, 1); /* queries live */

	fixture_now_ns += STORE_FULL_RETRY_NS;
	CHECK_EQ(store_one(store, 2), -ENOSPC); /* tried: still full */
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_refused_full), 1);
	heal();
	CHECK_EQ(store_one(store, 2), -ENOSPC);
	fixture_now_ns += STORE_FULL_RETRY_NS;
	CHECK_EQ(store_one(store, 2), 0);
	CHECK_EQ(store_one(store, 1), 0);
	profile_store_stats(store, &stats);
	CHECK(!stats.full);
	CHECK_EQ(stats.counters[PROFILE_STORE_files_created], 1);
	check_numbers(store, 7);
	check_accounts(store, 7);
	store = reopen(store, &config);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_found), 1);
	check_numbers(store, 7);
	profile_store_close(store);
}

static void a_disk_too_full_for_a_file_header_refuses_and_recovers(void)
{
	struct profile_store_config config = fixture_config(work_path("fuller"));
	struct profile_store *store = fixture_open(&config, NULL);

	write_error = ENOSPC;
	write_error_at_byte = 5;
	CHECK_EQ(store_one(store, 0), -ENOSPC);
	CHECK_EQ(work_try("test -z \"$(ls fuller/profiles)\""), 0);
	heal();
	fixture_now_ns += STORE_FULL_RETRY_NS;
	CHECK_EQ(store_one(store, 0), 0);
	check_numbers(store, 1);
	profile_store_close(store);
}

static void a_file_that_cannot_be_sealed_is_sealed_at_the_next_start(void)
{
	struct profile_store_config config = fixture_config(work_path("unsealed"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct profile_store_report report;

	CHECK_EQ(store_one(store, 0), 0);
	write_error = ENOSPC;
	profile_store_close(store);
	store = fixture_open(&config, &report); /* cannot be sealed now either */
	CHECK_EQ(report.torn_tail_count, 0);
	check_numbers(store, 1);
	profile_store_close(store);
	heal();
	store = reopen(fixture_open(&config, NULL), &config);
	check_numbers(store, 1);
	CHECK_EQ(work_try("tail -c 32 unsealed/profiles/0000000001.log | grep -q CAIRNEND"), 0);
	profile_store_close(store);
}

static void equal_keys_in_one_group_share_its_fate(void)
{
	struct profile_store_config config = fixture_config(work_path("twins"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	CHECK_EQ(store_one(store, 9), 0); /* so that the next ones linger and gather */
	sync_error = EIO;
	for (int i = 0; i < 3; i++)
		CHECK_EQ(fixture_append(store, "a", 1, 1, 20, &answers), 0);
	profile_store_flush(store);
	CHECK_EQ(answers.failed, 3);
	heal();
	for (int i = 0; i < 3; i++)
		CHECK_EQ(fixture_append(store, "a", 1, 1, 20, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 1);
	CHECK_EQ(answers.already, 2);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_records_failed), 3);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_duplicates), 2);
	check_accounts(store, 7);
	check_numbers(store, 1 << 9 | 1 << 1);
	profile_store_close(store);
}

/* Appends from two threads while a third visits. */
struct appender {
	struct profile_store *store;
	uint8_t instance;
	struct fixture_answers answers;
};

static void *append_many(void *context)
{
	struct appender *appender = context;

	for (uint64_t i = 0; i < 120; i++) {
		CHECK_EQ(fixture_append(appender->store, appender->instance == 1 ? "a" : "b",
				 appender->instance, i, 30, &appender->answers),
			0);
	}
	return NULL;
}

static void two_threads_append_while_a_third_visits(void)
{
	struct profile_store_config config = fixture_config(work_path("threads"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct appender appenders[2] = {
		{.store = store, .instance = 1}, {.store = store, .instance = 2}};
	uint64_t before = 0, commits;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, append_many, &appenders[i]), 0);
	while (before < 240) {
		struct fixture_seen seen = fixture_visit_all(store);

		CHECK(seen.profiles >= before);
		CHECK_EQ(seen.slots, seen.profiles * 30);
		before = seen.profiles;
		if (appenders[0].answers.stored + appenders[1].answers.stored < 240)
			profile_store_flush(store);
	}
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(appenders[0].answers.stored, 120);
	CHECK_EQ(appenders[1].answers.stored, 120);
	commits = fixture_counter(store, PROFILE_STORE_commits);
	CHECK(commits > 0 && commits < 240);
	profile_store_close(store);
}

/* While the disk hangs, what waits for it is bounded. */
static void a_disk_that_hangs_fills_the_queue_and_no_more(void)
{
	struct profile_store_config config = fixture_config(work_path("hangs"));
	struct fixture_answers answers = {0};
	struct profile_store_stats stats;
	struct profile_store *store;
	uint64_t number = 0;

	config.pending_bytes_max = 100000;
	store = fixture_open(&config, NULL);
	atomic_store(&hangs, true);
	while (fixture_append(store, "a", 1, number, 2000, &answers) == 0)
		number++;
	CHECK_EQ(fixture_append(store, "a", 1, number, 2000, &answers), -ENOBUFS);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_refused_queue), 2);
	profile_store_stats(store, &stats);
	CHECK_EQ(stats.pending_count, number);
	check_accounts(store, number + 2);
	atomic_store(&hangs, false);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, (int)number);
	check_accounts(store, number + 2);
	profile_store_close(store);
}

static void closing_answers_everything(void)
{
	struct profile_store_config config = fixture_config(work_path("closing"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	for (uint64_t i = 0; i < 50; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 20, &answers), 0);
	profile_store_close(store);
	CHECK_EQ(answers.stored, 50);
}

int main(void)
{
	RUN(short_writes_are_carried_on);
	RUN(a_failed_write_is_answered_and_its_file_left);
	RUN(a_failed_fdatasync_is_answered_and_its_file_left);
	RUN(a_disk_found_full_by_fdatasync_costs_the_file);
	RUN(what_cannot_be_taken_back_counts_once);
	RUN(what_is_not_durable_yet_is_not_visible);
	RUN(a_file_whose_folder_cannot_be_synced_is_not_acknowledged);
	RUN(a_full_disk_refuses_and_recovers_by_itself);
	RUN(a_disk_too_full_for_a_file_header_refuses_and_recovers);
	RUN(a_file_that_cannot_be_sealed_is_sealed_at_the_next_start);
	RUN(equal_keys_in_one_group_share_its_fate);
	RUN(two_threads_append_while_a_third_visits);
	RUN(a_disk_that_hangs_fills_the_queue_and_no_more);
	RUN(closing_answers_everything);
	return 0;
}
