/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/catalog_fixture.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define HOUR CATALOG_FIXTURE_HOUR

static struct catalog_fixture fixture;

static const char *matching(const char *name, struct profile_store_label_query query)
{
	static struct catalog_fixture_list list;
	struct catalog_output output = {.visit = catalog_fixture_put, .context = &list};
	struct lmdb_txn *txn;
	uint32_t number = 0;

	list.text[0] = '\0';
	query.until_ns = query.until_ns ? query.until_ns : UINT64_MAX;
	query.limit = query.limit ? query.limit : 1000;
	CHECK_EQ(lmdb_read_begin(fixture.tables.env, &txn), 0);
	if (name) {
		CHECK_EQ(catalog_find_text(&fixture.tables, txn,
				 (struct catalog_text){name, strlen(name)}, &number),
			0);
	}
	CHECK_EQ(catalog_list_matching(&fixture.tables, txn, number, &query, &output), 0);
	lmdb_read_end(txn);
	if (output.more)
		strcat(list.text, "+");
	return list.text;
}

/* Every value of three labels against every other: as a plain loop finds it. */
static void intersections_are_what_a_loop_over_all_finds(void)
{
	for (int i = 0; i < 60; i++) {
		char labels[64];

		snprintf(labels, sizeof(labels), "two=%d,three=%d,five=%d,id=%02d", i % 2, i % 3,
			i % 5, i);
		catalog_fixture_add(&fixture, HOUR, NULL, labels);
	}
	for (int i = 0; i < 30; i++) {
		char values[3][4], expected[512] = "";
		struct profile_store_label_matcher matchers[] = {
			{"two", values[0], 1}, {"three", values[1], 1}, {"five", values[2], 1}};
		struct profile_store_label_query query = {.matchers = matchers, .matcher_count = 3};

		snprintf(values[0], 4, "%d", i % 2);
		snprintf(values[1], 4, "%d", i % 3);
		snprintf(values[2], 4, "%d", i % 5);
		snprintf(expected, sizeof(expected), "%02d %02d ", i, i + 30);
		CHECK_STR(matching("id", query), expected);
	}
}

static void what_nothing_has_matches_nothing(void)
{
	struct profile_store_label_matcher absent = {"two", "7", 1};
	struct profile_store_label_matcher both[] = {{"two", "1", 1}, {"id", "02", 2}};

	CHECK_STR(matching("id",
			  (struct profile_store_label_query){
				  .matchers = &absent, .matcher_count = 1}),
		"");
	CHECK_STR(matching("id",
			  (struct profile_store_label_query){.matchers = both, .matcher_count = 2}),
		"");
	CHECK_STR(matching(NULL,
			  (struct profile_store_label_query){
				  .matchers = both, .matcher_count = 1, .limit = 2}),
		"five host +");
}

static void a_series_counts_in_its_hours_alone(void)
{
	struct profile_store_label_matcher matcher = {"two", "1", 1};
	struct profile_store_label_query query = {
		.matchers = &matcher, .matcher_count = 1, .prefix = "1", .prefix_length = 1};

	CHECK_STR(matching("id", query), "11 13 15 17 19 ");
	query.after = "15";
	query.after_length = 2;
	CHECK_STR(matching("id", query), "17 19 ");
	query.from_ns = (HOUR + 1) * CATALOG_HOUR_NS;
	CHECK_STR(matching("id", query), "");
	catalog_fixture_add(&fixture, HOUR + 50, NULL, "two=1,id=19");
	CHECK_STR(matching("id", query), "19 ");
}

static void numbers_are_kept_once(void)
{
	struct catalog_numbers numbers;

	catalog_numbers_init(&numbers);
	for (uint32_t i = 0; i < 1000; i++)
		CHECK_EQ(catalog_numbers_add(&numbers, i % 100), 0);
	CHECK_EQ(numbers.count, 100);
	CHECK(catalog_numbers_has(&numbers, 99));
	CHECK(!catalog_numbers_has(&numbers, 100));
	catalog_numbers_done(&numbers);
}

int main(void)
{
	work_run("mkdir list");
	catalog_fixture_open(&fixture, work_path("list"));
	RUN(intersections_are_what_a_loop_over_all_finds);
	RUN(what_nothing_has_matches_nothing);
	RUN(a_series_counts_in_its_hours_alone);
	RUN(numbers_are_kept_once);
	catalog_fixture_close(&fixture);
	return 0;
}
