/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/series_list.h"

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define HEAP "memory:inuse_space:bytes:space:bytes"

static struct profile *made(void)
{
	struct profile *profile = sample_profile_new("h", 0, NS_PER_S);

	sample_profile_add(
		profile, &(struct sample_profile_sample){.stack = "f", .process = "web", .pid = 1});
	sample_profile_add(
		profile, &(struct sample_profile_sample){.stack = "g", .process = "web", .pid = 2});
	sample_profile_add(profile,
		&(struct sample_profile_sample){
			.stack = "f", .process = "db", .pid = 3, .type = HEAP, .value = 7});
	sample_profile_seal(profile);
	return profile;
}

static void add_text(
	void *context, const char *name, size_t name_length, const char *value, size_t value_length)
{
	char *text = context;

	(void)snprintf(text + strlen(text), 500 - strlen(text), "%.*s=%.*s;", (int)name_length,
		name, (int)value_length, value);
}

static void lists(
	const char *query, const char *const *names, uint32_t name_count, const char *expected)
{
	char error[SELECTOR_ERROR_BYTES_MAX], text[500] = "";
	struct profile *profile = made();
	struct selector selector;
	struct series_list list;

	CHECK_EQ(selector_parse(query, strlen(query), &selector, error), 0);
	CHECK_EQ(series_list_init(
			 &list, &selector, (struct time_range){0, NS_PER_S}, names, name_count),
		0);
	/* What came before is there. */
	CHECK_EQ(series_list_add(&list, profile), 0);
	CHECK_EQ(series_list_add(&list, profile), 0);
	for (uint32_t i = 0; i < series_list_count(&list); i++) {
		series_list_visit(&list, i, add_text, text);
		strcat(text, "\n");
	}
	CHECK_STR(text, expected);
	series_list_done(&list);
	selector_done(&selector);
	profile_free(profile);
}

static void combinations_of_labels_are_distinct(void)
{
	static const char *const names[] = {"__profile_type__", "process"};
	static const char *const host[] = {"host", "pid"};

	lists("{}", names, 2,
		"__profile_type__=process_cpu:cpu:nanoseconds:cpu:nanoseconds;process=web;\n"
		"__profile_type__=" HEAP ";process=db;\n");
	/* Labels of a row alone are in none. */
	lists("{}", host, 2, "host=h;\n");
	lists("{process=\"db\"}", names, 2, "__profile_type__=" HEAP ";process=db;\n");
}

static void without_names_a_series_has_all_its_labels(void)
{
	lists(HEAP "{}", NULL, 0, "__profile_type__=" HEAP ";host=h;process=db;service_name=db;\n");
}

int main(void)
{
	RUN(combinations_of_labels_are_distinct);
	RUN(without_names_a_series_has_all_its_labels);
	return 0;
}
