/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_catalog.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/catalog_fixture.h"
#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

static uint64_t sequence;

static struct profile_store *open_store(const char *name, bool catalog)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));

	config.catalog = catalog;
	return fixture_open(&config, NULL);
}

static void append(struct profile_store *store, uint64_t start_ns, const char *labels, int instance)
{
	struct profile *profile = labelled_profile_new("h", start_ns);
	struct batch_key key = fixture_key((uint8_t)instance, sequence++);
	struct fixture_answers answers = {0};

	labelled_profile_add(profile, NULL, labels);
	labelled_profile_seal(profile);
	CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	profile_free(profile);
}

static int list(struct profile_store *store, uint64_t from_ns, struct catalog_fixture_list *list)
{
	struct profile_store_label_query query = {
		.from_ns = from_ns, .until_ns = UINT64_MAX, .limit = 100};
	bool more;

	list->text[0] = '\0';
	return profile_store_label_values(store, "id", &query, catalog_fixture_put, list, &more);
}

/* As soon as it is ready. */
static void expect(struct profile_store *store, const char *expected)
{
	struct catalog_fixture_list found;
	int r = -EAGAIN;

	for (int i = 0; i < 1000 && r == -EAGAIN; i++) {
		r = list(store, 0, &found);
		if (r == -EAGAIN)
			usleep(5000);
	}
	CHECK_EQ(r, 0);
	CHECK_STR(found.text, expected);
}

static void what_was_answered_is_in_the_next_list(void)
{
	struct profile_store *store = open_store("next", true);
	char labels[16], expected[256] = "";
	struct profile_store_stats stats;

	for (int i = 0; i < 20; i++) {
		snprintf(labels, sizeof(labels), "id=%02d", i);
		append(store, FIXTURE_START_NS, labels, 1);
		snprintf(expected + 3 * (size_t)i, sizeof(expected) - 3 * (size_t)i, "%02d ", i);
		expect(store, expected);
	}
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_catalog_failures), 0);
	profile_store_stats(store, &stats);
	CHECK(stats.catalog_bytes >= 4096);
	profile_store_close(store);
}

static void profiles_from_before_it_are_found_however_old(void)
{
	struct profile_store *store = open_store("before", false);
	uint64_t day = 24 * CATALOG_HOUR_NS;

	append(store, FIXTURE_START_NS, "id=now", 1);
	append(store, FIXTURE_START_NS - 3 * day, "id=days", 1);
	append(store, FIXTURE_START_NS - 40 * day, "id=weeks", 1);
	append(store, FIXTURE_START_NS + 90 * day, "id=future", 1);
	profile_store_close(store);
	store = open_store("before", true);
	expect(store, "days future now weeks ");
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_catalog_made_anew), 1);
	profile_store_close(store);
}

static void what_was_not_stored_is_in_no_list(void)
{
	struct profile_store *store = open_store("twice", true);
	struct fixture_answers answers = {0};
	struct batch_key key = fixture_key(7, 0);

	for (int i = 0; i < 2; i++) {
		struct profile *profile = labelled_profile_new("h", FIXTURE_START_NS);

		labelled_profile_add(profile, NULL, i == 0 ? "id=first" : "id=again");
		labelled_profile_seal(profile);
		CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
		CHECK_EQ(profile_store_flush(store), 0);
		profile_free(profile);
	}
	CHECK_EQ(answers.already, 1);
	expect(store, "first ");
	profile_store_close(store);
}

/* The server died: nothing is believed of the file that lies there. */
static void after_a_crash_it_is_made_anew(void)
{
	struct profile_store *store = open_store("crash", true);

	append(store, FIXTURE_START_NS, "id=a", 1);
	expect(store, "a ");
	work_run("cp -r crash crashed");
	profile_store_close(store);
	store = open_store("crashed", true);
	expect(store, "a ");
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_catalog_made_anew), 1);
	profile_store_close(store);
	store = open_store("crashed", true);
	expect(store, "a ");
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_catalog_made_anew), 0);
	profile_store_close(store);
}

/* Pieces of what was compacted tell the same as the windows did: series, types and hours. */
static void what_was_compacted_is_found_by_its_hours(void)
{
	struct profile_store *store = open_store("compacted", true);
	struct catalog_fixture_list found;
	uint64_t hour = CATALOG_HOUR_NS, start = FIXTURE_START_NS / hour * hour;

	for (int round = 0; round < 2; round++) {
		struct profile_store_label_query query = {.limit = 100};
		bool more;

		if (round == 0) {
			append(store, start, "id=a", 1);
			append(store, start + 2 * hour, "id=b", 1);
			append(store, start + 2 * hour + hour / 2, "id=c", 1);
			/* The period in which they came is over. */
			fixture_now_ns += 2 * hour;
			profile_store_compact(store);
			work_run("ls compacted/profiles/*.seg");
		}
		expect(store, "a b c ");
		query.from_ns = start + hour;
		query.until_ns = start + 3 * hour;
		found.text[0] = '\0';
		CHECK_EQ(profile_store_label_values(
				 store, "id", &query, catalog_fixture_put, &found, &more),
			0);
		CHECK_STR(found.text, "b c ");
		query.from_ns = start + 3 * hour;
		query.until_ns = start + 20 * hour;
		found.text[0] = '\0';
		CHECK_EQ(profile_store_label_values(
				 store, "host", &query, catalog_fixture_put, &found, &more),
			0);
		CHECK_STR(found.text, "");
		profile_store_close(store);
		work_run("rm -r compacted/catalog");
		store = open_store("compacted", true);
	}
	profile_store_close(store);
	fixture_now_ns -= 2 * hour;
}

static void a_folder_in_the_way_costs_the_catalogue_alone(void)
{
	struct catalog_fixture_list found;
	struct profile_store *store;

	work_run("mkdir -p blocked/catalog/data.mdb");
	store = open_store("blocked", true);
	append(store, FIXTURE_START_NS, "id=a", 1);
	CHECK_EQ(list(store, 0, &found), -EAGAIN);
	for (int i = 0; i < 1000 && fixture_counter(store, PROFILE_STORE_catalog_failures) == 0;
		i++)
		usleep(5000);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_catalog_failures), 1);
	profile_store_close(store);
	store = open_store("blocked", true);
	CHECK_EQ(fixture_visit_all(store).profiles, 1);
	profile_store_close(store);
}

static void without_one_everything_does_nothing(void)
{
	struct catalog_note *note = (struct catalog_note *)&sequence;

	store_catalog_stop(NULL);
	store_catalog_free(NULL);
	CHECK_EQ(store_catalog_note(NULL, NULL, &note), 0);
	CHECK(!note);
	store_catalog_feed(NULL, NULL, true);
	CHECK(!store_catalog_get(NULL));
}

int main(void)
{
	RUN(what_was_answered_is_in_the_next_list);
	RUN(profiles_from_before_it_are_found_however_old);
	RUN(what_was_not_stored_is_in_no_list);
	RUN(after_a_crash_it_is_made_anew);
	RUN(what_was_compacted_is_found_by_its_hours);
	RUN(a_folder_in_the_way_costs_the_catalogue_alone);
	RUN(without_one_everything_does_nothing);
	return 0;
}
