/* SPDX-License-Identifier: Apache-2.0 */
/* Values over time, heat maps, and how far a query is. */
#include "symbolizer-server/http/route.h"

#include <errno.h>
#include <string.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/http/label_params.h"
#include "symbolizer-server/http/series_json.h"

#define STEP_COUNT_WISHED 300
/* As many as a wide screen has pixels. */
#define STEP_COUNT_MAX 4096
#define GROUP_COUNT_DEFAULT 10
#define GROUP_COUNT_MAX 100
#define COLUMN_COUNT_WISHED 1000
#define COLUMN_COUNT_MAX 4096
#define ROW_COUNT_DEFAULT 50
#define ROW_COUNT_MAX 500
/* Some four megabytes as JSON. */
#define CELL_COUNT_MAX 500000

/* Reads STEP or COLUMN. */
static bool read_length(const struct http_request *request, const char *name, uint64_t fallback_ns,
	struct http_answer *answer, uint64_t *ret_ns)
{
	if (!query_params_length(request, name, fallback_ns, answer, ret_ns))
		return false;
	if (*ret_ns >= PROFILE_SLOT_NS)
		return true;
	http_answer_error(answer, 400, "%s: at least 20ms must stand here", name);
	return false;
}

static void refuse_count(struct http_answer *answer, const char *name, uint32_t count_max)
{
	http_answer_error(answer, 400,
		"%s: that is more than %u of the range; a longer %s or a shorter range would do",
		name, count_max, name);
}

static bool read_steps(const struct http_request *request, struct time_range range,
	struct http_answer *answer, struct time_steps *ret_steps)
{
	uint64_t length = range.until_ns - range.from_ns, step_ns;

	if (!read_length(request, "step",
		    time_steps_choose(length, PROFILE_SLOT_NS, STEP_COUNT_WISHED), answer,
		    &step_ns))
		return false;
	if (time_steps_init(range, step_ns, STEP_COUNT_MAX, ret_steps) == 0)
		return true;
	refuse_count(answer, "step", STEP_COUNT_MAX);
	return false;
}

static int answer_series(const struct site *site, const struct http_request *request,
	const struct series_question_params *question, uint32_t group_count,
	struct http_answer *answer)
{
	struct series_query query;
	struct query_run run;
	int r;

	query_run_begin(&run, site, request);
	r = series_query_init(&query, &run, question);
	if (r == 0) {
		query_run_stage(&run, QUERY_WRITING);
		r = series_json(&query, question->params, group_count,
			http_answer_begin(answer, 200, "application/json"));
		series_query_done(&query);
	}
	query_run_end(&run);
	return r;
}

void route_series(void *context, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t bounds[2] = {1, GROUP_COUNT_MAX};
	const struct site *site = context;
	struct series_question_params question = {
		.function = {.name = http_request_param(request, "function"),
			.module = http_request_param(request, "module")}};
	struct query_params params;
	struct label_params by;
	uint32_t group_count;
	int r = 0;

	if (question.function.name && !*question.function.name)
		question.function.name = NULL;
	if (!label_params_read(request, "by", answer, &by) ||
		!query_params_number(
			request, "limit", bounds, GROUP_COUNT_DEFAULT, answer, &group_count) ||
		!query_params_read(
			request, clock_read(&site->clock).realtime_ns, true, answer, &params))
		return;
	question.params = &params;
	question.by = by.names;
	if (read_steps(request, params.range, answer, &question.steps))
		r = answer_series(site, request, &question, group_count, answer);
	query_params_done(&params);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

/* ---- Heat map ---- */

static int add_to_map(void *map, const struct profile *profile)
{
	return heat_map_add(map, profile);
}

static int read_map(struct heat_map *map, struct query_run *run, const struct query_params *params,
	struct partial *ret_partial)
{
	uint64_t row_ns = map->cut.steps.step_ns;
	struct query_read read = {.selector = &params->selector,
		.range = params->range,
		.detail = series_query_detail(
			query_run_detail(&params->selector, NULL, false), row_ns),
		.step_ns = row_ns,
		.step_origin_ns = map->cut.steps.start_ns,
		.add = add_to_map,
		.context = map};

	return query_run_read(run, &read, ret_partial);
}

static int answer_map(const struct site *site, const struct http_request *request,
	const struct query_params *params, const struct heat_map_shape *shape,
	struct http_answer *answer)
{
	struct window_cover cover = {0};
	struct partial partial;
	struct heat_map map;
	struct query_run run;
	int r = heat_map_init(&map, &params->selector, params->range, shape);

	if (r < 0)
		return r;
	query_run_begin(&run, site, request);
	r = window_cover_init(&cover, params->range, &shape->columns);
	if (r == 0)
		r = query_run_windows(&run, &params->selector, &cover);
	if (r == 0)
		r = read_map(&map, &run, params, &partial);
	if (r == 0) {
		struct heat_map_answer of = {&map, &cover, params, &partial};

		query_run_stage(&run, QUERY_WRITING);
		series_json_heat_map(&of, http_answer_begin(answer, 200, "application/json"));
	}
	query_run_end(&run);
	window_cover_done(&cover);
	heat_map_done(&map);
	return r;
}

static bool read_shape(const struct http_request *request, struct time_range range,
	struct http_answer *answer, struct heat_map_shape *ret_shape)
{
	static const uint32_t bounds[2] = {1, ROW_COUNT_MAX};
	uint64_t length = range.until_ns - range.from_ns, column_ns;
	uint32_t row_count;

	if (!query_params_number(request, "rows", bounds, ROW_COUNT_DEFAULT, answer, &row_count) ||
		!read_length(request, "column",
			time_steps_choose(length, NS_PER_S, COLUMN_COUNT_WISHED), answer,
			&column_ns))
		return false;
	if (heat_map_choose(range, column_ns, row_count, COLUMN_COUNT_MAX, ret_shape) < 0) {
		refuse_count(answer, "column", COLUMN_COUNT_MAX);
		return false;
	}
	if ((uint64_t)ret_shape->columns.count * ret_shape->row_count <= CELL_COUNT_MAX)
		return true;
	http_answer_error(answer, 400,
		"rows: %u columns of %u rows are more than %u cells; fewer of either would do",
		ret_shape->columns.count, ret_shape->row_count, CELL_COUNT_MAX);
	return false;
}

void route_heatmap(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	struct heat_map_shape shape;
	struct query_params params;
	int r = 0;

	if (!query_params_read(
		    request, clock_read(&site->clock).realtime_ns, true, answer, &params))
		return;
	if (read_shape(request, params.range, answer, &shape))
		r = answer_map(site, request, &params, &shape, answer);
	query_params_done(&params);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

/* ---- Progress ---- */

void route_progress(void *context, const struct http_request *request, struct http_answer *answer)
{
	struct site *site = context;
	const char *id = http_request_param(request, "id");
	struct query_state state = {0};
	struct json_writer json;
	uint64_t now_ns = clock_read(&site->clock).monotonic_ns;
	bool running;

	if (!id || !query_board_is_id(id)) {
		http_answer_error(answer, 400,
			"id: 1 to %d letters, digits, - and _ must stand here: those of a query "
			"that "
			"has the same id=",
			QUERY_BOARD_ID_LENGTH_MAX);
		return;
	}
	running = query_board_find(site->queries, id, &state);
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	json_boolean(json_key(&json, "running"), running);
	json_string(json_key(&json, "stage"), running ? query_stage_text(state.stage) : "");
	json_decimal(json_key(&json, "done"), running ? state.done : 0);
	json_unsigned(json_key(&json, "elapsed_ns"), running ? now_ns - state.begun_ns : 0);
	json_end_object(&json);
}
