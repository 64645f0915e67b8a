/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/catalog_fixture.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define HOUR CATALOG_FIXTURE_HOUR
#define NS(hour) ((hour)*CATALOG_HOUR_NS)
#define ALL                                                         \
	{                                                           \
		.from_ns = 0, .until_ns = UINT64_MAX, .limit = 1000 \
	}

static struct catalog_fixture fixture;

static const char *values(const char *name, struct profile_store_label_query query)
{
	static struct catalog_fixture_list list;
	bool more = false;

	list.text[0] = '\0';
	CHECK_EQ(catalog_read_values(
			 &fixture.tables, name, &query, catalog_fixture_put, &list, &more),
		0);
	if (more)
		strcat(list.text, "+");
	return list.text;
}

static void days_are_merged_in_order_each_value_once(void)
{
	struct profile_store_label_query query = ALL;

	catalog_fixture_add(&fixture, HOUR, NULL, "v=b");
	catalog_fixture_add(&fixture, HOUR + 24, NULL, "v=a");
	catalog_fixture_add(&fixture, HOUR + 24, NULL, "v=b");
	catalog_fixture_add(&fixture, HOUR + 72, NULL, "v=c");
	CHECK_STR(values("v", query), "a b c ");
	query.limit = 2;
	CHECK_STR(values("v", query), "a b +");
	query.limit = 3;
	CHECK_STR(values("v", query), "a b c ");
}

static void an_hour_of_a_day_has_its_own(void)
{
	struct profile_store_label_query query = ALL;

	catalog_fixture_add(&fixture, HOUR + 100, NULL, "w=early");
	catalog_fixture_add(&fixture, HOUR + 103, NULL, "w=late");
	query.from_ns = NS(HOUR + 101);
	CHECK_STR(values("w", query), "late ");
	query.until_ns = NS(HOUR + 103);
	CHECK_STR(values("w", query), "");
	query.until_ns = NS(HOUR + 103) + 1;
	CHECK_STR(values("w", query), "late ");
}

static void values_are_any_bytes(void)
{
	struct profile_store_label_query query = ALL;

	catalog_fixture_add(&fixture, HOUR, NULL, "u=\xff\xfe");
	catalog_fixture_add(&fixture, HOUR, NULL, "u=\x01");
	CHECK_STR(values("u", query), "\x01 \xff\xfe ");
	query.prefix = "\xff";
	query.prefix_length = 1;
	CHECK_STR(values("u", query), "\xff\xfe ");
}

static void names_are_those_that_some_value_has(void)
{
	struct profile_store_label_query query = ALL;
	struct catalog_fixture_list list = {.text = ""};
	bool more;

	CHECK_EQ(catalog_read_names(&fixture.tables, &query, catalog_fixture_put, &list, &more), 0);
	CHECK_STR(list.text, "host u v w ");
	list.text[0] = '\0';
	query.from_ns = NS(HOUR + 100);
	CHECK_EQ(catalog_read_names(&fixture.tables, &query, catalog_fixture_put, &list, &more), 0);
	CHECK_STR(list.text, "host w ");
	list.text[0] = '\0';
	query.from_ns = 0;
	query.prefix = "w";
	query.prefix_length = 1;
	CHECK_EQ(catalog_read_names(&fixture.tables, &query, catalog_fixture_put, &list, &more), 0);
	CHECK_STR(list.text, "w ");
}

/* A range of all time has no list of its own for each day of it. */
static void days_without_anything_cost_nothing(void)
{
	struct profile_store_label_query query = ALL;

	CHECK_STR(values("v", query), "a b c ");
	catalog_fixture_add(&fixture, HOUR + CATALOG_READ_DAY_COUNT_MAX * 24, NULL, "v=far");
	{
		struct catalog_fixture_list list = {.text = ""};
		bool more;

		CHECK_EQ(catalog_read_values(
				 &fixture.tables, "v", &query, catalog_fixture_put, &list, &more),
			-E2BIG);
	}
	query.until_ns = NS(HOUR + 200);
	CHECK_STR(values("v", query), "a b c ");
}

static int stop(void *context, const char *text, size_t length)
{
	(void)text;
	(void)length;
	return --*(int *)context == 0 ? 7 : 0;
}

static void a_visitor_ends_the_list(void)
{
	struct profile_store_label_query query = {
		.from_ns = 0, .until_ns = NS(HOUR + 200), .limit = 10};
	int count = 2;
	bool more;

	CHECK_EQ(catalog_read_values(&fixture.tables, "v", &query, stop, &count, &more), 7);
}

int main(void)
{
	work_run("mkdir read");
	catalog_fixture_open(&fixture, work_path("read"));
	CHECK_STR(values("v", (struct profile_store_label_query)ALL), "");
	RUN(days_are_merged_in_order_each_value_once);
	RUN(an_hour_of_a_day_has_its_own);
	RUN(values_are_any_bytes);
	RUN(names_are_those_that_some_value_has);
	RUN(days_without_anything_cost_nothing);
	RUN(a_visitor_ends_the_list);
	catalog_fixture_close(&fixture);
	return 0;
}
