/* SPDX-License-Identifier: Apache-2.0 */
/* Trees over a real store: what adds up, what is kept, what ends early. */
#include "symbolizer-server/http/profile_query.h"

#include <inttypes.h>

#include "tests/support/fake_profile.h"
#include "tests/support/site_fixture.h"
#include "tests/support/work_dir.h"

#define QUERY "query=process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define WINDOW_COUNT 40
#define SAMPLE_COUNT 100
#define RANGE_NS (WINDOW_COUNT * FIXTURE_WINDOW_NS)

static struct site_fixture fixture;

/* Two hosts, in turn. */
static void fill(const char *folder)
{
	struct profile_store_config config = fixture_config(work_path("%s", folder));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	for (uint64_t i = 0; i < WINDOW_COUNT; i++)
		CHECK_EQ(fixture_append(store, i % 2 ? "b" : "a", 1, i, SAMPLE_COUNT, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	site_fixture_init(&fixture, store);
}

static char *ask(http_handle_fn handle, const char *more, uint64_t from_ns, uint64_t until_ns)
{
	char params[512];

	(void)snprintf(params, sizeof(params), QUERY "%s&from=%" PRIu64 "&until=%" PRIu64, more,
		from_ns, until_ns);
	return site_fixture_ask(&fixture, handle, params, 200);
}

struct sums {
	long long total;
	long long samples;
};

static struct sums sums_of(
	http_handle_fn handle, const char *more, uint64_t from_ns, uint64_t until_ns)
{
	char *body = ask(handle, more, from_ns, until_ns);
	struct sums sums = {
		site_fixture_number(body, "total"), site_fixture_number(body, "sample_count")};

	free(body);
	return sums;
}

/* Whatever is asked and however it is cut, the parts are the whole. */
static void check_cuts(http_handle_fn handle, const char *more, uint64_t unit_ns, int cut_count)
{
	uint64_t from_ns = FIXTURE_START_NS + 3 * NS_PER_S;
	uint64_t until_ns = FIXTURE_START_NS + RANGE_NS - 7 * NS_PER_S;
	struct sums whole = sums_of(handle, more, from_ns, until_ns);
	uint64_t state = 11;

	CHECK(whole.samples > 0);
	for (int i = 0; i < cut_count; i++) {
		uint64_t cut_ns =
			from_ns + fake_random(&state) % ((until_ns - from_ns) / unit_ns) * unit_ns;
		struct sums left = sums_of(handle, more, from_ns, cut_ns);
		struct sums right = sums_of(handle, more, cut_ns, until_ns);

		CHECK_EQ(left.total + right.total, whole.total);
		CHECK_EQ(left.samples + right.samples, whole.samples);
	}
}

static void adjacent_ranges_add_up_to_their_union_on_any_cut(void)
{
	static const char *const selectors[] = {
		"", "{host=\"a\"}", "{cpu=\"1\"}", "{thread=~\".*1.*\"}"};
	static const uint64_t units[] = {10 * NS_PER_S, NS_PER_S, 1};

	for (size_t i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++) {
		for (size_t unit = 0; unit < sizeof(units) / sizeof(units[0]); unit++) {
			check_cuts(route_flame, selectors[i], units[unit], 2);
			check_cuts(route_series, selectors[i], units[unit], 1);
			check_cuts(route_heatmap, selectors[i], units[unit], 1);
		}
	}
	check_cuts(route_top, "", NS_PER_S, 4);
}

static void an_empty_range_has_an_empty_answer(void)
{
	static const http_handle_fn handles[] = {
		route_flame, route_top, route_series, route_heatmap, route_symbols};

	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
		struct sums sums = sums_of(
			handles[i], "", FIXTURE_START_NS + NS_PER_S, FIXTURE_START_NS + NS_PER_S);

		CHECK_EQ(sums.total, 0);
		CHECK_EQ(sums.samples, 0);
	}
	free(ask(route_export, "&format=folded", FIXTURE_START_NS, FIXTURE_START_NS));
}

/* Answers of all kinds, to ranges that begin and end anywhere. */
#define KEPT_COUNT_MAX 256

struct kept {
	char *answers[KEPT_COUNT_MAX];
	uint32_t count;
};

static void keep(struct kept *kept, http_handle_fn handle, const char *more)
{
	static const uint64_t cuts_ms[][2] = {
		{0, 400000}, {30000, 370000}, {31000, 33000}, {12345, 234567}, {100010, 100030}};

	for (size_t i = 0; i < sizeof(cuts_ms) / sizeof(cuts_ms[0]); i++) {
		CHECK(kept->count < KEPT_COUNT_MAX);
		kept->answers[kept->count++] =
			ask(handle, more, FIXTURE_START_NS + cuts_ms[i][0] * NS_PER_MS,
				FIXTURE_START_NS + cuts_ms[i][1] * NS_PER_MS);
	}
}

static void forget_trees(void)
{
	memo_free(fixture.site.trees);
	CHECK_EQ(memo_new((size_t)64 << 20, profile_tree_free, &fixture.site.trees), 0);
}

/* The function with the most time of its own, over time. */
static void keep_function(struct kept *kept)
{
	static const char before[] = "\"functions\":[{\"name\":\"";
	char *body = ask(route_top, "&limit=1", FIXTURE_START_NS, FIXTURE_START_NS + RANGE_NS);
	const char *name = strstr(body, before);
	char more[256];

	CHECK(name);
	name += sizeof(before) - 1;
	(void)snprintf(more, sizeof(more), "&step=100s&by=host&function=%.*s",
		(int)strcspn(name, "\""), name);
	keep(kept, route_series, more);
	CHECK(!strstr(kept->answers[kept->count - 5], "\"self\":[0,0,0,0,0]"));
	free(body);
}

static void keep_all(struct kept *kept)
{
	kept->count = 0;
	keep(kept, route_flame, "");
	keep(kept, route_flame, "{host=\"a\",thread=~\".*1.*\"}");
	keep(kept, route_flame, "{service_name=~\".*[0-4]\"}&root=host,cpu");
	keep(kept, route_top, "{cpu=\"1\"}");
	keep(kept, route_export, "&format=folded");
	keep(kept, route_series, "&by=process,host&step=15s");
	keep(kept, route_series, "{host!=\"b\"}&by=thread&step=2s");
	keep_function(kept);
	keep(kept, route_heatmap, "&column=10s&rows=100");
	keep(kept, route_render, "&groupBy=host");
	keep(kept, route_symbols, "");
}

static void compaction_and_a_restart_change_no_answer(void)
{
	struct profile_store_config config = fixture_config(work_path("%s", "trees"));
	struct kept before, after;

	keep_all(&before);
	site_fixture_done(&fixture);
	site_fixture_init(&fixture, fixture_open(&config, NULL));
	fixture_now_ns += 2 * 3600 * NS_PER_S;
	profile_store_compact(fixture.store);
	CHECK(fixture_counter(fixture.store, PROFILE_STORE_segments_written) > 0);
	keep_all(&after);
	CHECK_EQ(after.count, before.count);
	for (uint32_t i = 0; i < before.count; i++) {
		if (strcmp(after.answers[i], before.answers[i]) != 0)
			fprintf(stderr, "answer %u:\n%.3000s\n%.3000s\n", i, before.answers[i],
				after.answers[i]);
		CHECK(strcmp(after.answers[i], before.answers[i]) == 0);
		free(before.answers[i]);
		free(after.answers[i]);
	}
	forget_trees();
}

static uint64_t counted(enum http_counter counter)
{
	return http_counted(&fixture.counters, counter);
}

static void a_tree_is_made_once_for_all_who_ask_the_same(void)
{
	uint64_t from_ns = FIXTURE_START_NS, until_ns = FIXTURE_START_NS + RANGE_NS;
	uint64_t made = counted(HTTP_COUNTER_TREES_MADE);
	uint64_t reused = counted(HTTP_COUNTER_TREES_REUSED);
	char *first = ask(route_flame, "", from_ns, until_ns), *second;

	CHECK_EQ(counted(HTTP_COUNTER_TREES_MADE), made + 1);
	free(ask(route_top, "", from_ns, until_ns));
	free(ask(route_export, "&format=folded", from_ns, until_ns));
	free(ask(route_flame, "&max_nodes=20", from_ns, until_ns));
	second = ask(route_flame, "", from_ns, until_ns);
	CHECK_STR(second, first);
	CHECK_EQ(counted(HTTP_COUNTER_TREES_MADE), made + 1);
	CHECK_EQ(counted(HTTP_COUNTER_TREES_REUSED), reused + 4);
	/* Another question is another tree. */
	free(ask(route_flame, "&group=line", from_ns, until_ns));
	free(ask(route_flame, "&root=cpu", from_ns, until_ns));
	free(ask(route_flame, "{host=\"a\"}", from_ns, until_ns));
	free(ask(route_flame, "", from_ns, until_ns - 1));
	CHECK_EQ(counted(HTTP_COUNTER_TREES_MADE), made + 5);
	free(first);
	free(second);
}

/* The range cut in the middle, its parts next to each other. */
static char *compare(const char *more)
{
	uint64_t from_ns = FIXTURE_START_NS, until_ns = FIXTURE_START_NS + RANGE_NS;
	uint64_t middle_ns = from_ns + RANGE_NS / 2;
	char params[512];

	(void)snprintf(params, sizeof(params),
		QUERY "&left_from=%" PRIu64 "&left_until=%" PRIu64 "&right_from=%" PRIu64
		      "&right_until=%" PRIu64 "%s",
		from_ns, middle_ns, middle_ns, until_ns, more);
	return site_fixture_ask(&fixture, route_diff, params, 200);
}

static void a_comparison_is_made_once_for_all_who_ask_the_same(void)
{
	uint64_t made = counted(HTTP_COUNTER_TREES_MADE);
	uint64_t reused = counted(HTTP_COUNTER_TREES_REUSED);
	char *first = compare(""), *functions = compare("&view=functions"), *again;

	CHECK_EQ(counted(HTTP_COUNTER_TREES_MADE), made + 1);
	free(compare("&max_nodes=20"));
	again = compare("");
	CHECK_STR(again, first);
	free(again);
	again = compare("&view=functions");
	CHECK_STR(again, functions);
	CHECK_EQ(counted(HTTP_COUNTER_TREES_MADE), made + 1);
	CHECK_EQ(counted(HTTP_COUNTER_TREES_REUSED), reused + 4);
	/* Another question is another tree. */
	free(compare("&group=line"));
	free(ask(route_flame, "", FIXTURE_START_NS, FIXTURE_START_NS + RANGE_NS / 2));
	CHECK_EQ(counted(HTTP_COUNTER_TREES_MADE), made + 3);
	free(again);
	free(first);
	free(functions);
}

static void new_data_on_either_side_is_in_the_next_comparison(void)
{
	static const uint64_t times_ns[] = {
		FIXTURE_START_NS + 2 * NS_PER_S, FIXTURE_START_NS + RANGE_NS - 20 * NS_PER_S};
	uint64_t reused = counted(HTTP_COUNTER_TREES_REUSED);
	struct fixture_answers answers = {0};
	char *before = compare("");

	for (uint64_t i = 0; i < 2; i++) {
		char *after;

		CHECK_EQ(fixture_append_at(
				 fixture.store, "d", fixture_key(3, i), times_ns[i], 50, &answers),
			0);
		CHECK_EQ(profile_store_flush(fixture.store), 0);
		after = compare("");
		CHECK(strcmp(before, after) != 0);
		free(before);
		before = after;
	}
	CHECK_EQ(counted(HTTP_COUNTER_TREES_REUSED), reused + 1);
	free(before);
}

static void new_data_in_the_range_is_in_the_next_answer(void)
{
	uint64_t from_ns = FIXTURE_START_NS, until_ns = FIXTURE_START_NS + RANGE_NS;
	struct sums before = sums_of(route_flame, "", from_ns, until_ns), after;
	struct fixture_answers answers = {0};
	uint64_t reused = counted(HTTP_COUNTER_TREES_REUSED);

	CHECK_EQ(fixture_append_at(fixture.store, "c", fixture_key(2, 0),
			 FIXTURE_START_NS + NS_PER_S, 50, &answers),
		0);
	CHECK_EQ(profile_store_flush(fixture.store), 0);
	after = sums_of(route_flame, "", from_ns, until_ns);
	CHECK_EQ(after.samples, before.samples + 50);
	CHECK_EQ(counted(HTTP_COUNTER_TREES_REUSED), reused);
	/* What lies elsewhere does not matter. */
	CHECK_EQ(fixture_append_at(fixture.store, "c", fixture_key(2, 1),
			 FIXTURE_START_NS + 3600 * NS_PER_S, 50, &answers),
		0);
	CHECK_EQ(profile_store_flush(fixture.store), 0);
	CHECK_EQ(sums_of(route_flame, "", from_ns, until_ns).samples, after.samples);
	CHECK_EQ(counted(HTTP_COUNTER_TREES_REUSED), reused + 1);
}

static void trees_that_find_no_room_are_dropped_and_counted(void)
{
	uint64_t dropped = counted(HTTP_COUNTER_TREES_DROPPED);

	memo_free(fixture.site.trees);
	CHECK_EQ(memo_new(1, profile_tree_free, &fixture.site.trees), 0);
	free(ask(route_flame, "", FIXTURE_START_NS, FIXTURE_START_NS + 5));
	free(ask(route_flame, "", FIXTURE_START_NS, FIXTURE_START_NS + 5));
	CHECK_EQ(counted(HTTP_COUNTER_TREES_DROPPED), dropped + 2);
	forget_trees();
}

/* Reading it takes a second. */
static struct clock_reading read_slow_clock(void *context)
{
	static uint64_t now_ns = FIXTURE_START_NS;

	(void)context;
	now_ns += NS_PER_S;
	return (struct clock_reading){now_ns, now_ns, now_ns};
}

static void a_query_that_takes_too_long_answers_with_what_it_has(void)
{
	uint64_t from_ns = FIXTURE_START_NS, until_ns = FIXTURE_START_NS + RANGE_NS;
	long long whole = sums_of(route_flame, "", from_ns, until_ns).samples, samples;
	uint64_t partial = counted(HTTP_COUNTER_QUERIES_PARTIAL), answered_until_ns;
	char *body;

	fixture.site.clock = (struct clock){.read = read_slow_clock};
	fixture.site.query_ns_max = 15 * NS_PER_S;
	body = ask(route_flame, "&builds=apart", from_ns, until_ns);
	CHECK(strstr(body, "\"partial\":{\"reason\":\"time\",\"from\":1700000000000000000,"));
	samples = site_fixture_number(body, "sample_count");
	answered_until_ns = (uint64_t)site_fixture_number(strstr(body, "\"partial\""), "until");
	free(body);
	CHECK_EQ(counted(HTTP_COUNTER_QUERIES_PARTIAL), partial + 1);
	fixture.site.clock = clock_system();
	fixture.site.query_ns_max = 0;
	CHECK(answered_until_ns > from_ns && answered_until_ns < until_ns);
	CHECK(samples < whole);
	/* All that lies in what it says is in it. */
	CHECK(samples >= sums_of(route_flame, "", from_ns, answered_until_ns).samples);
	/* It is not kept: with more time there is more. */
	CHECK_EQ(sums_of(route_flame, "&builds=apart", from_ns, until_ns).samples, whole);
}

static void a_query_that_takes_too_much_memory_answers_with_what_it_has(void)
{
	uint64_t from_ns = FIXTURE_START_NS, until_ns = FIXTURE_START_NS + RANGE_NS;
	char *body;

	fixture.site.query_bytes_max = 1;
	body = ask(route_flame, "&group=file", from_ns, until_ns);
	CHECK(strstr(body, "\"partial\":{\"reason\":\"memory\""));
	CHECK_EQ(site_fixture_number(body, "unreadable_count"), 0);
	free(body);
	fixture.site.query_bytes_max = 0;
	body = ask(route_flame, "&group=file", from_ns, until_ns);
	CHECK(strstr(body, "\"partial\":null"));
	free(body);
}

int main(void)
{
	fill("trees");
	RUN(adjacent_ranges_add_up_to_their_union_on_any_cut);
	RUN(an_empty_range_has_an_empty_answer);
	RUN(a_tree_is_made_once_for_all_who_ask_the_same);
	RUN(a_comparison_is_made_once_for_all_who_ask_the_same);
	RUN(new_data_on_either_side_is_in_the_next_comparison);
	RUN(new_data_in_the_range_is_in_the_next_answer);
	RUN(trees_that_find_no_room_are_dropped_and_counted);
	RUN(a_query_that_takes_too_long_answers_with_what_it_has);
	RUN(a_query_that_takes_too_much_memory_answers_with_what_it_has);
	RUN(compaction_and_a_restart_change_no_answer);
	RUN(adjacent_ranges_add_up_to_their_union_on_any_cut);
	site_fixture_done(&fixture);
	return 0;
}
