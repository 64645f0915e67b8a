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
/* Of these, in the test of compaction. */
#define PACKED_COUNT 24
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
static uint64_t starts[BATCH_COUNT];
static uint64_t expired; /* of these: may be gone */
static uint64_t acknowledged_at[CUT_COUNT_MAX];
static uint32_t cut_count;
static uint32_t cuts_at_once = 1; /* each leaves another part of what is not durable */

static uint64_t acknowledged(void)
{
	uint64_t numbers = 0;

	for (int i = 0; i < BATCH_COUNT; i++) {
		if (answers[i].stored || answers[i].already)
			numbers |= UINT64_C(1) << i;
	}
	return numbers;
}

/* Two cuts: one that leaves only what is durable, and one that leaves some of the rest as well. And
 * what a process leaves that is killed here. */
static void cut_once(void)
{
	CHECK(cut_count < CUT_COUNT_MAX);
	acknowledged_at[cut_count] = acknowledged();
	volatile_cut(work_path("cut-%u", cut_count), 0);
	volatile_cut(work_path("cut-%u-more", cut_count), cut_count + 1);
	work_run("cp -r disk cut-%u-kill", cut_count);
	cut_count++;
}

static void cut_now(void *context)
{
	(void)context;
	for (uint32_t i = 0; i < cuts_at_once; i++)
		cut_once();
}

/* The folder `disk` is empty and durable. */
static void new_disk(void)
{
	work_run("rm -rf disk cut-* && mkdir disk");
	memset(answers, 0, sizeof(answers));
	memset(starts, 0, sizeof(starts));
	expired = 0;
	cut_count = 0;
	volatile_watch(work_path("disk"), cut_now, NULL);
}

static int append_to(struct profile_store *store, int number, struct fixture_answers *answer)
{
	return fixture_append_at(
		store, "a", fixture_key(1, (uint64_t)number), starts[number], SAMPLE_COUNT, answer);
}

/* Batch NUMBER, of a window at a time of its own. */
static void append(struct profile_store *store, int number)
{
	starts[number] = FIXTURE_START_NS + (uint64_t)number * FIXTURE_WINDOW_NS;
	CHECK_EQ(append_to(store, number, &answers[number]), 0);
}

/* The same of a window that ended just now. */
static void append_now(struct profile_store *store, int number)
{
	starts[number] = fixture_now_ns / PROFILE_SLOT_NS * PROFILE_SLOT_NS - FIXTURE_WINDOW_NS;
	CHECK_EQ(append_to(store, number, &answers[number]), 0);
}

/* Samples of each batch: a window may come in several pieces. */
static int count_samples(void *context, const struct profile *profile)
{
	uint64_t *samples = context, start_ns = profile_window_epoch_ns(profile);

	for (int i = 0; i < BATCH_COUNT; i++) {
		if (starts[i] == start_ns)
			samples[i] += profile_sample_count(profile);
	}
	return 0;
}

/* Every one of NUMBERS is there, and whatever is there is there once. */
static void check_all_there(struct profile_store *store, uint64_t numbers)
{
	uint64_t samples[BATCH_COUNT] = {0};

	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, count_samples, samples), 0);
	for (int i = 0; i < BATCH_COUNT; i++) {
		CHECK(samples[i] == SAMPLE_COUNT || samples[i] == 0);
		CHECK(samples[i] == SAMPLE_COUNT || !(numbers >> i & 1));
	}
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_sections_unreadable), 0);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_blocks_unreadable), 0);
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

			/* All of them take as long as the rest of the test. */
			if (!(numbers >> i & 1) || i % 3 != round)
				continue;
			CHECK_EQ(append_to(store, i, &again), 0);
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
		check_cut(work_path("cut-%u/data", i), acknowledged_at[i] & ~expired);
		check_cut(work_path("cut-%u-more/data", i), acknowledged_at[i] & ~expired);
		check_cut(work_path("cut-%u-kill/data", i), acknowledged_at[i] & ~expired);
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

/* Days go by: logs become segments of minutes, hours and days, slots go, the first day expires. */
static void nothing_is_lost_or_doubled_while_files_are_put_together(void)
{
	struct profile_store_config config = fixture_config(work_path("disk/data"));
	uint64_t now_ns = fixture_now_ns;
	struct profile_store *store;

	new_disk();
	config.retain_ns = FIXTURE_DAY_NS * 10;
	store = fixture_open(&config, NULL);
	for (int i = 0; i < PACKED_COUNT; i++) {
		append_now(store, i);
		CHECK_EQ(profile_store_flush(store), 0);
		fixture_now_ns += i % 6 == 5 ? 3 * FIXTURE_DAY_NS : HOUR_NS / 5;
		if (i % 3 == 2)
			profile_store_compact(store);
	}
	expired = (1 << 6) - 1;
	profile_store_compact(store);
	CHECK(fixture_counter(store, PROFILE_STORE_segments_written) > 10);
	CHECK(fixture_counter(store, PROFILE_STORE_files_replaced) > 20);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_expired), 1);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_compactions_failed), 0);
	cut_now(NULL);
	CHECK_EQ(acknowledged_at[cut_count - 1], (UINT64_C(1) << PACKED_COUNT) - 1);
	profile_store_close(store);
	CHECK_EQ(work_try("! ls cut-%u/data/profiles | grep -q log", cut_count - 1), 0);
	check_all_cuts();
	CHECK(cut_count > 70);
	fixture_now_ns = now_ns;
}

/* A process was killed when it had renamed a segment and not yet synced the folder: what the
 * segment replaces may go only once its name stays. */
static void logs_go_only_when_their_segment_stays(void)
{
	struct profile_store_config config = fixture_config(work_path("disk/data"));
	uint64_t now_ns = fixture_now_ns;
	struct profile_store *store;
	int fd;

	new_disk();
	store = fixture_open(&config, NULL);
	for (int i = 0; i < 5; i++)
		append(store, i);
	CHECK_EQ(profile_store_flush(store), 0);
	profile_store_close(store);
	work_run("rm -rf copy && cp -r disk copy");
	config.dir = work_path("copy/data");
	store = fixture_open(&config, NULL);
	fixture_now_ns += HOUR_NS;
	profile_store_compact(store);
	profile_store_close(store);
	work_run("cp copy/data/profiles/0000000002.seg disk/data/profiles/");
	fd = open(work_path("disk/data/profiles/0000000002.seg"), O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_EQ(fsync(fd), 0);
	close(fd);
	work_run("rm -rf cut-*");
	cut_count = 0;
	cuts_at_once = 8;
	config.dir = work_path("disk/data");
	profile_store_close(fixture_open(&config, NULL));
	CHECK_EQ(work_try("test \"$(ls disk/data/profiles)\" = 0000000002.seg"), 0);
	CHECK(cut_count >= 8);
	cuts_at_once = 1;
	check_all_cuts();
	fixture_now_ns = now_ns;
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
	RUN(nothing_is_lost_or_doubled_while_files_are_put_together);
	RUN(logs_go_only_when_their_segment_stays);
	RUN(the_mark_of_a_symbol_cache_says_what_is_so);
	return 0;
}
