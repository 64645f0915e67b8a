/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/profile_store_labels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/disk/catalog_note.h"
#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define HOUR_NS CATALOG_HOUR_NS
/* The whole hour that begins the fixture's time. */
#define START_NS (FIXTURE_START_NS / HOUR_NS * HOUR_NS)
#define OFF_CPU "off_cpu:off_cpu:nanoseconds::"

static uint64_t sequence;

static void append(struct profile_store *store, struct profile *profile)
{
	struct batch_key key = fixture_key(9, sequence++);
	struct fixture_answers answers = {0};

	labelled_profile_seal(profile);
	CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 1);
	profile_free(profile);
}

static void append_one(struct profile_store *store, const char *host, uint64_t start_ns,
	const char *type, const char *labels)
{
	struct profile *profile = labelled_profile_new(host, start_ns);

	labelled_profile_add(profile, type, labels);
	append(store, profile);
}

static int add_text(void *context, const char *text, size_t length)
{
	char *all = context;
	size_t at = strlen(all);

	CHECK(at + length + 2 < 8192);
	memcpy(all + at, text, length);
	memcpy(all + at + length, " ", 2);
	return 0;
}

struct list {
	char text[8192]; /* each with a space behind it */
	bool more;
};

static const char *values(struct profile_store *store, struct list *list, const char *name,
	struct profile_store_label_query query)
{
	list->text[0] = '\0';
	if (query.limit == 0)
		query.limit = 100;
	/* The catalogue is made in the background. */
	for (int i = 0; i < 500; i++) {
		int r = name ? profile_store_label_values(
				       store, name, &query, add_text, list->text, &list->more)
			     : profile_store_label_names(
				       store, &query, add_text, list->text, &list->more);

		if (r != -EAGAIN) {
			CHECK_EQ(r, 0);
			return list->text;
		}
		usleep(10000);
	}
	CHECK(!"the catalogue never becomes ready");
	return list->text;
}

#define ALL .from_ns = 0, .until_ns = UINT64_MAX
#define VALUES(name, ...) \
	values(store, &list, name, (struct profile_store_label_query){__VA_ARGS__})
#define MATCHERS(...)                                                                        \
	.matchers = (const struct profile_store_label_matcher[]){__VA_ARGS__},               \
	.matcher_count = sizeof((const struct profile_store_label_matcher[]){__VA_ARGS__}) / \
		sizeof(struct profile_store_label_matcher)
#define IS(name, value)                    \
	{                                  \
		name, value, strlen(value) \
	}

static struct profile_store_config catalog_config(const char *name)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));

	config.catalog = true;
	return config;
}

static void fill(struct profile_store *store)
{
	append_one(store, "h1", START_NS, NULL, "service_name=web,process=nginx");
	append_one(
		store, "h1", START_NS + 20 * NS_PER_S, OFF_CPU, "service_name=web,process=worker");
	append_one(store, "h2", START_NS + 2 * HOUR_NS, NULL, "service_name=db,process=postgres");
	append_one(store, "h2", START_NS + 5 * HOUR_NS, NULL, "process=alone,unit=x.service");
}

static void look(struct profile_store *store)
{
	struct list list;

	CHECK_STR(VALUES("service_name", ALL), "db web ");
	CHECK_STR(VALUES("process", ALL), "alone nginx postgres worker ");
	CHECK_STR(VALUES("host", ALL), "h1 h2 ");
	CHECK_STR(VALUES(NULL, ALL), "host process service_name unit ");
	CHECK_STR(VALUES("nothing", ALL), "");
	CHECK_STR(VALUES("__profile_type__", ALL), OFF_CPU " " PROFILE_TYPE_ON_CPU " ");
	CHECK_STR(VALUES("process", ALL, .type = OFF_CPU), "worker ");
	CHECK_STR(VALUES("process", ALL, .type = "a:b:c:d:e"), "");
	CHECK_STR(VALUES("process", ALL, MATCHERS(IS("service_name", "web"))), "nginx worker ");
	CHECK_STR(VALUES("process", ALL, .type = OFF_CPU, MATCHERS(IS("host", "h1"))), "worker ");
	CHECK_STR(
		VALUES("process", ALL, MATCHERS(IS("service_name", "web"), IS("host", "h2"))), "");
	CHECK_STR(VALUES(NULL, ALL, MATCHERS(IS("unit", "x.service"))), "host process unit ");
}

static void lists_are_of_labels_types_and_matching_series(void)
{
	struct profile_store_config config = catalog_config("lists");
	struct profile_store *store = fixture_open(&config, NULL);

	fill(store);
	look(store);
	profile_store_close(store);
}

static void a_range_means_the_hours_that_it_touches(void)
{
	struct profile_store_config config = catalog_config("hours");
	struct profile_store *store = fixture_open(&config, NULL);
	struct list list;

	fill(store);
	CHECK_STR(
		VALUES("process", .from_ns = START_NS, .until_ns = START_NS + 1), "nginx worker ");
	CHECK_STR(VALUES("process", .from_ns = START_NS + HOUR_NS - 1,
			  .until_ns = START_NS + 3 * HOUR_NS),
		"nginx postgres worker ");
	CHECK_STR(VALUES("process", .from_ns = START_NS + HOUR_NS,
			  .until_ns = START_NS + 2 * HOUR_NS),
		"");
	CHECK_STR(VALUES("service_name", .from_ns = START_NS + HOUR_NS,
			  .until_ns = START_NS + 3 * HOUR_NS, MATCHERS(IS("host", "h1"))),
		"");
	CHECK_STR(VALUES("process", .from_ns = START_NS, .until_ns = START_NS), "");
	profile_store_close(store);
}

static void pages_follow_each_other_and_take_a_prefix(void)
{
	struct profile_store_config config = catalog_config("pages");
	struct profile_store *store = fixture_open(&config, NULL);
	struct list list;

	for (int day = 0; day < 3; day++) {
		struct profile *profile =
			labelled_profile_new("h", START_NS - (uint64_t)day * 24 * HOUR_NS);
		char labels[64];

		for (int i = day; i < 9; i += 2) {
			snprintf(labels, sizeof(labels), "service_name=s,pod=p%d", i);
			labelled_profile_add(profile, NULL, labels);
		}
		labelled_profile_add(profile, NULL, "pod=q1");
		append(store, profile);
	}
	CHECK_STR(VALUES("pod", ALL, .limit = 4), "p0 p1 p2 p3 ");
	CHECK(list.more);
	CHECK_STR(VALUES("pod", ALL, .limit = 4, .after = "p3", .after_length = 2), "p4 p5 p6 p7 ");
	CHECK_STR(VALUES("pod", ALL, .limit = 4, .after = "p7", .after_length = 2), "p8 q1 ");
	CHECK(!list.more);
	CHECK_STR(VALUES("pod", ALL, .prefix = "q", .prefix_length = 1), "q1 ");
	CHECK_STR(VALUES("pod", ALL, .prefix = "p", .prefix_length = 1, .after = "p55",
			  .after_length = 3),
		"p6 p7 p8 ");
	CHECK_STR(VALUES("pod", ALL, .limit = 2, .prefix = "p", .prefix_length = 1,
			  MATCHERS(IS("service_name", "s"))),
		"p0 p1 ");
	CHECK(list.more);
	CHECK_STR(VALUES("pod", ALL, .after = "p6", .after_length = 2,
			  MATCHERS(IS("service_name", "s"))),
		"p7 p8 ");
	profile_store_close(store);
}

static void long_values_are_told_apart_and_paged(void)
{
	struct profile_store_config config = catalog_config("long");
	struct profile_store *store = fixture_open(&config, NULL);
	struct profile *profile = labelled_profile_new("h", START_NS);
	char text[3][602] = {"", "", ""}, labels[700], expected[2000];
	struct list list;

	for (size_t i = 0; i < 3; i++) {
		memset(text[i], 'x', 600);
		text[i][600] = (char)('0' + i);
		snprintf(labels, sizeof(labels), "path=%.601s", text[i]);
		labelled_profile_add(profile, NULL, labels);
	}
	append(store, profile);
	snprintf(expected, sizeof(expected), "%s %s %s ", text[0], text[1], text[2]);
	CHECK_STR(VALUES("path", ALL), expected);
	snprintf(expected, sizeof(expected), "%s ", text[0]);
	CHECK_STR(VALUES("path", ALL, .limit = 1), expected);
	snprintf(expected, sizeof(expected), "%s ", text[2]);
	CHECK_STR(VALUES("path", ALL, .after = text[1], .after_length = strlen(text[1])), expected);
	profile_store_close(store);
}

static void a_store_without_catalogue_says_so(void)
{
	struct profile_store_config config = fixture_config(work_path("without"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct profile_store_label_query query = {ALL, .limit = 10};
	struct list list = {.text = ""};

	fill(store);
	CHECK_EQ(profile_store_label_values(store, "host", &query, add_text, list.text, &list.more),
		-EAGAIN);
	CHECK_EQ(
		profile_store_label_names(store, &query, add_text, list.text, &list.more), -EAGAIN);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_catalog_not_ready), 2);
	profile_store_close(store);
}

/* Of a store that is closed. */
static void try_again_after(const char *name, const char *damage, uint64_t made_anew)
{
	struct profile_store_config config = catalog_config(name);
	struct profile_store *store = fixture_open(&config, NULL);

	fill(store);
	look(store);
	profile_store_close(store);
	if (damage)
		work_run("cd %s && %s", name, damage);
	store = fixture_open(&config, NULL);
	look(store);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_catalog_made_anew), made_anew);
	append_one(store, "h3", START_NS + 6 * HOUR_NS, NULL, "service_name=new");
	{
		struct list list;

		CHECK_STR(VALUES("service_name", ALL), "db new web ");
	}
	profile_store_close(store);
}

static void what_was_closed_in_order_is_taken_up(void)
{
	try_again_after("kept", NULL, 0);
}

static void what_is_missing_or_damaged_is_made_anew(void)
{
	try_again_after("deleted", "rm -r catalog", 1);
	try_again_after("marked", "rm catalog/closed-in-order", 1);
	try_again_after("cut", "truncate -s 8192 catalog/data.mdb", 1);
	try_again_after("flipped",
		"printf x | dd of=catalog/data.mdb bs=1 seek=9000 conv=notrunc status=none", 1);
	try_again_after("version",
		"printf 9 | dd of=catalog/closed-in-order bs=1 seek=8 conv=notrunc status=none", 1);
	/* Profiles that came without it. */
	try_again_after("behind", "cp profiles/0000000001.log profiles/0000000009.log", 1);
}

static void what_is_past_retention_is_in_no_list(void)
{
	struct profile_store_config config = catalog_config("retention");
	struct profile_store *store;
	struct list list;

	config.retain_ns = 26 * HOUR_NS;
	store = fixture_open(&config, NULL);
	fill(store);
	CHECK_STR(VALUES("process", ALL), "alone nginx postgres worker ");
	fixture_now_ns += 4 * HOUR_NS;
	CHECK_STR(VALUES("process", ALL), "alone postgres ");
	fixture_now_ns += 40 * HOUR_NS;
	profile_store_retain(store);
	CHECK_STR(VALUES("process", ALL), "");
	fixture_now_ns -= 44 * HOUR_NS;
	profile_store_close(store);
}

int main(void)
{
	RUN(lists_are_of_labels_types_and_matching_series);
	RUN(a_range_means_the_hours_that_it_touches);
	RUN(pages_follow_each_other_and_take_a_prefix);
	RUN(long_values_are_told_apart_and_paged);
	RUN(a_store_without_catalogue_says_so);
	RUN(what_was_closed_in_order_is_taken_up);
	RUN(what_is_missing_or_damaged_is_made_anew);
	RUN(what_is_past_retention_is_in_no_list);
	return 0;
}
