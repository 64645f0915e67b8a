/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/profile_store.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "store/profile/sample_range.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/work_dir.h"

#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define WINDOW_NS (10 * NS_PER_S)
#define DAY_NS (UINT64_C(24) * 3600 * NS_PER_S)

/* A clock that stands where the test put it. */
static _Atomic uint64_t now_ns;

static struct clock_reading read_now(void *context)
{
	uint64_t now = now_ns;

	(void)context;
	return (struct clock_reading){now, now, now};
}

static struct profile_store_config config_of(const char *dir)
{
	return (struct profile_store_config){.dir = dir, .clock = {.read = read_now}};
}

static struct profile_store *open_store(const struct profile_store_config *config)
{
	struct profile_store_report report;
	struct profile_store *store;
	int r = profile_store_open(config, &report, &store);

	if (r < 0)
		fprintf(stderr, "open: %s\n", report.problem);
	CHECK_EQ(r, 0);
	return store;
}

/* Answers counted by result. */
struct answers {
	_Atomic int stored, already, failed, last;
};

static void take_answer(void *context, int result)
{
	struct answers *answers = context;

	answers->last = result;
	if (result == 0)
		answers->stored++;
	else if (result == -EALREADY)
		answers->already++;
	else
		answers->failed++;
}

static struct batch_key key_of(uint8_t instance, uint64_t sequence)
{
	return (struct batch_key){.instance = {instance}, .sequence = sequence};
}

/* Appends window NUMBER of HOST_NAME under (INSTANCE, NUMBER). */
static int append(struct profile_store *store, const char *host_name, uint8_t instance,
	uint64_t number, struct answers *answers)
{
	struct fake_host host = fake_small_host(host_name);
	struct profile *profile =
		fake_profile(&host, START_NS + number * WINDOW_NS, WINDOW_NS, number);
	struct batch_key key = key_of(instance, number);
	int r = profile_store_append(store, &key, profile, take_answer, answers);

	profile_free(profile);
	return r;
}

struct seen {
	uint64_t profiles;
	uint64_t samples;
	uint64_t slots;
	uint64_t last_start_ns;
};

static int see(void *context, const struct profile *profile)
{
	struct seen *seen = context;

	CHECK(profile_window_epoch_ns(profile) >= seen->last_start_ns);
	CHECK(profile->head.received_at_ns > 0);
	seen->last_start_ns = profile_window_epoch_ns(profile);
	seen->profiles++;
	seen->samples += profile_sample_count(profile);
	for (uint32_t i = 0; i < profile->type_count; i++)
		seen->slots += profile->types[i].slot_count;
	return 0;
}

static struct seen visit(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter)
{
	struct seen seen = {0};

	CHECK_EQ(profile_store_visit(store, from_ns, until_ns, filter, see, &seen), 0);
	return seen;
}

static uint64_t counter(struct profile_store *store, enum profile_store_counter which)
{
	struct profile_store_stats stats;

	profile_store_stats(store, &stats);
	return stats.counters[which];
}

static void what_is_appended_is_there_after_reopening(void)
{
	struct profile_store_config config = config_of(work_path("reopen"));
	struct profile_store *store;
	struct answers answers = {0};
	struct seen seen;

	now_ns = START_NS + DAY_NS;
	store = open_store(&config);
	for (uint64_t i = 0; i < 30; i++)
		CHECK_EQ(append(store, i % 2 ? "a" : "b", (uint8_t)(i % 2), i, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 30);
	seen = visit(store, 0, UINT64_MAX, NULL);
	CHECK_EQ(seen.profiles, 30);
	CHECK_EQ(seen.samples, 30 * 60);
	CHECK_EQ(seen.slots, 30 * 60);
	profile_store_close(store);

	store = open_store(&config);
	seen = visit(store, 0, UINT64_MAX, NULL);
	CHECK_EQ(seen.profiles, 30);
	CHECK_EQ(seen.slots, 30 * 60);
	seen = visit(store, START_NS + 5 * WINDOW_NS, START_NS + 7 * WINDOW_NS, NULL);
	CHECK_EQ(seen.profiles, 2);
	seen = visit(store, 0, UINT64_MAX, &(struct profile_store_filter){.host = "a"});
	CHECK_EQ(seen.profiles, 15);
	seen = visit(store, 0, UINT64_MAX, &(struct profile_store_filter){.host = "nobody"});
	CHECK_EQ(seen.profiles, 0);
	seen = visit(store, 0, UINT64_MAX,
		&(struct profile_store_filter){.host = "a", .type = PROFILE_TYPE_ON_CPU});
	CHECK_EQ(seen.profiles, 15);
	seen = visit(store, 0, UINT64_MAX, &(struct profile_store_filter){.type = "a"});
	CHECK_EQ(seen.profiles, 0);
	profile_store_close(store);
}

static void a_batch_counts_once_in_any_order_and_across_a_restart(void)
{
	static const uint64_t order[] = {3, 1, 2, 0, 2, 3, 3};
	struct profile_store_config config = config_of(work_path("twice"));
	struct profile_store *store;
	struct answers answers = {0};

	now_ns = START_NS + DAY_NS;
	store = open_store(&config);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		CHECK_EQ(append(store, "a", 1, order[i], &answers), 0);
	CHECK_EQ(append(store, "a", 2, 3, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 5);
	CHECK_EQ(answers.already, 3);
	profile_store_close(store);

	store = open_store(&config);
	for (uint64_t i = 0; i < 4; i++)
		CHECK_EQ(append(store, "a", 1, i, &answers), 0);
	CHECK_EQ(append(store, "a", 1, 4, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.already, 7);
	CHECK_EQ(answers.stored, 6);
	CHECK_EQ(counter(store, PROFILE_STORE_duplicates), 4);
	CHECK_EQ(visit(store, 0, UINT64_MAX, NULL).profiles, 6);
	profile_store_close(store);
}

int main(void)
{
	RUN(what_is_appended_is_there_after_reopening);
	RUN(a_batch_counts_once_in_any_order_and_across_a_restart);
	(void)counter;
	return 0;
}
