/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_load.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/disk/log_reader.h"
#include "tests/support/check.h"
#include "tests/support/lived_store.h"
#include "tests/support/store_digest.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define LOG "profiles/0000000001.log"
#define RECORD_COUNT 3
#define ALL_NUMBERS ((1u << RECORD_COUNT) - 1)

/* These tests open thousands of stores, and what they ask does not depend on the disk: nothing is
 * waited for. */
int fsync(int fd)
{
	(void)fd;
	return 0;
}

static int sync_error;

int fdatasync(int fd)
{
	(void)fd;
	errno = sync_error;
	return sync_error ? -1 : 0;
}

/* A folder with RECORD_COUNT records of few bytes, left by a process that ended at once, or sealed
 * by one that closed the store. */
static void make_folder(const char *name, bool sealed)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0) {
		struct profile_store *store = fixture_open(&config, NULL);
		struct fixture_answers answers = {0};

		for (uint64_t i = 0; i < RECORD_COUNT; i++)
			CHECK_EQ(fixture_append(store, "a", 1, i, 2, &answers), 0);
		CHECK_EQ(profile_store_flush(store), 0);
		if (sealed)
			profile_store_close(store);
		_exit(answers.stored == RECORD_COUNT ? 0 : 1);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

/* Where each record starts, and behind them all where the last one ends. */
static uint64_t offsets[RECORD_COUNT + 1];

static int note_offset(void *context, const struct log_found *found)
{
	int *count = context;

	offsets[(*count)++] = found->offset;
	offsets[*count] = found->offset + log_record_bytes(found->record);
	return 0;
}

static void find_offsets(const char *name)
{
	char path[64];
	struct log_scan scan;
	int count = 0, fd;

	snprintf(path, sizeof(path), "%s/" LOG, name);
	fd = work_open(path);
	CHECK_EQ(log_reader_scan(fd, note_offset, &count, &scan), 0);
	CHECK_EQ(count, RECORD_COUNT);
	close(fd);
}

static void remove_log(unsigned number)
{
	const char *path = work_path("copy/profiles/%010u.log", number);

	CHECK(unlink(path) == 0 || errno == ENOENT);
}

/* Puts BYTES in place of the log file of the folder `copy` and opens it. */
static struct profile_store *open_with(
	const uint8_t *bytes, size_t byte_count, struct profile_store_report *ret_report)
{
	struct profile_store_config config = fixture_config(work_path("copy"));

	for (unsigned number = 1; number <= 3; number++)
		remove_log(number);
	work_write("copy/" LOG, bytes, byte_count);
	return fixture_open(&config, ret_report);
}

static uint64_t numbers_in(struct profile_store *store)
{
	struct fixture_seen seen = fixture_visit_all(store);

	CHECK_EQ(seen.twice, 0);
	CHECK_EQ(seen.slots, seen.profiles * 2);
	return seen.numbers[0];
}

/* What is missing is taken again, what is there is known, and all of it is there at the next
 * start. */
static void check_mended(struct profile_store *store, uint64_t numbers)
{
	struct profile_store_config config = fixture_config(work_path("copy"));
	struct fixture_answers answers = {0};

	for (uint64_t i = 0; i < RECORD_COUNT; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 2, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.already, __builtin_popcountll(numbers));
	CHECK_EQ(answers.stored, RECORD_COUNT - __builtin_popcountll(numbers));
	profile_store_close(store);
	store = fixture_open(&config, NULL);
	CHECK_EQ(numbers_in(store), ALL_NUMBERS);
	profile_store_close(store);
}

static void a_file_cut_anywhere_keeps_the_records_before_the_cut(void)
{
	struct profile_store_report report;
	size_t byte_count;
	uint8_t *bytes;

	make_folder("cut", false);
	work_run("cp -r cut copy");
	find_offsets("cut");
	bytes = work_read("cut/" LOG, &byte_count);
	CHECK_EQ(byte_count, offsets[RECORD_COUNT]);
	for (size_t length = offsets[RECORD_COUNT - 1]; length <= byte_count; length++) {
		bool whole = length == byte_count,
		     torn = !whole && length > offsets[RECORD_COUNT - 1];
		uint64_t numbers = whole ? ALL_NUMBERS : ALL_NUMBERS >> 1;
		struct profile_store *store = open_with(bytes, length, &report);

		CHECK_EQ(report.torn_tail_count, torn);
		CHECK_EQ(report.torn_tail_bytes, torn ? length - offsets[RECORD_COUNT - 1] : 0);
		CHECK_EQ(report.damaged_count, 0);
		CHECK_EQ(numbers_in(store), numbers);
		check_mended(store, numbers);
	}
	/* The first record and the file's own header as well. */
	for (size_t length = 0; length < offsets[1]; length += 7) {
		struct profile_store *store = open_with(bytes, length, &report);

		CHECK_EQ(numbers_in(store), 0);
		check_mended(store, 0);
	}
	free(bytes);
	work_run("rm -r copy");
}

static void a_torn_end_is_set_aside(void)
{
	struct profile_store_report report;
	struct profile_store *store;
	size_t byte_count, torn_bytes;
	uint8_t *bytes, *torn;

	work_run("cp -r cut copy");
	bytes = work_read("cut/" LOG, &byte_count);
	store = open_with(bytes, byte_count - 20, &report);
	torn = work_read("copy/profiles/0000000001.torn", &torn_bytes);
	CHECK_EQ(torn_bytes, byte_count - 20 - offsets[RECORD_COUNT - 1]);
	CHECK(memcmp(torn, bytes + offsets[RECORD_COUNT - 1], torn_bytes) == 0);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_torn_tails), 1);
	profile_store_close(store);
	free(torn);
	free(bytes);
	work_run("rm -r copy");
}

static void a_power_cut_that_leaves_zeros_is_a_torn_end(void)
{
	struct profile_store_report report;
	struct profile_store *store;
	size_t byte_count;
	uint8_t *bytes;

	work_run("cp -r cut copy");
	bytes = work_read("cut/" LOG, &byte_count);
	memset(bytes + offsets[1], 0, byte_count - offsets[1]);
	store = open_with(bytes, byte_count, &report);
	CHECK_EQ(report.torn_tail_count, 1);
	CHECK_EQ(report.damaged_count, 0);
	CHECK_EQ(numbers_in(store), 1);
	check_mended(store, 1);
	free(bytes);
	work_run("rm -r copy");
}

static int record_at(size_t at)
{
	for (int i = 0; i < RECORD_COUNT; i++) {
		if (at >= offsets[i] && at < offsets[i + 1])
			return i;
	}
	return -1;
}

/* A flipped byte costs the record that it lies in, padding apart, and no other. */
static void a_flipped_byte_costs_one_record(void)
{
	struct profile_store_report report;
	size_t byte_count;
	uint8_t *bytes;

	work_run("cp -r cut copy");
	bytes = work_read("cut/" LOG, &byte_count);
	for (size_t at = 0; at < byte_count; at += 3) {
		uint64_t lost = record_at(at) < 0 ? 0 : UINT64_C(1) << record_at(at), numbers;
		struct profile_store *store;

		bytes[at] ^= 0x40;
		store = open_with(bytes, byte_count, &report);
		numbers = numbers_in(store);
		bytes[at] ^= 0x40;
		CHECK_EQ(numbers | lost, ALL_NUMBERS);
		CHECK_EQ(report.damaged_count + report.torn_tail_count, numbers != ALL_NUMBERS);
		CHECK_EQ(fixture_counter(store, PROFILE_STORE_damaged_stretches) +
				fixture_counter(store, PROFILE_STORE_torn_tails),
			numbers != ALL_NUMBERS);
		check_mended(store, numbers);
	}
	free(bytes);
	work_run("rm -r copy");
}

/* In a sealed file the index says what is there; damage shows when a record is read, and costs
 * that record. Damage to the index costs nothing: the file is read from its start. */
static void a_flipped_byte_in_a_sealed_file_costs_one_record(void)
{
	struct profile_store_report report;
	size_t byte_count;
	uint8_t *bytes;

	make_folder("sealed", true);
	work_run("cp -r sealed copy");
	find_offsets("sealed");
	bytes = work_read("sealed/" LOG, &byte_count);
	CHECK(byte_count > offsets[RECORD_COUNT]);
	for (size_t at = 0; at < byte_count; at += 3) {
		uint64_t lost = record_at(at) < 0 ? 0 : UINT64_C(1) << record_at(at), numbers;
		struct profile_store *store;

		bytes[at] ^= 0x40;
		store = open_with(bytes, byte_count, &report);
		numbers = numbers_in(store);
		bytes[at] ^= 0x40;
		CHECK_EQ(numbers | lost, ALL_NUMBERS);
		CHECK_EQ(report.record_count, RECORD_COUNT);
		CHECK_EQ(fixture_counter(store, PROFILE_STORE_blocks_unreadable),
			numbers != ALL_NUMBERS);
		profile_store_close(store);
	}
	free(bytes);
	work_run("rm -r copy");
}

static void a_sealed_file_cut_anywhere_keeps_what_is_left(void)
{
	struct profile_store_report report;
	size_t byte_count;
	uint8_t *bytes;

	work_run("cp -r sealed copy");
	bytes = work_read("sealed/" LOG, &byte_count);
	for (size_t length = offsets[RECORD_COUNT]; length < byte_count; length++) {
		struct profile_store *store = open_with(bytes, length, &report);

		CHECK_EQ(numbers_in(store), ALL_NUMBERS);
		check_mended(store, ALL_NUMBERS);
	}
	free(bytes);
	work_run("rm -r copy");
}

static void foreign_files_in_the_folder_do_no_harm(void)
{
	struct profile_store_config config = fixture_config(work_path("copy"));
	struct profile_store_report report;
	struct profile_store *store;

	work_run("cp -r cut copy");
	work_run("cd copy/profiles && echo hello >0000000002.log && : >0000000003.log && "
		 "head -c 100000 /dev/urandom >0000000004.log && echo x >1.log && echo x >notes && "
		 "ln -s /etc/passwd 0000000005.log && mkdir 0000000006.log && "
		 "echo x >99999999999999999999999.log && echo x >-0000000001.log");
	store = fixture_open(&config, &report);
	CHECK_EQ(numbers_in(store), ALL_NUMBERS);
	CHECK_EQ(report.record_count, RECORD_COUNT);
	CHECK_EQ(work_try("test -s copy/profiles/notes && test -s copy/profiles/1.log"), 0);
	check_mended(store, ALL_NUMBERS);
	work_run("rm -r copy");
}

/* Whole records that were perhaps never synced must not be called duplicates before they are. */
static void what_cannot_be_synced_at_the_start_stops_it(void)
{
	struct profile_store_config config = fixture_config(work_path("copy"));
	struct profile_store_report report;
	struct profile_store *store = NULL;

	work_run("cp -r cut copy");
	sync_error = EIO;
	CHECK_EQ(profile_store_open(&config, &report, &store), -EIO);
	CHECK(strstr(report.problem, "0000000001"));
	sync_error = 0;
	store = fixture_open(&config, NULL);
	CHECK_EQ(numbers_in(store), ALL_NUMBERS);
	profile_store_close(store);
	work_run("rm -r copy");
}

static void a_killed_start_leaves_nothing_that_hinders_the_next(void)
{
	struct profile_store_config config = fixture_config(work_path("copy"));

	work_run("mkdir copy && echo half >copy/format.new");
	profile_store_close(fixture_open(&config, NULL));
	profile_store_close(fixture_open(&config, NULL));
	work_run("rm -r copy");
}

/* ---- Segments ---- */

/* The folder as it was with some of what was replaced still there, and a segment half written. */
static void what_a_crash_left_is_cleared_away(void)
{
	struct lived_store filled = lived_begin("crash");
	char *before;

	lived_on(&filled, 2 * LIVED_HOUR_NS, 10 * LIVED_MINUTE_NS);
	before = lived_answers(&filled);
	profile_store_close(filled.store);
	work_run("mkdir kept && ln crash/profiles/* kept/");
	filled.store = fixture_open(&filled.config, NULL);
	fixture_now_ns += 10 * LIVED_MINUTE_NS;
	profile_store_compact(filled.store);
	profile_store_close(filled.store);
	/* The hours' segments, as they are before the day's. */
	work_run("ln crash/profiles/*.seg kept/");
	filled.store = fixture_open(&filled.config, NULL);
	fixture_now_ns += FIXTURE_DAY_NS;
	profile_store_compact(filled.store);
	CHECK_EQ(lived_stats(&filled).file_count, 1);
	profile_store_close(filled.store);

	work_run("cp -n kept/* crash/profiles/ && echo half >crash/profiles/0000000999.new");
	CHECK(lived_file_count("crash", ".log") > 5);
	CHECK(lived_file_count("crash", ".seg") > 1);
	filled.store = fixture_open(&filled.config, NULL);
	CHECK_EQ(lived_stats(&filled).file_count, 1);
	CHECK_EQ(lived_file_count("crash", ".new"), 0);
	CHECK_EQ(lived_file_count("crash", ".log"), 0);
	CHECK_EQ(lived_file_count("crash", ".seg"), 1);
	lived_check_answers(&filled, before);
	free(before);
	profile_store_close(filled.store);
}

static void a_number_that_any_file_has_is_not_given_again(void)
{
	struct lived_store filled = lived_begin("numbers");

	profile_store_close(filled.store);
	work_run("echo half >numbers/profiles/0000000999.new");
	filled.store = fixture_open(&filled.config, NULL);
	lived_on(&filled, 9 * LIVED_MINUTE_NS, 10 * LIVED_MINUTE_NS);
	CHECK_EQ(work_try("test -e numbers/profiles/0000001000.log"), 0);
	fixture_now_ns += LIVED_HOUR_NS;
	profile_store_compact(filled.store);
	CHECK_EQ(work_try("test \"$(ls numbers/profiles)\" = 0000001001.seg"), 0);
	lived_reopen(&filled);
	lived_on(&filled, 9 * LIVED_MINUTE_NS, 10 * LIVED_MINUTE_NS);
	CHECK_EQ(work_try("test -e numbers/profiles/0000001002.log"), 0);
	profile_store_close(filled.store);
}

/* Whoever only looks changes nothing, and sees everything once. */
static void looking_at_leftovers_changes_nothing(void)
{
	struct lived_store filled = lived_begin("look");
	struct profile_store_config look = filled.config;
	struct profile_store *looker;
	char *before, *after;

	look.read_only = true;
	lived_on(&filled, LIVED_HOUR_NS, 10 * LIVED_MINUTE_NS);
	before = lived_answers(&filled);
	profile_store_close(filled.store);
	work_run("mkdir held && ln look/profiles/* held/");
	filled.store = fixture_open(&filled.config, NULL);
	fixture_now_ns += FIXTURE_DAY_NS;
	profile_store_compact(filled.store);
	work_run("cp -n held/* look/profiles/ && echo half >look/profiles/0000000999.new");
	looker = fixture_open(&look, NULL);
	after = store_digest_all(looker, LIVED_DAY_START_NS - LIVED_HOUR_NS,
		LIVED_DAY_START_NS + 3 * FIXTURE_DAY_NS);
	lived_check_same(before, after);
	profile_store_compact(looker);
	profile_store_close(looker);
	CHECK(lived_file_count("look", ".log") > 0);
	CHECK_EQ(lived_file_count("look", ".new"), 1);
	free(before);
	free(after);
	profile_store_close(filled.store);
}

/* A segment of another number, or that says it replaces itself, deletes nothing. */
static void a_copied_segment_is_not_believed(void)
{
	struct profile_store_report report;
	struct lived_store filled = lived_begin("copied");
	uint64_t samples;

	lived_on(&filled, LIVED_HOUR_NS, 10 * LIVED_MINUTE_NS);
	fixture_now_ns += LIVED_HOUR_NS;
	profile_store_compact(filled.store);
	samples = fixture_visit_all(filled.store).samples;
	profile_store_close(filled.store);
	work_run("cd copied/profiles && cp *.seg 0000000777.seg");
	filled.store = fixture_open(&filled.config, &report);
	CHECK_EQ(report.damaged_count, 1);
	CHECK_EQ(fixture_visit_all(filled.store).samples, samples);
	profile_store_close(filled.store);
}

int main(void)
{
	RUN(a_file_cut_anywhere_keeps_the_records_before_the_cut);
	RUN(a_torn_end_is_set_aside);
	RUN(a_power_cut_that_leaves_zeros_is_a_torn_end);
	RUN(a_flipped_byte_costs_one_record);
	RUN(a_flipped_byte_in_a_sealed_file_costs_one_record);
	RUN(a_sealed_file_cut_anywhere_keeps_what_is_left);
	RUN(foreign_files_in_the_folder_do_no_harm);
	RUN(what_cannot_be_synced_at_the_start_stops_it);
	RUN(a_killed_start_leaves_nothing_that_hinders_the_next);
	RUN(what_a_crash_left_is_cleared_away);
	RUN(a_number_that_any_file_has_is_not_given_again);
	RUN(looking_at_leftovers_changes_nothing);
	RUN(a_copied_segment_is_not_believed);
	return 0;
}
