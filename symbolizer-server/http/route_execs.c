/* SPDX-License-Identifier: Apache-2.0 */
/* Short-lived processes of a range: what ran, started by whom, how often, and what it cost. */
#include "symbolizer-server/http/route.h"

#include <errno.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/query/execs.h"

#define ROW_COUNT_DEFAULT 100
#define ROW_COUNT_MAX EXECS_ROW_COUNT_MAX

struct visit {
	const struct http_request *request;
	struct execs *execs;
};

static int visit_window(void *context, const struct profile_store_lives *window)
{
	const struct visit *visit = context;

	if (http_request_is_gone(visit->request))
		return -ECANCELED;
	return execs_add(visit->execs, window);
}

static int collect(struct execs *execs, const struct site *site, const struct http_request *request,
	const struct query_params *params)
{
	struct visit visit = {request, execs};
	struct profile_store_filter filter = {.host = profile_query_only_host(&params->selector)};
	int r = execs_init(execs, &params->selector, params->range);

	if (r == 0 && params->range.from_ns < params->range.until_ns)
		r = profile_store_visit_lives(site->store, params->range.from_ns,
			params->range.until_ns, &filter, visit_window, &visit);
	return r == 0 ? execs_finish(execs) : r;
}

static void write_sums(struct json_writer *json, const struct life_sums *sums, double seconds)
{
	json_decimal(
		json_key(json, "per_second"), seconds > 0 ? (double)execs_runs(sums) / seconds : 0);
#define WRITE_SUM(name) json_unsigned(json_key(json, #name), sums->name);
	LIFE_SUMS(WRITE_SUM)
#undef WRITE_SUM
}

static void write_name(struct json_writer *json, const char *key, struct life_name name)
{
	json_text(json_key(json, key), name.text, name.length);
}

static void write_rows(
	struct json_writer *json, const struct execs *execs, uint32_t row_count, double seconds)
{
	json_begin_array(json_key(json, "commands"));
	for (uint32_t i = 0; i < row_count; i++) {
		json_begin_object(json);
		write_name(json, "command", life_table_command(&execs->lives, i));
		write_name(json, "parent", life_table_parent(&execs->lives, i));
		write_sums(json, &execs->lives.rows[i].sums, seconds);
		json_end_object(json);
	}
	json_end_array(json);
}

static int write_answer(struct http_answer *answer, const struct execs *execs, uint32_t row_count)
{
	uint64_t covered_ns = execs->covered.until_ns - execs->covered.from_ns;
	double seconds = (double)covered_ns / (double)NS_PER_S;
	struct life_sums total = {0}, rest = {0};
	struct json_writer json;
	int r = execs_sum(execs, 0, &total);

	if (row_count > execs->lives.count)
		row_count = execs->lives.count;
	if (r == 0)
		r = execs_sum(execs, row_count, &rest);
	if (r < 0)
		return r;
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	json_unsigned(json_key(&json, "from"), execs->covered.from_ns);
	json_unsigned(json_key(&json, "until"), execs->covered.until_ns);
	json_decimal(json_key(&json, "seconds"), seconds);
	json_unsigned(json_key(&json, "command_count"), execs->lives.count);
	json_begin_object(json_key(&json, "total"));
	write_sums(&json, &total, seconds);
	json_end_object(&json);
	write_rows(&json, execs, row_count, seconds);
	json_begin_object(json_key(&json, "rest"));
	json_unsigned(json_key(&json, "command_count"), execs->lives.count - row_count);
	write_sums(&json, &rest, seconds);
	json_end_object(&json);
	json_end_object(&json);
	return 0;
}

/* HOST= and COMMAND=: short for matchers. */
static int add_short_params(const struct http_request *request, struct query_params *params)
{
	static const char *const names[] = {"host", "command"};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = http_request_param(request, names[i]);

		if (value && *value)
			r = selector_add_equal(&params->selector, names[i], value);
	}
	return r;
}

void route_execs(void *context, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t bounds[2] = {1, ROW_COUNT_MAX};
	const struct site *site = context;
	struct query_params params;
	struct execs execs = {.selector = NULL};
	const char *objection;
	uint32_t row_count;
	int r;

	if (!query_params_number(request, "limit", bounds, ROW_COUNT_DEFAULT, answer, &row_count) ||
		!query_params_read(
			request, clock_read(&site->clock).realtime_ns, false, answer, &params))
		return;
	objection = execs_objection(&params.selector);
	if (objection) {
		http_answer_error(answer, 400, "query: %s", objection);
		query_params_done(&params);
		return;
	}
	r = add_short_params(request, &params);
	if (r == 0)
		r = collect(&execs, site, request, &params);
	if (r == 0)
		r = write_answer(answer, &execs, row_count);
	if (r < 0)
		profile_query_answer_error(answer, r);
	execs_done(&execs);
	query_params_done(&params);
}
