/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define MINUTE_NS (60 * NS_PER_S)

/* Bytes of the log files of a folder. */
static uint64_t folder_bytes(const char *name)
{
	char *text = work_output("cat %s/profiles/*.log 2>/dev/null | wc -c", name);
	uint64_t bytes = strtoull(text, NULL, 10);

	free(text);
	return bytes;
}

static int append_back_dated(
	struct profile_store *store, uint64_t sequence, uint64_t age_ns, uint32_t samples)
{
	struct fixture_answers answers = {.last = 1};
	uint64_t start_ns = (fixture_now_ns - age_ns) / PROFILE_SLOT_NS * PROFILE_SLOT_NS;
	int r = fixture_append_at(
		store, "a", fixture_key(1, sequence), start_ns, samples, &answers);

	if (r < 0)
		return r;
	profile_store_flush(store);
	return answers.last;
}

static void data_past_their_age_are_refused_hidden_and_deleted(void)
{
	struct profile_store_config config = fixture_config(work_path("age"));
	struct profile_store *store;
	struct profile_store_stats stats;

	config.retain_ns = 10 * MINUTE_NS;
	store = fixture_open(&config, NULL);
	/* Back-dated over two days: what is past the retention never gets in. */
	for (uint64_t i = 0; i < 48; i++)
		CHECK_EQ(append_back_dated(store, i, (i + 1) * 60 * MINUTE_NS, 20), -ESTALE);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_refused_old), 48);
	for (uint64_t i = 0; i < 10; i++)
		CHECK_EQ(append_back_dated(store, i, (i + 1) * 55 * NS_PER_S, 20), 0);
	CHECK_EQ(fixture_visit_all(store).profiles, 10);
	CHECK(folder_bytes("age") > 0);

	/* Eight minutes on, the older ones have no part in an answer, though their file stays. */
	fixture_now_ns += 8 * MINUTE_NS;
	CHECK(fixture_visit_all(store).profiles < 10);
	CHECK(fixture_visit_all(store).profiles > 0);
	fixture_now_ns += 3 * MINUTE_NS;
	CHECK_EQ(fixture_visit_all(store).profiles, 0);
	profile_store_retain(store);
	CHECK_EQ(folder_bytes("age"), 0);
	profile_store_stats(store, &stats);
	CHECK_EQ(stats.file_count, 0);
	CHECK_EQ(stats.record_count, 0);
	CHECK_EQ(stats.bytes, 0);
	CHECK_EQ(stats.oldest_ns, 0);
	CHECK_EQ(stats.counters[PROFILE_STORE_files_expired], 1);
	CHECK(stats.counters[PROFILE_STORE_bytes_deleted] > 0);
	CHECK_EQ(append_back_dated(store, 100, MINUTE_NS, 20), 0);
	CHECK_EQ(fixture_visit_all(store).profiles, 1);
	profile_store_close(store);
}

static void a_shorter_retention_takes_effect_at_the_next_start(void)
{
	struct profile_store_config config = fixture_config(work_path("shorter"));
	struct profile_store *store = fixture_open(&config, NULL);

	CHECK_EQ(append_back_dated(store, 0, 2 * FIXTURE_DAY_NS, 20), 0);
	profile_store_close(store);
	CHECK(folder_bytes("shorter") > 0);
	config.retain_ns = FIXTURE_DAY_NS;
	store = fixture_open(&config, NULL);
	CHECK_EQ(folder_bytes("shorter"), 0);
	CHECK_EQ(fixture_visit_all(store).profiles, 0);
	profile_store_close(store);
}

/* A sender whose clock runs a year ahead must not keep its data for ever. */
static void data_from_the_future_age_by_when_they_were_received(void)
{
	struct profile_store_config config = fixture_config(work_path("future"));
	struct profile_store *store;
	struct fixture_answers answers = {0};

	config.retain_ns = FIXTURE_DAY_NS;
	store = fixture_open(&config, NULL);
	CHECK_EQ(fixture_append_at(store, "a", fixture_key(1, 1),
			 FIXTURE_START_NS + 365 * FIXTURE_DAY_NS, 20, &answers),
		0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(fixture_visit_all(store).profiles, 1);
	fixture_now_ns += FIXTURE_DAY_NS + 1;
	profile_store_retain(store);
	CHECK_EQ(folder_bytes("future"), 0);
	profile_store_close(store);
}

/* A record of about 60 kB that does not compress. */
static void append_noise(struct profile_store *store, uint64_t number)
{
	uint64_t start_ns = fixture_now_ns - (255 - number) * FIXTURE_WINDOW_NS;
	struct fixture_answers answers = {0};
	struct batch_key key = fixture_key(1, number);
	struct fake_host host = fake_small_host("a");
	uint64_t noise[7500], random = number;
	struct profile *profile = fake_profile(&host, start_ns, FIXTURE_WINDOW_NS, number);
	uint32_t index;

	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		noise[i] = fake_random(&random);
	CHECK_EQ(
		string_table_add(&profile->strings, (const char *)noise, sizeof(noise), &index), 0);
	CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
	profile_free(profile);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 1);
}

static void the_oldest_files_go_when_there_are_too_many_bytes(void)
{
	struct profile_store_config config = fixture_config(work_path("size"));
	struct profile_store *store;
	struct profile_store_stats stats;
	struct fixture_seen seen;

	config.retain_bytes = 4 << 20;
	fixture_now_ns = fixture_now_ns / PROFILE_SLOT_NS * PROFILE_SLOT_NS;
	store = fixture_open(&config, NULL);
	for (uint64_t i = 0; i < 250; i++)
		append_noise(store, i);
	profile_store_stats(store, &stats);
	CHECK(stats.bytes > 3 * config.retain_bytes);
	profile_store_retain(store);
	profile_store_stats(store, &stats);
	CHECK(stats.bytes <= config.retain_bytes);
	CHECK(stats.bytes > config.retain_bytes / 2);
	CHECK_EQ(folder_bytes("size"), stats.bytes);
	CHECK(stats.counters[PROFILE_STORE_files_evicted] > 0);
	CHECK_EQ(stats.counters[PROFILE_STORE_files_expired], 0);
	seen = fixture_visit_all(store);
	CHECK_EQ(seen.profiles, stats.record_count);
	CHECK(seen.last_start_ns == fixture_now_ns - 6 * FIXTURE_WINDOW_NS);
	CHECK(stats.oldest_ns == seen.last_start_ns - (seen.profiles - 1) * FIXTURE_WINDOW_NS);
	profile_store_close(store);
}

/* Stands in front of libc's own: a disk of a gigabyte, of which so many bytes are free. */
static uint64_t disk_free = UINT64_MAX;

int fstatvfs(int fd, struct statvfs *ret_disk)
{
	(void)fd;
	*ret_disk = (struct statvfs){.f_frsize = 1, .f_bsize = 1, .f_blocks = 1000000000};
	ret_disk->f_bavail = disk_free < ret_disk->f_blocks ? disk_free : ret_disk->f_blocks;
	return 0;
}

/* Whoever filled it: a hundredth of it is to be free. */
static void the_oldest_files_go_when_the_disk_is_low(void)
{
	struct profile_store_config config = fixture_config(work_path("low"));
	struct profile_store *store;
	struct profile_store_stats stats;
	uint64_t bytes;

	config.retain_bytes = 16 << 20;
	store = fixture_open(&config, NULL);
	for (uint64_t i = 0; i < 150; i++)
		append_noise(store, i);
	profile_store_stats(store, &stats);
	bytes = stats.bytes;
	disk_free = 10000000;
	profile_store_retain(store);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_evicted), 0);
	disk_free = 7000000;
	profile_store_retain(store);
	profile_store_stats(store, &stats);
	CHECK(bytes - stats.bytes >= 3000000);
	CHECK(bytes - stats.bytes < 5000000);
	CHECK(stats.counters[PROFILE_STORE_files_evicted] > 0);
	CHECK_EQ(fixture_visit_all(store).last_start_ns, fixture_now_ns - 106 * FIXTURE_WINDOW_NS);
	/* All that is sealed, and never the file that is written. */
	disk_free = 0;
	profile_store_retain(store);
	CHECK_EQ(append_back_dated(store, 1000, MINUTE_NS, 20), 0);
	disk_free = UINT64_MAX;
	profile_store_close(store);
}

/* Empties the store in mid-visit. */
struct deleter {
	struct profile_store *store;
	int visited;
	uint64_t bytes_within;
	uint64_t seen_within;
};

static int delete_all(void *context, const struct profile *profile)
{
	struct deleter *deleter = context;

	(void)profile;
	if (deleter->visited++ == 0) {
		fixture_now_ns += 2 * FIXTURE_DAY_NS;
		profile_store_retain(deleter->store);
		/* One that begins now sees nothing of it any more. */
		CHECK_EQ(fixture_visit_all(deleter->store).profiles, 0);
		deleter->bytes_within = folder_bytes("reading");
	}
	return 0;
}

static void a_visit_finishes_on_what_is_being_deleted(void)
{
	struct profile_store_config config = fixture_config(work_path("reading"));
	struct deleter deleter = {0};
	struct profile_store *store;

	config.retain_ns = FIXTURE_DAY_NS;
	store = fixture_open(&config, NULL);
	deleter.store = store;
	for (uint64_t i = 0; i < 20; i++)
		CHECK_EQ(append_back_dated(store, i, (i + 1) * 30 * MINUTE_NS, 20), 0);
	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, delete_all, &deleter), 0);
	CHECK_EQ(deleter.visited, 20);
	CHECK(deleter.bytes_within > 0);
	CHECK_EQ(folder_bytes("reading"), 0);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_files_expired), 1);
	profile_store_close(store);
}

static int evict_most(void *context, const struct profile *profile)
{
	struct deleter *deleter = context;

	(void)profile;
	if (deleter->visited++ == 0) {
		profile_store_retain(deleter->store);
		deleter->seen_within = fixture_visit_all(deleter->store).profiles;
	}
	return 0;
}

static void a_visit_that_begins_later_leaves_out_what_is_being_deleted(void)
{
	struct profile_store_config config = fixture_config(work_path("later"));
	struct deleter deleter = {0};
	struct profile_store *store;

	config.retain_bytes = 4 << 20;
	store = fixture_open(&config, NULL);
	deleter.store = store;
	for (uint64_t i = 0; i < 120; i++)
		append_noise(store, i);
	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, evict_most, &deleter), 0);
	CHECK_EQ(deleter.visited, 120);
	CHECK(deleter.seen_within < 70);
	CHECK_EQ(fixture_visit_all(store).profiles, deleter.seen_within);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_blocks_unreadable), 0);
	profile_store_close(store);
}

static void batches_are_forgotten_with_their_data(void)
{
	struct profile_store_config config = fixture_config(work_path("keys"));
	struct profile_store *store;

	config.retain_ns = FIXTURE_DAY_NS;
	store = fixture_open(&config, NULL);
	CHECK_EQ(append_back_dated(store, 1, MINUTE_NS, 20), 0);
	CHECK_EQ(append_back_dated(store, 1, MINUTE_NS, 20), -EALREADY);
	fixture_now_ns += FIXTURE_DAY_NS + MINUTE_NS;
	profile_store_retain(store);
	CHECK_EQ(append_back_dated(store, 1, MINUTE_NS, 20), 0);
	profile_store_close(store);
}

int main(void)
{
	RUN(data_past_their_age_are_refused_hidden_and_deleted);
	RUN(a_shorter_retention_takes_effect_at_the_next_start);
	RUN(data_from_the_future_age_by_when_they_were_received);
	RUN(the_oldest_files_go_when_there_are_too_many_bytes);
	RUN(the_oldest_files_go_when_the_disk_is_low);
	RUN(a_visit_finishes_on_what_is_being_deleted);
	RUN(a_visit_that_begins_later_leaves_out_what_is_being_deleted);
	RUN(batches_are_forgotten_with_their_data);
	return 0;
}
