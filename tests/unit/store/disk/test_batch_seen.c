/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/batch_seen.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_profile.h"

static struct batch_key key_of(uint32_t instance, uint64_t sequence)
{
	struct batch_key key = {.sequence = sequence};

	memcpy(key.instance, &instance, sizeof(instance));
	return key;
}

static bool has(const struct batch_seen *seen, uint32_t instance, uint64_t sequence)
{
	struct batch_key key = key_of(instance, sequence);

	return batch_seen_has(seen, &key);
}

static void add(struct batch_seen *seen, uint32_t instance, uint64_t sequence, uint64_t time)
{
	struct batch_key key = key_of(instance, sequence);

	CHECK_EQ(batch_seen_add(seen, &key, time), 0);
}

/* Against a plain table of what was added. */
static void exactly_what_was_added_is_seen(void)
{
	static bool expected[3][300];
	struct batch_seen seen;
	uint64_t random = 4;

	batch_seen_init(&seen);
	for (int i = 0; i < 1500; i++) {
		uint32_t instance = (uint32_t)(fake_random(&random) % 3);
		uint64_t sequence = fake_random(&random) % 300;

		CHECK_EQ(has(&seen, instance, sequence), expected[instance][sequence]);
		add(&seen, instance, sequence, 1);
		expected[instance][sequence] = true;
		if (i % 50 != 0)
			continue;
		for (uint64_t j = 0; j < 300; j++)
			CHECK_EQ(has(&seen, instance, j), expected[instance][j]);
	}
	for (uint32_t i = 0; i < seen.count; i++) {
		const struct batch_interval *intervals = seen.instances[i].intervals;

		for (uint32_t j = 1; j < seen.instances[i].count; j++)
			CHECK(intervals[j - 1].last + 1 < intervals[j].first);
	}
	batch_seen_done(&seen);
}

static void a_run_without_gaps_is_one_interval(void)
{
	struct batch_seen seen;

	batch_seen_init(&seen);
	for (uint64_t i = 0; i < 100000; i++)
		add(&seen, 1, i ^ 1, 1); /* pairs arrive in the wrong order */
	CHECK_EQ(seen.count, 1);
	CHECK_EQ(seen.instances[0].count, 1);
	CHECK(has(&seen, 1, 99999));
	CHECK(!has(&seen, 1, 100000));
	CHECK(!has(&seen, 2, 0));
	batch_seen_done(&seen);
}

static void the_ends_of_the_number_range_are_numbers_like_others(void)
{
	struct batch_seen seen;

	batch_seen_init(&seen);
	add(&seen, 1, UINT64_MAX, 1);
	CHECK(!has(&seen, 1, 0));
	add(&seen, 1, 0, 1);
	add(&seen, 1, UINT64_MAX - 1, 1);
	CHECK(has(&seen, 1, UINT64_MAX));
	CHECK(!has(&seen, 1, 1));
	CHECK_EQ(seen.instances[0].count, 2);
	batch_seen_done(&seen);
}

static void beyond_the_limit_of_gaps_the_lowest_are_forgotten(void)
{
	struct batch_seen seen;

	batch_seen_init(&seen);
	for (uint64_t i = 1; i <= BATCH_SEEN_INTERVAL_COUNT_MAX + 10; i++)
		add(&seen, 1, i * 2, 1);
	CHECK_EQ(seen.instances[0].count, BATCH_SEEN_INTERVAL_COUNT_MAX);
	CHECK_EQ(seen.forgotten_count, 10);
	CHECK(!has(&seen, 1, 20));
	CHECK(has(&seen, 1, 22));
	CHECK(has(&seen, 1, (BATCH_SEEN_INTERVAL_COUNT_MAX + 10) * 2));
	add(&seen, 1, 1, 1); /* lower than all that is known: not worth a place */
	CHECK(!has(&seen, 1, 1));
	CHECK_EQ(seen.forgotten_count, 11);
	add(&seen, 1, 23, 1); /* closes a gap: needs no place */
	CHECK(has(&seen, 1, 23));
	CHECK_EQ(seen.forgotten_count, 11);
	batch_seen_done(&seen);
}

static void instances_expire_by_their_latest_batch(void)
{
	struct batch_seen seen;

	batch_seen_init(&seen);
	for (uint32_t i = 0; i < 1000; i++)
		add(&seen, i, 7, 1000 + i);
	add(&seen, 3, 8, 5000);
	add(&seen, 3, 9, 10); /* late, yet the instance is alive */
	CHECK_EQ(batch_seen_expire(&seen, 1500), 0);
	CHECK_EQ(seen.count, 501);
	CHECK(has(&seen, 3, 7));
	CHECK(!has(&seen, 499, 7));
	CHECK(has(&seen, 500, 7));
	CHECK(has(&seen, 999, 7));
	CHECK_EQ(batch_seen_expire(&seen, UINT64_MAX), 0);
	CHECK_EQ(seen.count, 0);
	add(&seen, 1, 1, 1);
	CHECK(has(&seen, 1, 1));
	batch_seen_done(&seen);
}

static void beyond_the_limit_of_instances_the_older_half_is_forgotten(void)
{
	struct batch_seen seen;

	batch_seen_init(&seen);
	for (uint32_t i = 0; i <= BATCH_SEEN_INSTANCE_COUNT_MAX; i++)
		add(&seen, i, 7, i / 2);
	CHECK(seen.count > BATCH_SEEN_INSTANCE_COUNT_MAX / 2 - 2);
	CHECK(seen.count < BATCH_SEEN_INSTANCE_COUNT_MAX);
	CHECK_EQ(seen.forgotten_count, BATCH_SEEN_INSTANCE_COUNT_MAX + 1 - seen.count);
	CHECK(has(&seen, BATCH_SEEN_INSTANCE_COUNT_MAX, 7));
	CHECK(has(&seen, BATCH_SEEN_INSTANCE_COUNT_MAX - 1, 7));
	CHECK(!has(&seen, 0, 7));
	batch_seen_done(&seen);

	/* All of one age. */
	batch_seen_init(&seen);
	for (uint32_t i = 0; i <= BATCH_SEEN_INSTANCE_COUNT_MAX; i++)
		add(&seen, i, 7, 5);
	CHECK(has(&seen, BATCH_SEEN_INSTANCE_COUNT_MAX, 7));
	batch_seen_done(&seen);
}

/* Against a plain table of what was added, runs and single ones mixed. */
static void a_run_is_as_all_of_its_keys(void)
{
	static bool expected[300];
	struct batch_key name = key_of(5, 0);
	struct batch_seen seen;
	uint64_t random = 9;

	batch_seen_init(&seen);
	for (int i = 0; i < 400; i++) {
		uint64_t first = fake_random(&random) % 300;
		uint64_t last = first + fake_random(&random) % (i % 8 + 1);

		if (last >= 300)
			continue;
		CHECK_EQ(batch_seen_add_interval(
				 &seen, name.instance, (struct batch_interval){first, last}, 1),
			0);
		for (uint64_t j = first; j <= last; j++)
			expected[j] = true;
		for (uint64_t j = 0; j < 300; j++)
			CHECK_EQ(has(&seen, 5, j), expected[j]);
		for (uint32_t j = 1; j < seen.instances[0].count; j++) {
			CHECK(seen.instances[0].intervals[j - 1].last + 1 <
				seen.instances[0].intervals[j].first);
		}
		if (i % 40 == 39) {
			CHECK_EQ(batch_seen_expire(&seen, 2), 0);
			memset(expected, 0, sizeof(expected));
		}
	}
	CHECK_EQ(batch_seen_add_interval(
			 &seen, name.instance, (struct batch_interval){0, UINT64_MAX}, 1),
		0);
	CHECK_EQ(seen.instances[0].count, 1);
	CHECK(has(&seen, 5, 0) && has(&seen, 5, UINT64_MAX));
	batch_seen_done(&seen);
}

static void without_memory_nothing_wrong_is_seen(void)
{
	struct batch_key key = key_of(7, 7);
	struct batch_seen seen;
	uint64_t count = 0;
	int r;

	batch_seen_init(&seen);
	do {
		fail_alloc_after(count++);
		r = batch_seen_add(&seen, &key, 1);
		CHECK_EQ(r, fail_alloc_never() ? -ENOMEM : 0);
		CHECK_EQ(batch_seen_has(&seen, &key), r == 0);
	} while (r < 0);
	CHECK(count > 2);
	CHECK_EQ(seen.count, 1);
	batch_seen_done(&seen);
}

int main(void)
{
	RUN(exactly_what_was_added_is_seen);
	RUN(a_run_without_gaps_is_one_interval);
	RUN(the_ends_of_the_number_range_are_numbers_like_others);
	RUN(beyond_the_limit_of_gaps_the_lowest_are_forgotten);
	RUN(instances_expire_by_their_latest_batch);
	RUN(beyond_the_limit_of_instances_the_older_half_is_forgotten);
	RUN(a_run_is_as_all_of_its_keys);
	RUN(without_memory_nothing_wrong_is_seen);
	return 0;
}
