/* SPDX-License-Identifier: Apache-2.0 */
/* Values over time and heat maps, from the parameters to the bytes of the answer. */
#include "symbolizer-server/http/series_query.h"

#include <inttypes.h>
#include <unistd.h>

#include "tests/support/sample_profile.h"
#include "tests/support/site_fixture.h"
#include "tests/support/work_dir.h"

#define QUERY "query=process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define RANGE "&from=1700000000&until=1700000060"

static struct site_fixture fixture;

/* Ten seconds: 60 ms of web in main;f, 40 ms of db in main;f;g, ten a second. */
static void append(struct profile_store *store, uint64_t number)
{
	struct profile *profile = sample_profile_new(number == 1 ? "b" : "a",
		FIXTURE_START_NS + number * FIXTURE_WINDOW_NS, FIXTURE_WINDOW_NS);
	struct batch_key key = fixture_key(1, number);
	struct fixture_answers answers = {0};

	for (uint32_t i = 0; i < 10; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = i < 6 ? "main;f" : "main;f;g",
				.process = i < 6 ? "web" : "db",
				.pid = i < 6 ? 1 : 2,
				.slot = i * 50});
	}
	sample_profile_seal(profile);
	profile->head.online_cpu_count = 2;
	CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	profile_free(profile);
}

/* Windows 0, 1, 2 and 4: 3 is a gap. */
static void fill(void)
{
	struct profile_store_config config = fixture_config(work_path("series"));
	struct profile_store *store = fixture_open(&config, NULL);

	append(store, 0);
	append(store, 1);
	append(store, 2);
	append(store, 4);
	site_fixture_init(&fixture, store);
}

static void says(http_handle_fn handle, const char *params, int status, const char *const *words)
{
	char *body = site_fixture_ask(&fixture, handle, params, status);

	for (; *words; words++) {
		if (!strstr(body, *words))
			fprintf(stderr, "%s: no %s in %s\n", params, *words, body);
		CHECK(strstr(body, *words));
	}
	free(body);
}

#define SAYS(handle, params, status, ...) \
	says(handle, params, status, (const char *const[]){__VA_ARGS__, NULL})

static void gaps_are_told_from_zeros(void)
{
	SAYS(route_series, QUERY "{process=\"web\",host=\"a\"}" RANGE "&step=10s", 200,
		"\"unit\":\"nanoseconds\"", "\"start\":1700000000000000000", "\"step\":10000000000",
		"\"step_count\":6", "\"sample_count\":18", "\"total\":180000000",
		/* On host a window 1 is a gap as well. */
		"\"values\":[60000000,0,60000000,0,60000000,0]",
		"\"covered\":[10000000000,0,10000000000,0,10000000000,0]",
		"\"core_ns\":[20000000000,0,20000000000,0,20000000000,0]", "\"series\":[]",
		"\"other\":null", "\"partial\":null");
	SAYS(route_series, QUERY "{process=\"nobody\"}" RANGE "&step=20", 200, "\"values\":[0,0,0]",
		"\"covered\":[20000000000,10000000000,10000000000]");
}

static void groups_stand_by_value_and_the_rest_is_other(void)
{
	SAYS(route_series, QUERY RANGE "&step=30s&by=process,host&limit=1", 200,
		"\"by\":[\"process\",\"host\"]", "\"group_count\":4",
		"\"series\":[{\"labels\":{\"process\":\"web\",\"host\":\"a\"},\"sample_count\":18,"
		"\"total\":180000000,\"values\":[60000000,60000000,60000000]}]",
		"\"other\":{\"group_count\":3,\"sample_count\":22,\"total\":220000000,"
		"\"values\":[40000000,140000000,40000000]}",
		"\"values\":[100000000,200000000,100000000]");
	SAYS(route_series, QUERY RANGE "&step=1m&by=pid", 200,
		"{\"labels\":{\"pid\":\"1\"},\"sample_count\":24,");
}

static void a_function_has_a_share_of_each_step(void)
{
	SAYS(route_series, QUERY RANGE "&step=20s&function=g", 200,
		"\"values\":[200000000,100000000,100000000],\"self\":[80000000,40000000,40000000],"
		"\"function_total\":[80000000,40000000,40000000]");
	SAYS(route_series, QUERY RANGE "&step=20s&function=f&by=process", 200,
		"\"self\":[120000000,60000000,60000000],"
		"\"function_total\":[200000000,100000000,100000000]",
		"{\"labels\":{\"process\":\"db\"},\"sample_count\":16,\"total\":160000000,"
		"\"values\":[80000000,40000000,40000000],\"self\":[0,0,0],"
		"\"function_total\":[80000000,40000000,40000000]}");
	SAYS(route_series, QUERY RANGE "&step=1m&function=f&module=libx.so", 200,
		"\"function_total\":[0,0]");
}

static void cells_are_slots(void)
{
	SAYS(route_heatmap, QUERY "&from=1700000000&until=1700000002&rows=2", 200,
		"\"column\":1000000000", "\"column_count\":2", "\"row\":500000000",
		"\"row_count\":2", "\"counts\":[1,0,1,0]", "\"values\":[10000000,0,10000000,0]",
		"\"covered\":[1000000000,1000000000]", "\"count_max\":1", "\"value_max\":10000000",
		"\"spread_count\":0", "\"spread_until\":0", "\"message\":\"\"", "\"partial\":null");
	SAYS(route_heatmap, QUERY "&from=1700000000&until=1700000002", 200, "\"row\":20000000",
		"\"row_count\":50");
}

static void wrong_parameters_say_what_to_mend(void)
{
	SAYS(route_series, QUERY RANGE "&step=1ms", 400, "at least 20ms");
	SAYS(route_series, QUERY RANGE "&step=soon", 400, "as 500ms, 10s");
	SAYS(route_series, QUERY "&from=1700000000&until=1700100000&step=1s", 400,
		"more than 4096");
	SAYS(route_series, QUERY RANGE "&by=a,b,c,d,e", 400, "up to 4");
	SAYS(route_series, QUERY RANGE "&limit=1000", 400, "from 1 to 100");
	SAYS(route_heatmap, QUERY "&from=1700000000&until=1700100000&column=1s", 400,
		"more than 4096");
	SAYS(route_heatmap, QUERY "&from=1700000000&until=1700002000&column=1s&rows=500", 200,
		"\"row_count\":50");
	SAYS(route_heatmap, QUERY "&from=1700000000&until=1700040000&column=10s&rows=500", 400,
		"more than 500000 cells");
	SAYS(route_heatmap, QUERY RANGE "&rows=501", 400, "from 1 to 500");
	SAYS(route_progress, "id=a b", 400, "letters, digits");
}

static void pyroscope_is_told_of_an_empty_range(void)
{
	SAYS(route_render, QUERY "&from=1700000000&until=1700000000", 400, "empty time range");
	SAYS(route_render, QUERY, 400, "missing time range");
}

static void pyroscope_gets_its_timelines(void)
{
	SAYS(route_render, QUERY RANGE, 200,
		"\"timeline\":{\"startTime\":1699999995,\"samples\":[100000000,150000000,50000000,"
		"100000000,0],\"durationDelta\":15,",
		"\"groups\":null");
	SAYS(route_render, QUERY RANGE "&groupBy=process", 200,
		"\"timeline\":{\"startTime\":1699999995,\"samples\":[0,0,0,0,0]",
		"\"groups\":{\"web\":{\"startTime\":1699999995,\"samples\":[60000000,110000000,"
		"10000000,60000000,0]",
		"\"db\":{");
	SAYS(route_render, QUERY RANGE "&groupBy=pod", 200,
		"\"groups\":{\"*\":{\"startTime\":1699999995,\"samples\":[100000000,");
}

static void labels_stand_above_and_a_focus_is_found(void)
{
	SAYS(route_export, QUERY RANGE "&format=folded&root=process,host", 200,
		"process=db;host=a;main;f;g 120000000\n", "process=web;host=b;main;f 60000000\n");
	SAYS(route_flame, QUERY RANGE "&root=process", 200, "\"process=web\"",
		"\"name_kind\":[2,2,9,10,10,2]");
	SAYS(route_flame, QUERY RANGE "&max_nodes=3&focus=main;f", 200, "\"focus_found\":true");
	SAYS(route_flame, QUERY RANGE "&focus_function=g", 200, "\"focus_found\":true");
	SAYS(route_flame, QUERY RANGE "&focus=main;nothing", 200, "\"focus_found\":false");
	SAYS(route_flame, QUERY RANGE "&focus=main;f&focus_modules=a", 400, "as many names");
}

static void damage_makes_an_answer_partial(void)
{
	char path[512];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/profiles/0000000001.log", work_path("series"));
	file = fopen(path, "r+");
	CHECK(file);
	CHECK_EQ(fseek(file, -60, SEEK_END), 0);
	CHECK(fputs("damage", file) >= 0);
	CHECK_EQ(fclose(file), 0);
	SAYS(route_series, QUERY RANGE "&step=1m", 200,
		"\"partial\":{\"reason\":\"damage\",\"from\":1700000000000000000,"
		"\"until\":1700000060000000000,\"unreadable_count\":");
}

static void a_query_can_be_watched(void)
{
	struct query_place *place = query_board_begin(fixture.site.queries, "watched", 0);

	query_board_note(fixture.site.queries, place, QUERY_READING, 0.25);
	SAYS(route_progress, "id=watched", 200, "\"running\":true", "\"stage\":\"reading\"",
		"\"done\":0.25");
	query_board_end(fixture.site.queries, place);
	SAYS(route_progress, "id=watched", 200, "\"running\":false", "\"stage\":\"\"");
}

int main(void)
{
	fill();
	RUN(gaps_are_told_from_zeros);
	RUN(groups_stand_by_value_and_the_rest_is_other);
	RUN(a_function_has_a_share_of_each_step);
	RUN(cells_are_slots);
	RUN(wrong_parameters_say_what_to_mend);
	RUN(pyroscope_is_told_of_an_empty_range);
	RUN(pyroscope_gets_its_timelines);
	RUN(labels_stand_above_and_a_focus_is_found);
	RUN(a_query_can_be_watched);
	RUN(damage_makes_an_answer_partial);
	site_fixture_done(&fixture);
	return 0;
}
