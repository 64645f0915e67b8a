/* SPDX-License-Identifier: Apache-2.0 */
/* A power cut before each sync of a store, under the strictest disk that POSIX allows: of what is
 * left out of the syncs in store/disk, each turns one of these tests red. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/disk/profile_store.h"
#include "store/disk/symbol_cache.h"
#include "tests/power_cut/volatile_folder.h"
#include "tests/support/check.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define BATCH_COUNT 40
#define SAMPLE_COUNT 20
#define CUT_COUNT_MAX 200
/* A log file ends with its hour. */
#define HOUR_NS (UINT64_C(3600) * NS_PER_S)

/* Stands in front of libc's own: a disk without room. */
static _Atomic bool disk_full;

ssize_t pwrite(int fd, const void *bytes, size_t byte_count, off_t offset)
{
	if (disk_full) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, bytes, byte_count, offset);
}

/* Answers to each batch, and what of them there was when the power failed. */
static struct fixture_answers answers[BATCH_COUNT];
static uint64_t acknowledged_at[CUT_COUNT_MAX];
static uint32_t cut_count;

static uint64_t acknowledged(void)
{
	uint64_t numbers = 0;

	for (int i = 0; i < BATCH_COUNT; i++) {
		if (answers[i].stored || answers[i].already)
			numbers |= UINT64_C(1) << i;
	}
	return numbers;
}

/* Two cuts: one that leaves only what is durable, and one that leaves some of the rest as well. */
static void cut_now(void *context)
{
	(void)context;
	CHECK(cut_count < CUT_COUNT_MAX);
	acknowledged_at[cut_count] = acknowledged();
	volatile_cut(work_path("cut-%u", cut_count), 0);
	volatile_cut(work_path("cut-%u-more", cut_count), cut_count + 1);
	cut_count++;
}

/* The folder `disk` is empty and durable. */
static void new_disk(void)
{
	work_run("rm -rf disk cut-* && mkdir disk");
	memset(answers, 0, sizeof(answers));
	cut_count = 0;
	volatile_watch(work_path("disk"), cut_now, NULL);
}

static void append(struct profile_store *store, int number)
{
	CHECK_EQ(
		fixture_append(store, "a", 1, (uint64_t)number, SAMPLE_COUNT, &answers[number]), 0);
}

static void check_all_there(struct profile_store *store, uint64_t numbers)
{
	struct fixture_seen seen = fixture_visit_all(store);

	CHECK_EQ(numbers & ~seen.numbers[0], 0);
	CHECK_EQ(seen.twice, 0);
	CHECK_EQ(seen.slots, seen.profiles * SAMPLE_COUNT);
}

/* Opens what a cut left, twice: all that was acknowledged is there and is known when it comes
 * again. */
static void check_cut(const char *folder, uint64_t numbers)
{
	struct profile_store_config config = fixture_config(folder);

	for (int round = 0; round < 2; round++) {
		struct profile_store *store = fixture_open(&config, NULL);

		check_all_there(store, numbers);
		for (int i = 0; i < BATCH_COUNT; i++) {
			struct fixture_answers again = {0};

			if (!(numbers >> i & 1))
				continue;
			CHECK_EQ(fixture_append(store, "a", 1, (uint64_t)i, SAMPLE_COUNT, &again),
				0);
			CHECK_EQ(profile_store_flush(store), 0);
			CHECK_EQ(again.already, 1);
		}
		check_all_there(store, numbers);
		profile_store_close(store);
	}
}

static void check_all_cuts(void)
{
	volatile_done();
	for (uint32_t i = 0; i < cut_count; i++) {
		check_cut(work_path("cut-%u/data", i), acknowledged_at[i]);
		check_cut(work_path("cut-%u-more/data", i), acknowledged_at[i]);
	}
}

static void nothing_acknowledged_is_lost_wherever_the_power_fails(void)
{
	struct profile_store_config config = fixture_config(work_path("disk/data"));
	struct profile_store *store;
	int unsealed;

	new_disk();
	store = fixture_open(&config, NULL);
	for (int i = 0; i < BATCH_COUNT; i++) {
		append(store, i);
		if (i % 3 == 0)
			CHECK_EQ(profile_store_flush(store), 0);
		if (i % 15 == 14)
			fixture_now_ns += HOUR_NS;
	}
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK(fixture_counter(store, PROFILE_STORE_files_created) >= 3);
	cut_now(NULL);
	CHECK_EQ(acknowledged_at[cut_count - 1], (UINT64_C(1) << BATCH_COUNT) - 1);
	profile_store_close(store);
	cut_now(NULL);
	/* What was sealed stays sealed: the next start reads no file from its start. */
	unsealed = work_try("for log in cut-%u/data/profiles/*.log; do "
			    "tail -c 32 $log | grep -q CAIRNEND || exit 1; done",
		cut_count - 1);
	check_all_cuts();
	CHECK(cut_count > 15);
	CHECK_EQ(unsealed, 0);
}

/* Makes the folder `left` as a process leaves it that was killed: some batches, and TAIL behind
 * them. Nothing of it need be durable. */
static void leave_store(int batch_count, const char *tail)
{
	struct profile_store_config config = fixture_config(work_path("left"));
	pid_t child;
	int status;

	work_run("rm -rf left");
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		struct profile_store *store = fixture_open(&config, NULL);
		struct fixture_answers all = {0};

		for (int i = 0; i < batch_count; i++)
			CHECK_EQ(fixture_append(store, "a", 1, (uint64_t)i, SAMPLE_COUNT, &all), 0);
		CHECK_EQ(profile_store_flush(store), 0);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	work_run("printf '%s' >> left/profiles/0000000001.log", tail);
}

/* Puts a copy of `left` onto the disk. Only the format file is durable: it was before it got its
 * name. */
static void put_left(void)
{
	int fd;

	work_run("cp -r left disk/data");
	fd = open(work_path("disk/data/format"), O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_EQ(fsync(fd), 0);
	close(fd);
	work_run("rm -rf cut-*");
	cut_count = 0;
}

/* What a killed server left was perhaps never synced, but the next one knows it and says so. FULL:
 * there is no room to seal it. */
static void check_left(const char *tail, bool full)
{
	struct profile_store_config config = fixture_config(work_path("disk/data"));
	struct profile_store_report report;
	struct profile_store *store;

	leave_store(5, tail);
	new_disk();
	put_left();
	disk_full = full;
	store = fixture_open(&config, &report);
	disk_full = false;
	CHECK_EQ(report.torn_tail_count, *tail ? 1 : 0);
	for (int i = 0; i < 5; i++)
		append(store, i);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(acknowledged(), 31);
	cut_now(NULL);
	append(store, 5);
	CHECK_EQ(profile_store_flush(store), 0);
	cut_now(NULL);
	profile_store_close(store);
	check_all_cuts();
}

static void intact_remains_are_durable_before_they_are_known(void)
{
	check_left("", false);
	check_left("", true);
}

static void torn_remains_are_set_aside_durably(void)
{
	struct profile_store_config config = fixture_config(work_path("cut-0/data"));
	struct profile_store_report report;

	check_left("half a record", false);
	check_left("half a record", true);
	leave_store(5, "half a record");
	new_disk();
	put_left();
	config.dir = work_path("disk/data");
	profile_store_close(fixture_open(&config, &report));
	work_run("rm -rf cut-*");
	cut_count = 0;
	cut_now(NULL);
	volatile_done();
	CHECK_EQ(work_try("test \"$(cat cut-0/data/profiles/0000000001.torn)\" = 'half a record'"),
		0);
	config.dir = work_path("cut-0/data");
	profile_store_close(fixture_open(&config, &report));
	CHECK_EQ(report.torn_tail_count, 0);
	CHECK_EQ(report.record_count, 5);
}

static void a_new_format_file_is_durable(void)
{
	struct profile_store_config config = fixture_config(work_path("disk/data"));

	leave_store(1, "");
	new_disk();
	work_run("rm left/format && cp -r left disk/data");
	profile_store_close(fixture_open(&config, NULL));
	cut_now(NULL);
	volatile_done();
	CHECK_EQ(work_try("cmp -s disk/data/format cut-%u/data/format", cut_count - 1), 0);
}

static void what_retention_deleted_does_not_come_back(void)
{
	struct profile_store_config config = fixture_config(work_path("disk/data"));
	struct profile_store *store;

	new_disk();
	config.retain_ns = FIXTURE_DAY_NS * 2;
	store = fixture_open(&config, NULL);
	append(store, 0);
	CHECK_EQ(profile_store_flush(store), 0);
	fixture_now_ns += 4 * FIXTURE_DAY_NS;
	profile_store_retain(store);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_expired), 1);
	cut_now(NULL);
	CHECK_EQ(work_try("test -z \"$(ls cut-%u/data/profiles)\"", cut_count - 1), 0);
	profile_store_close(store);
	volatile_done();
	fixture_now_ns -= 4 * FIXTURE_DAY_NS;
}

static struct symbol_cache *open_cache(void)
{
	struct symbol_cache_options options = {
		.folder = work_path("disk/cache"), .bytes_max = 1 << 20, .clock = clock_system()};
	struct symbol_cache *cache;

	CHECK_EQ(symbol_cache_new(&options, &cache), 0);
	return cache;
}

/* The mark lets the next start trust the map unseen: it must be gone before the map changes, and
 * not come back. */
static void the_mark_of_a_symbol_cache_says_what_is_so(void)
{
	struct symbol_cache *cache;

	work_run("rm -rf disk cut-* && mkdir -p disk/cache");
	symbol_cache_free(open_cache());
	CHECK(symbol_cache_closed_in_order(work_path("disk/cache")));
	cut_count = 0;
	volatile_watch(work_path("disk"), NULL, NULL);
	cache = open_cache();
	volatile_cut(work_path("cut-open"), 0);
	CHECK(!symbol_cache_closed_in_order(work_path("cut-open/cache")));
	symbol_cache_free(cache);
	volatile_cut(work_path("cut-closed"), 0);
	CHECK(symbol_cache_closed_in_order(work_path("cut-closed/cache")));
	volatile_done();
}

int main(void)
{
	RUN(nothing_acknowledged_is_lost_wherever_the_power_fails);
	RUN(intact_remains_are_durable_before_they_are_known);
	RUN(torn_remains_are_set_aside_durably);
	RUN(a_new_format_file_is_durable);
	RUN(what_retention_deleted_does_not_come_back);
	RUN(the_mark_of_a_symbol_cache_says_what_is_so);
	return 0;
}
