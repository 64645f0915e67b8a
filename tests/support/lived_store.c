/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/lived_store.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/store_digest.h"
#include "tests/support/work_dir.h"

struct lived_store lived_begin(const char *name)
{
	struct lived_store filled = {.config = fixture_config(work_path("%s", name))};

	fixture_now_ns = LIVED_DAY_START_NS;
	filled.config.hot_ns = UINT64_MAX;
	filled.store = fixture_open(&filled.config, NULL);
	return filled;
}

void lived_reopen(struct lived_store *filled)
{
	profile_store_close(filled->store);
	filled->store = fixture_open(&filled->config, NULL);
}

void lived_append(struct lived_store *filled, const char *host_name)
{
	struct fake_host host = fake_small_host(host_name);
	struct batch_key key = fixture_key(1, filled->sequence++);
	struct life_sums sums = {.execs = 3 + key.sequence % 5, .cpu_ns = key.sequence};
	struct profile *profile;

	host.seed = 1 + (uint8_t)host_name[0] % 3;
	host.sample_count = LIVED_SAMPLE_COUNT;
	profile = fake_profile(
		&host, fixture_now_ns - FIXTURE_WINDOW_NS, FIXTURE_WINDOW_NS, key.sequence);
	if (key.sequence % 3 == 0) {
		CHECK_EQ(life_table_add(&profile->lives, (struct life_name){"ps", 2},
				 (struct life_name){"sh", 2}, &sums),
			0);
	}
	CHECK_EQ(profile_store_append(filled->store, &key, profile, fixture_done, &filled->answers),
		0);
	profile_free(profile);
	CHECK_EQ(profile_store_flush(filled->store), 0);
	CHECK_EQ(filled->answers.last, 0);
}

void lived_on(struct lived_store *filled, uint64_t length_ns, uint64_t period_ns)
{
	uint64_t end_ns = fixture_now_ns + length_ns;

	for (fixture_now_ns += FIXTURE_WINDOW_NS; fixture_now_ns < end_ns;
		fixture_now_ns += period_ns) {
		lived_append(filled, "a");
		lived_append(filled, "b");
	}
	fixture_now_ns = end_ns;
}

struct profile_store_stats lived_stats(const struct lived_store *filled)
{
	struct profile_store_stats stats;

	profile_store_stats(filled->store, &stats);
	return stats;
}

void lived_check_accounts(const struct lived_store *filled)
{
	struct profile_store_stats stats = lived_stats(filled);
	const uint64_t *counters = stats.counters;

	CHECK_EQ(counters[PROFILE_STORE_files_found] + counters[PROFILE_STORE_files_created] +
			counters[PROFILE_STORE_segments_written],
		counters[PROFILE_STORE_files_expired] + counters[PROFILE_STORE_files_evicted] +
			counters[PROFILE_STORE_files_replaced] +
			counters[PROFILE_STORE_files_given_up] +
			counters[PROFILE_STORE_delete_failures] + stats.file_count);
	CHECK_EQ(stats.record_count, filled->sequence);
}

char *lived_answers(const struct lived_store *filled)
{
	return store_digest_all(filled->store, LIVED_DAY_START_NS - LIVED_HOUR_NS,
		LIVED_DAY_START_NS + 3 * FIXTURE_DAY_NS);
}

void lived_check_same(const char *one, const char *other)
{
	size_t at = 0;

	while (one[at] && one[at] == other[at])
		at++;
	if (one[at] != other[at]) {
		while (at > 0 && one[at - 1] != '\n')
			at--;
		fprintf(stderr, "was: %.300s\nis:  %.300s\n", one + at, other + at);
	}
	CHECK(one[at] == other[at]);
}

void lived_check_answers(struct lived_store *filled, const char *before)
{
	for (int round = 0; round < 2; round++) {
		char *now = lived_answers(filled);

		lived_check_same(before, now);
		free(now);
		lived_check_accounts(filled);
		CHECK_EQ(fixture_counter(filled->store, PROFILE_STORE_sections_unreadable), 0);
		CHECK_EQ(fixture_counter(filled->store, PROFILE_STORE_blocks_unreadable), 0);
		lived_reopen(filled);
	}
}

int lived_file_count(const char *name, const char *ending)
{
	char *text = work_output("ls %s/profiles | grep -c '%s$' || true", name, ending);
	int count = atoi(text);

	free(text);
	return count;
}
