/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/series_label.h"

#include <stdio.h>

#include "tests/support/check.h"

/* `key=value` for each label of SERIES, in the order of the set. */
static void expect(const struct series *series, const char *expected)
{
	struct profile *profile;
	const struct label_set *set;
	char text[512] = "";
	size_t length = 0;
	uint32_t index;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(series_label_add(profile, series, &index), 0);
	set = &profile->labels.sets[index];
	for (uint32_t i = 0; i < set->count; i++) {
		const struct label *label = &profile->labels.labels[set->first + i];

		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s=%s",
			i > 0 ? " " : "", string_table_text(&profile->strings, label->key),
			string_table_text(&profile->strings, label->value));
	}
	CHECK_STR(text, expected);
	profile_free(profile);
}

static void a_process_in_no_place_is_its_own_service(void)
{
	expect(&(struct series){.process = "redis"}, "process=redis service_name=redis");
}

static void a_place_gives_all_that_it_knows(void)
{
	struct cgroup place = {
		.place = {.container = "0123456789abcdef0123", .pod = "uid-1", .unit = "a.service"},
		.service = "shop"};
	struct series series = {"node", &place};

	expect(&series,
		"container=0123456789ab pod=uid-1 process=node service_name=shop unit=a.service");
	snprintf(place.name.pod, sizeof(place.name.pod), "cart-7");
	snprintf(place.name.namespace_name, sizeof(place.name.namespace_name), "live");
	expect(&series,
		"container=0123456789ab namespace=live pod=cart-7 process=node service_name=shop "
		"unit=a.service");
}

static void a_container_that_people_named_keeps_its_name(void)
{
	struct cgroup place = {
		.place = {.container = "a-rather-long-name", .container_is_name = true}};

	expect(&(struct series){"sh", &place},
		"container=a-rather-long-name process=sh service_name=sh");
}

int main(void)
{
	RUN(a_process_in_no_place_is_its_own_service);
	RUN(a_place_gives_all_that_it_knows);
	RUN(a_container_that_people_named_keeps_its_name);
	return 0;
}
