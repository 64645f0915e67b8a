/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/cgroup_table.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void equal_places_are_one_entry_that_ends_with_its_last_holder(void)
{
	struct cgroup_place place = {.unit = "nginx.service"};
	struct cgroup *one, *two;
	struct cgroup_table table;

	CHECK_EQ(cgroup_table_init(&table, work_dir()), 0);
	CHECK_EQ(cgroup_get(&table, &place, &one), 0);
	CHECK_EQ(cgroup_get(&table, &place, &two), 0);
	CHECK(one == two);
	CHECK(cgroup_share(one) == one);
	CHECK_EQ(table.count, 1);
	cgroup_release(&table, one);
	cgroup_release(&table, one);
	CHECK_EQ(table.count, 1);
	cgroup_release(&table, one);
	CHECK_EQ(table.count, 0);
	cgroup_table_done(&table);
}

static void a_place_that_says_nothing_is_none(void)
{
	struct cgroup_place place = {0};
	struct cgroup *cgroup = NULL;
	struct cgroup_table table;

	CHECK_EQ(cgroup_table_init(&table, work_dir()), 0);
	CHECK_EQ(cgroup_get(&table, &place, &cgroup), 0);
	CHECK(!cgroup);
	CHECK(!cgroup_share(NULL));
	cgroup_release(&table, NULL);
	cgroup_table_done(&table);
}

static void the_service_is_the_unit_or_the_container_by_its_name(void)
{
	struct cgroup_place unit = {.unit = "postgresql@15-main.service"};
	struct cgroup_place container = {.container = ID};
	struct cgroup_place both = {.container = ID, .unit = "nginx.service"};
	struct cgroup_place named = {.container = "builder", .container_is_name = true};
	struct cgroup_place nameless = {
		.container = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"};
	struct cgroup_table table;
	struct cgroup *cgroup;

	work_run("mkdir -p var/lib/docker/containers/" ID);
	work_write_text("var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\":\"/web\"}");
	CHECK_EQ(cgroup_table_init(&table, work_dir()), 0);
	CHECK_EQ(cgroup_get(&table, &unit, &cgroup), 0);
	CHECK_STR(cgroup->service, "postgresql@15-main");
	CHECK_EQ(cgroup_get(&table, &container, &cgroup), 0);
	CHECK_STR(cgroup->service, "web");
	CHECK_EQ(cgroup_get(&table, &both, &cgroup), 0);
	CHECK_STR(cgroup->service, "nginx");
	CHECK_EQ(cgroup_get(&table, &named, &cgroup), 0);
	CHECK_STR(cgroup->service, "builder");
	CHECK_EQ(cgroup_get(&table, &nameless, &cgroup), 0);
	CHECK_STR(cgroup->service, "");
	cgroup_table_done(&table);
}

static void a_full_table_refuses(void)
{
	struct cgroup_place place = {0};
	struct cgroup_table table;
	struct cgroup *cgroup;

	CHECK_EQ(cgroup_table_init(&table, work_dir()), 0);
	for (unsigned i = 0; i < CGROUP_COUNT_MAX; i++) {
		snprintf(place.unit, sizeof(place.unit), "u%u.service", i);
		CHECK_EQ(cgroup_get(&table, &place, &cgroup), 0);
	}
	snprintf(place.unit, sizeof(place.unit), "one-more.service");
	CHECK_EQ(cgroup_get(&table, &place, &cgroup), -E2BIG);
	cgroup_table_done(&table);
}

int main(void)
{
	RUN(equal_places_are_one_entry_that_ends_with_its_last_holder);
	RUN(a_place_that_says_nothing_is_none);
	RUN(the_service_is_the_unit_or_the_container_by_its_name);
	RUN(a_full_table_refuses);
	return 0;
}
