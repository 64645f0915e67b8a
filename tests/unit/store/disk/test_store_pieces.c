/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_pieces.h"

#include <errno.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/store_digest.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define HOUR_NS (3600 * NS_PER_S)
#define WINDOW_COUNT 30

/* An hour of two hosts, compacted; services are those of fake_profile.h. */
static struct profile_store *compacted_store(const char *name)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));
	struct fixture_answers answers = {0};
	struct profile_store *store;

	fixture_now_ns = FIXTURE_START_NS + FIXTURE_DAY_NS;
	store = fixture_open(&config, NULL);
	for (uint64_t i = 0; i < WINDOW_COUNT; i++)
		CHECK_EQ(fixture_append(store, i % 3 ? "a" : "b", 1, i, 60, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	fixture_now_ns += 2 * HOUR_NS;
	profile_store_compact(store);
	return store;
}

struct seen {
	uint64_t pieces, samples, other_services, hosts_a, hosts_b, stop_at;
	const char *service;
};

static int see(void *context, const struct profile *profile)
{
	struct seen *seen = context;

	seen->pieces++;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		for (uint32_t j = 0; j < table->row_count; j++) {
			uint32_t labels = profile->threads.threads[table->rows[j].thread].labels;
			const char *service = label_table_value(
				&profile->labels, &profile->strings, labels, "service_name");
			const char *host = label_table_value(
				&profile->labels, &profile->strings, labels, "host");

			seen->samples += table->rows[j].count;
			seen->other_services +=
				seen->service && strcmp(service, seen->service) != 0;
			seen->hosts_a += strcmp(host, "a") == 0;
			seen->hosts_b += strcmp(host, "b") == 0;
		}
	}
	return seen->pieces == seen->stop_at ? -ECANCELED : 0;
}

static struct seen visit(
	struct profile_store *store, struct profile_store_filter filter, int expected)
{
	struct seen seen = {.service = filter.service};

	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, &filter, see, &seen), expected);
	return seen;
}

static void what_is_asked_for_is_given_and_no_more(void)
{
	struct profile_store *store = compacted_store("filter");
	struct profile_store_filter filter = {.detail = PROFILE_STORE_STACKS};
	struct seen all = visit(store, filter, 0), seen;
	uint64_t samples = 0;

	CHECK_EQ(all.samples, 60 * WINDOW_COUNT);
	for (int service = 0; service < 3; service++) {
		char name[16];

		snprintf(name, sizeof(name), "service-%d", service);
		filter.service = name;
		seen = visit(store, filter, 0);
		CHECK(seen.samples > 0);
		CHECK_EQ(seen.other_services, 0);
		samples += seen.samples;
	}
	CHECK_EQ(samples, all.samples);
	filter.service = "";
	CHECK_EQ(visit(store, filter, 0).pieces, 0);
	filter.service = NULL;
	filter.host = "b";
	seen = visit(store, filter, 0);
	CHECK_EQ(seen.samples, 60 * WINDOW_COUNT / 3);
	CHECK_EQ(seen.hosts_a, 0);
	filter.host = "nobody";
	CHECK_EQ(visit(store, filter, 0).samples, 0);
	filter.host = NULL;
	filter.type = "off_cpu:off_cpu:nanoseconds::";
	CHECK_EQ(visit(store, filter, 0).samples, 0);
	profile_store_close(store);
}

static void dictionaries_are_decoded_once(void)
{
	struct profile_store *store = compacted_store("again");
	struct profile_store_filter filter = {.detail = PROFILE_STORE_STACKS};
	struct profile_store_stats stats;

	for (int i = 0; i < 4; i++)
		visit(store, filter, 0);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_groups_decoded), 3);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_groups_reused), 9);
	CHECK(fixture_counter(store, PROFILE_STORE_pieces_read) >= 12);
	profile_store_stats(store, &stats);
	CHECK(stats.cache_bytes > 0);
	/* They go with their segment. */
	fixture_now_ns += 100 * FIXTURE_DAY_NS;
	profile_store_retain(store);
	profile_store_stats(store, &stats);
	CHECK_EQ(stats.cache_bytes, 0);
	profile_store_close(store);
}

static int stop_at_lives(void *context, const struct profile_store_lives *lives)
{
	(void)context;
	(void)lives;
	return -ECANCELED;
}

static void a_visitor_may_end_the_visit(void)
{
	struct profile_store *store = compacted_store("stop");
	struct profile_store_filter filter = {.detail = PROFILE_STORE_ROWS};
	struct seen seen = {.stop_at = 2};

	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, &filter, see, &seen), -ECANCELED);
	CHECK_EQ(seen.pieces, 2);
	/* No batch told of lives. */
	CHECK_EQ(profile_store_visit_lives(store, 0, UINT64_MAX, NULL, stop_at_lives, NULL), 0);
	profile_store_close(store);
}

/* A flipped bit costs what its section held, is counted, and the rest is there. */
static void damage_costs_what_is_damaged(void)
{
	struct profile_store *store = compacted_store("damage");
	struct profile_store_filter filter = {.detail = PROFILE_STORE_SLOTS};
	uint64_t unreadable = 0, least = UINT64_MAX;

	profile_store_close(store);
	work_run("cp damage/profiles/*.seg whole");
	filter.unreadable_count = &unreadable;
	for (int place = 100; place < 3000; place += 290) {
		struct profile_store_config config = fixture_config(work_path("damage"));
		struct seen seen;

		work_run("file=$(ls damage/profiles/*.seg) && cp whole $file && "
			 "printf '\\377\\376' | dd of=$file bs=1 seek=%d conv=notrunc status=none",
			place);
		unreadable = 0;
		store = fixture_open(&config, NULL);
		seen = visit(store, filter, 0);
		CHECK_EQ(fixture_counter(store, PROFILE_STORE_sections_unreadable), unreadable);
		CHECK(unreadable > 0 || seen.samples == 60 * WINDOW_COUNT);
		CHECK(seen.samples <= 60 * WINDOW_COUNT);
		least = seen.samples < least ? seen.samples : least;
		profile_store_close(store);
	}
	CHECK(least < 60 * WINDOW_COUNT);
}

int main(void)
{
	RUN(what_is_asked_for_is_given_and_no_more);
	RUN(dictionaries_are_decoded_once);
	RUN(a_visitor_may_end_the_visit);
	RUN(damage_costs_what_is_damaged);
	return 0;
}
