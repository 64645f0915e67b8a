/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/series.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"
#include "tests/support/tree_fixture.h"

#define START (UINT64_C(1700000000) * NS_PER_S)
#define PERIOD INT64_C(10000000)

/* A second: 30 samples of web in main;f and 20 of db in main;g;f, evenly. */
static struct profile *make_second(const char *host, uint64_t second)
{
	struct profile *profile = sample_profile_new(host, START + second * NS_PER_S, NS_PER_S);

	for (uint32_t i = 0; i < 50; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = i % 5 < 3 ? "main;f"
					: i % 2				   ? "main;g;f"
									   : "main;f;g",
				.process = i % 5 < 3 ? "web" : "db",
				.pid = i % 5 < 3 ? 1 : 2,
				.cpu = i % 2,
				.slot = i});
	}
	sample_profile_seal(profile);
	return profile;
}

static struct selector parse(const char *text)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct selector selector;

	CHECK_EQ(selector_parse(text, strlen(text), &selector, error), 0);
	return selector;
}

static struct series_question ask(
	const struct selector *selector, uint64_t seconds, uint64_t step_ns, const char *by)
{
	struct series_question question = {
		.selector = selector, .range = {START, START + seconds * NS_PER_S}};

	if (by)
		question.by = (struct label_names){.names = {by}, .count = 1};
	CHECK_EQ(time_steps_init(question.range, step_ns, 10000, &question.steps), 0);
	return question;
}

static void add_seconds(struct series *series, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct profile *profile = make_second(i % 2 ? "b" : "a", i);

		CHECK_EQ(series_add(series, profile), 0);
		profile_free(profile);
	}
}

static void groups_and_rest_add_up_to_all_in_every_step(void)
{
	struct selector selector = parse("");
	struct series_question question = ask(&selector, 10, 500 * NS_PER_MS, "process");
	struct series series;
	uint32_t *order, count;
	size_t length;

	CHECK_EQ(series_init(&series, &question), 0);
	add_seconds(&series, 10);
	CHECK_EQ(series.sample_count, 500);
	CHECK_EQ(series.total, 500 * PERIOD);
	CHECK_EQ(series_rank(&series, 1, &order, &count), 0);
	CHECK_EQ(count, 2);
	CHECK_STR(label_groups_text(&series.groups, order[0], 0, &length), "web");
	CHECK_EQ(series.totals[order[0]].total, 300 * PERIOD);
	CHECK_EQ(series.rest.total, 200 * PERIOD);
	CHECK_EQ(series.rest.sample_count, 200);
	for (uint32_t i = 0; i < 20; i++) {
		CHECK_EQ(series_sums(&series, order[0], SERIES_ALL)[i] +
				series_sums(&series, LABEL_GROUPS_REST, SERIES_ALL)[i],
			25 * PERIOD);
	}
	free(order);
	series_done(&series);
	selector_done(&selector);
}

static void selectors_choose_and_ranges_cut(void)
{
	struct selector selector = parse("{process=\"db\",cpu=\"1\"}");
	struct series_question question = ask(&selector, 2, NS_PER_S, NULL);
	struct series series;

	question.range.until_ns -= NS_PER_S / 2;
	CHECK_EQ(series_init(&series, &question), 0);
	add_seconds(&series, 3);
	/* Ten a second on that CPU. */
	CHECK_EQ(series_sums(&series, 0, SERIES_ALL)[0], 10 * PERIOD);
	CHECK_EQ(series_sums(&series, 0, SERIES_ALL)[1], 5 * PERIOD);
	CHECK_EQ(series.total, 15 * PERIOD);
	series_done(&series);
	selector_done(&selector);
}

static void groups_that_find_no_room_are_in_the_rest(void)
{
	struct selector selector = parse("");
	struct series_question question = ask(&selector, 4, NS_PER_S, "cpu");
	struct series series;
	uint32_t *order, count;

	CHECK_EQ(series_init(&series, &question), 0);
	series.groups.count_max = 1;
	add_seconds(&series, 4);
	CHECK_EQ(series_rank(&series, 10, &order, &count), 0);
	CHECK_EQ(count, 1);
	CHECK_EQ(series.totals[order[0]].total + series.rest.total, 200 * PERIOD);
	CHECK_EQ(series.rest.sample_count, 100);
	free(order);
	series_done(&series);
	selector_done(&selector);
}

/* As a first visit does. */
static void visit_first(struct tree_fixture *fixture, uint64_t seconds)
{
	tree_fixture_begin(fixture);
	for (uint64_t i = 0; i < seconds; i++) {
		struct profile *profile = make_second("a", i);

		CHECK_EQ(merge_add(&fixture->merge, profile), 0);
		profile_free(profile);
	}
	tree_fixture_end(fixture);
}

static void a_function_has_its_own_time_and_that_of_what_it_called(void)
{
	struct selector selector = parse("");
	struct series_question question = ask(&selector, 2, NS_PER_S, "process");
	struct function_wanted wanted = {.name = "g"};
	struct function_match found;
	struct tree_fixture fixture;
	struct series series;
	int64_t self = 0, in = 0;

	visit_first(&fixture, 2);
	CHECK_EQ(function_match_init(
			 &found, &fixture.merge, &fixture.naming, &fixture.functions, &wanted),
		0);
	question.match = &found;
	CHECK_EQ(series_init(&series, &question), 0);
	add_seconds(&series, 2);
	for (uint32_t i = 0; i < series.groups.count; i++) {
		self += series_sums(&series, i, SERIES_SELF)[1];
		in += series_sums(&series, i, SERIES_IN)[1];
	}
	/* Of twenty a second, ten end in it and ten go through it. */
	CHECK_EQ(self, 10 * PERIOD);
	CHECK_EQ(in, 20 * PERIOD);
	series_done(&series);
	function_match_done(&found);
	tree_fixture_done(&fixture);
	selector_done(&selector);
}

static void a_sum_that_does_not_fit_is_refused(void)
{
	struct selector selector = parse("");
	struct series_question question = ask(&selector, 2, NS_PER_S, NULL);
	struct profile *profile = sample_profile_new("a", START, NS_PER_S);
	struct series series;

	sample_profile_add(
		profile, &(struct sample_profile_sample){.stack = "f", .value = INT64_MAX - 5});
	sample_profile_seal(profile);
	CHECK_EQ(series_init(&series, &question), 0);
	CHECK_EQ(series_add(&series, profile), 0);
	CHECK_EQ(series_add(&series, profile), -EOVERFLOW);
	series_done(&series);
	profile_free(profile);
	selector_done(&selector);
}

static void an_empty_range_has_no_steps(void)
{
	struct selector selector = parse("");
	struct series_question question = ask(&selector, 0, NS_PER_S, "host");
	struct series series;
	uint32_t *order, count;

	CHECK_EQ(series_init(&series, &question), 0);
	add_seconds(&series, 2);
	CHECK_EQ(series.total, 0);
	CHECK_EQ(series_rank(&series, 10, &order, &count), 0);
	CHECK_EQ(count, 0);
	free(order);
	series_done(&series);
	selector_done(&selector);
}

int main(void)
{
	RUN(groups_and_rest_add_up_to_all_in_every_step);
	RUN(selectors_choose_and_ranges_cut);
	RUN(groups_that_find_no_room_are_in_the_rest);
	RUN(a_function_has_its_own_time_and_that_of_what_it_called);
	RUN(a_sum_that_does_not_fit_is_refused);
	RUN(an_empty_range_has_no_steps);
	return 0;
}
