/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/profile_store.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

static void what_is_appended_is_there_after_reopening(void)
{
	struct profile_store_config config = fixture_config(work_path("reopen"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	struct fixture_seen seen;

	for (uint64_t i = 0; i < 30; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 60, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 30);
	for (int round = 0; round < 3; round++) {
		seen = fixture_visit_all(store);
		CHECK_EQ(seen.profiles, 30);
		CHECK_EQ(seen.samples, 30 * 60);
		CHECK_EQ(seen.slots, 30 * 60);
		profile_store_close(store);
		store = fixture_open(&config, NULL);
	}
	profile_store_close(store);
}

static int compare(void *context, const struct profile *stored)
{
	char *after = fake_profile_text(stored);

	CHECK_STR(after, context);
	CHECK(stored->head.received_at_ns == fixture_now_ns);
	free(after);
	return 7;
}

static void a_profile_comes_back_as_it_went_in(void)
{
	struct profile_store_config config = fixture_config(work_path("same"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	struct fake_host host = fake_small_host("a");
	struct batch_key key = fixture_key(1, 0);
	struct profile *profile = fake_profile(&host, FIXTURE_START_NS, FIXTURE_WINDOW_NS, 9);
	char *before = fake_profile_text(profile);

	CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
	profile_free(profile);
	profile_store_close(store);
	CHECK_EQ(answers.stored, 1);

	store = fixture_open(&config, NULL);
	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, compare, before), 7);
	profile_store_close(store);
	free(before);
}

static void a_batch_counts_once_in_any_order_and_across_a_restart(void)
{
	static const uint64_t order[] = {3, 1, 2, 0, 2, 3, 3};
	struct profile_store_config config = fixture_config(work_path("twice"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		CHECK_EQ(fixture_append(store, "a", 1, order[i], 10, &answers), 0);
	CHECK_EQ(fixture_append(store, "a", 2, 3, 10, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 5);
	CHECK_EQ(answers.already, 3);
	profile_store_close(store);

	store = fixture_open(&config, NULL);
	for (uint64_t i = 0; i < 5; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 10, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.already, 7);
	CHECK_EQ(answers.stored, 6);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_duplicates), 4);
	CHECK_EQ(fixture_visit_all(store).profiles, 6);
	profile_store_close(store);
}

static void a_store_without_data_answers_empty(void)
{
	struct profile_store_config config = fixture_config(work_path("empty"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct profile_store_stats stats;

	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(fixture_visit_all(store).profiles, 0);
	profile_store_stats(store, &stats);
	CHECK_EQ(stats.oldest_ns, 0);
	CHECK_EQ(stats.file_count, 0);
	profile_store_close(store);
	profile_store_close(NULL);
	CHECK_EQ(work_try("test -z \"$(ls empty/profiles)\""), 0);
}

static void stats_tell_what_is_there(void)
{
	struct profile_store_config config = fixture_config(work_path("stats"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	struct profile_store_stats stats;

	for (uint64_t i = 2; i < 5; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 60, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	profile_store_stats(store, &stats);
	CHECK_EQ(stats.record_count, 3);
	CHECK(stats.disk_bytes > stats.disk_free_bytes);
	CHECK(stats.disk_free_bytes > 1);
	CHECK_EQ(stats.file_count, 1);
	CHECK_EQ(stats.pending_count, 0);
	CHECK_EQ(stats.pending_bytes, 0);
	CHECK(stats.bytes > stats.counters[PROFILE_STORE_bytes_appended]);
	CHECK(stats.oldest_ns == FIXTURE_START_NS + 2 * FIXTURE_WINDOW_NS);
	CHECK(stats.newest_ns == FIXTURE_START_NS + 5 * FIXTURE_WINDOW_NS);
	CHECK_EQ(stats.counters[PROFILE_STORE_records_appended], 3);
	profile_store_close(store);
}

static int try_open(struct profile_store_config config, struct profile_store_report *report)
{
	struct profile_store *store = NULL;
	int r = profile_store_open(&config, report, &store);

	profile_store_close(store);
	if (r < 0)
		CHECK(report->problem[0]);
	return r;
}

static void a_range_has_a_number_for_as_long_as_nothing_comes_into_it(void)
{
	struct profile_store_config config = fixture_config(work_path("serial"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	/* Thirty windows are five minutes. */
	uint64_t until_ns = FIXTURE_START_NS + 30 * FIXTURE_WINDOW_NS;
	uint64_t before = profile_store_serial(store, FIXTURE_START_NS, until_ns);

	CHECK(before > 0);
	CHECK_EQ(profile_store_serial(store, FIXTURE_START_NS, until_ns), before);
	CHECK_EQ(fixture_append(store, "a", 1, 40, 5, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(profile_store_serial(store, FIXTURE_START_NS, until_ns), before);
	CHECK_EQ(fixture_append(store, "a", 1, 3, 5, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK(profile_store_serial(store, FIXTURE_START_NS, until_ns) > before);
	/* What retention is about to take away has none. */
	CHECK_EQ(profile_store_serial(store, 1, until_ns), 0);
	profile_store_close(store);
}

static void a_second_server_on_one_folder_is_refused(void)
{
	struct profile_store_config config = fixture_config(work_path("locked"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct profile_store_report report;
	char pid[32];

	CHECK_EQ(try_open(config, &report), -EBUSY);
	snprintf(pid, sizeof(pid), "process %d", (int)getpid());
	CHECK(strstr(report.problem, pid));
	profile_store_close(store);
	CHECK_EQ(try_open(config, &report), 0);
}

static void a_folder_that_cannot_be_used_is_refused_with_a_reason(void)
{
	struct profile_store_config config = fixture_config(work_path("refused"));
	struct profile_store_report report;

	work_write_text("refused", "a file");
	CHECK_EQ(try_open(config, &report), -ENOTDIR);
	config.dir = "/proc/self/cairn";
	CHECK(try_open(config, &report) < 0);
	config.dir = work_path("missing/parent");
	CHECK_EQ(try_open(config, &report), -ENOENT);
	config.dir = work_path("later");
	CHECK_EQ(try_open(config, &report), 0);
	work_write_text("later/format", "cairn data folder, format 3\n");
	CHECK_EQ(try_open(config, &report), -ENOTSUP);
	CHECK(strstr(report.problem, "format"));
}

static void reading_only_changes_nothing_and_needs_no_lock(void)
{
	struct profile_store_config config = fixture_config(work_path("looked"));
	struct profile_store *store = fixture_open(&config, NULL), *looker;
	struct profile_store_config look = config;
	struct fixture_answers answers = {0};

	look.read_only = true;
	for (uint64_t i = 0; i < 5; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 10, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	looker = fixture_open(&look, NULL);
	CHECK_EQ(fixture_append(store, "a", 1, 5, 10, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(fixture_append(looker, "a", 1, 6, 10, &answers), -EROFS);
	CHECK_EQ(profile_store_flush(looker), 0);
	profile_store_retain(looker);
	CHECK_EQ(fixture_visit_all(looker).profiles, 5);
	profile_store_close(looker);
	CHECK_EQ(fixture_visit_all(store).profiles, 6);
	profile_store_close(store);
	look.dir = work_path("nowhere");
	CHECK_EQ(try_open(look, &(struct profile_store_report){0}), -ENOENT);
}

/* The child writes each acknowledged number into the pipe: what is in there when it dies was
 * acknowledged. */
static int pipe_write_end;

static void tell(void *context, int result)
{
	uint8_t number = (uint8_t)(uintptr_t)context;

	if ((result == 0 || result == -EALREADY) && write(pipe_write_end, &number, 1) != 1)
		_exit(3);
}

static void write_until_killed(const char *dir, uint64_t first)
{
	struct profile_store_config config = fixture_config(dir);
	struct profile_store *store = fixture_open(&config, NULL);
	struct fake_host host = fake_small_host("a");

	for (uint64_t i = first; i < 256; i++) {
		struct profile *profile = fake_profile(
			&host, FIXTURE_START_NS + i * FIXTURE_WINDOW_NS, FIXTURE_WINDOW_NS, i);
		struct batch_key key = fixture_key(1, i);

		CHECK_EQ(profile_store_append(store, &key, profile, tell, (void *)(uintptr_t)i), 0);
		profile_free(profile);
		if (i % 3 == 0)
			profile_store_flush(store);
	}
	for (;;)
		pause();
}

static void note_acknowledged(int fd, uint64_t *acknowledged, uint64_t count)
{
	uint8_t number;

	for (; count > 0 && read(fd, &number, 1) == 1; count--)
		acknowledged[number / 64] |= UINT64_C(1) << number % 64;
}

/* Runs a writer and kills it DELAY_NS after it has acknowledged COUNT batches; adds the bits of the
 * numbers that it acknowledged in all. */
static void run_and_kill(
	const char *dir, uint64_t first, uint64_t count, uint64_t delay_ns, uint64_t *acknowledged)
{
	struct timespec delay = {0, (long)delay_ns};
	int ends[2];
	pid_t child;

	CHECK_EQ(pipe(ends), 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		close(ends[0]);
		pipe_write_end = ends[1];
		write_until_killed(dir, first);
	}
	close(ends[1]);
	note_acknowledged(ends[0], acknowledged, count);
	nanosleep(&delay, NULL);
	CHECK_EQ(kill(child, SIGKILL), 0);
	CHECK_EQ(waitpid(child, NULL, 0), child);
	note_acknowledged(ends[0], acknowledged, UINT64_MAX);
	close(ends[0]);
}

/* Each run resends the last few batches of the run before, as a collector without their
 * acknowledgement does. */
static void what_was_acknowledged_before_a_kill_is_there_once(void)
{
	struct profile_store_config config = fixture_config(work_path("killed"));
	uint64_t acknowledged[4] = {0}, random = 42, first = 0;

	for (int round = 0; round < 50; round++) {
		struct profile_store *store;
		struct fixture_seen seen;

		run_and_kill(config.dir, first, fake_random(&random) % 6,
			fake_random(&random) % (6 * NS_PER_MS), acknowledged);
		store = fixture_open(&config, NULL);
		seen = fixture_visit_all(store);
		CHECK_EQ(seen.twice, 0);
		CHECK_EQ(seen.slots, seen.profiles * 60);
		for (int i = 0; i < 4; i++)
			CHECK_EQ(acknowledged[i] & ~seen.numbers[i], 0);
		first = seen.profiles > 250 ? 0 : seen.profiles - seen.profiles % 3;
		profile_store_close(store);
	}
	CHECK(__builtin_popcountll(acknowledged[0]) > 10);
}

int main(void)
{
	RUN(what_is_appended_is_there_after_reopening);
	RUN(a_profile_comes_back_as_it_went_in);
	RUN(a_batch_counts_once_in_any_order_and_across_a_restart);
	RUN(a_store_without_data_answers_empty);
	RUN(stats_tell_what_is_there);
	RUN(a_range_has_a_number_for_as_long_as_nothing_comes_into_it);
	RUN(a_second_server_on_one_folder_is_refused);
	RUN(a_folder_that_cannot_be_used_is_refused_with_a_reason);
	RUN(reading_only_changes_nothing_and_needs_no_lock);
	RUN(what_was_acknowledged_before_a_kill_is_there_once);
	return 0;
}
