/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_write.h"

#include "tests/support/catalog_fixture.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define HOUR CATALOG_FIXTURE_HOUR
#define DAY (HOUR / CATALOG_DAY_HOURS)
#define OFF_CPU "off_cpu:off_cpu:nanoseconds::"

static void open_fixture(struct catalog_fixture *fixture, const char *name)
{
	work_run("mkdir -p %s", name);
	catalog_fixture_open(fixture, work_path("%s", name));
}

static void a_series_has_one_number_whenever_it_comes(void)
{
	struct catalog_fixture fixture;

	open_fixture(&fixture, "once");
	for (uint32_t i = 0; i < 48; i++) {
		catalog_fixture_add(&fixture, HOUR + i, NULL, "service_name=web,process=a");
		catalog_fixture_add(&fixture, HOUR + i, OFF_CPU, "process=a,service_name=web");
	}
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.series), 1);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.posting), 3);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.day_series), 2);
	/* Two types, host, process, service_name; two days. */
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.day_value), 10);
	catalog_fixture_close(&fixture);
}

static void numbers_go_on_after_reopening(void)
{
	struct catalog_fixture fixture;

	open_fixture(&fixture, "again");
	catalog_fixture_add(&fixture, HOUR, NULL, "a=1");
	catalog_fixture_close(&fixture);
	open_fixture(&fixture, "again");
	catalog_fixture_add(&fixture, HOUR, NULL, "a=2");
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.series), 2);
	/* a, 1, 2, host, h, the type, and what types are called. */
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.text), 7);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.text_number), 7);
	catalog_fixture_close(&fixture);
}

static void a_day_goes_with_the_series_that_end_in_it(void)
{
	struct catalog_fixture fixture;

	open_fixture(&fixture, "trim");
	catalog_fixture_add(&fixture, HOUR, NULL, "a=old,b=same");
	catalog_fixture_add(&fixture, HOUR, NULL, "a=stays,b=same");
	catalog_fixture_add(&fixture, HOUR + 24, NULL, "a=stays,b=same");
	catalog_fixture_trim(&fixture, DAY);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.series), 2);
	catalog_fixture_trim(&fixture, DAY + 1);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.series), 1);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.series_number), 1);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.posting), 3);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.day_series), 1);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.day_value), 4);
	/* a, stays, b, same, host, h, type, what types are called: `old` went. */
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.text), 8);
	catalog_fixture_trim(&fixture, DAY + 2);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.series), 0);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.posting), 0);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.day_value), 0);
	/* Types stay. */
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.text), 2);
	catalog_fixture_add(&fixture, HOUR + 48, NULL, "a=old");
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.series), 1);
	catalog_fixture_close(&fixture);
}

/* A value that reads like a type goes, the type does not. */
static void a_text_that_is_a_type_stays_as_one(void)
{
	struct catalog_fixture fixture;

	open_fixture(&fixture, "types");
	catalog_fixture_add(&fixture, HOUR, NULL, "a=" PROFILE_TYPE_ON_CPU);
	catalog_fixture_trim(&fixture, DAY + 1);
	CHECK_EQ(catalog_fixture_count(&fixture, fixture.tables.text), 2);
	catalog_fixture_close(&fixture);
}

int main(void)
{
	RUN(a_series_has_one_number_whenever_it_comes);
	RUN(numbers_go_on_after_reopening);
	RUN(a_day_goes_with_the_series_that_end_in_it);
	RUN(a_text_that_is_a_type_stays_as_one);
	return 0;
}
