/* SPDX-License-Identifier: Apache-2.0 */
/* Values over time, as Grafana's panels ask for them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/http/querier_call.h"
#include "symbolizer-server/http/series_query.h"

#define NS_PER_MILLISECOND UINT64_C(1000000)
#define NS_PER_SECOND 1e9
#define BUCKET_NS (10 * NS_PER_S)
/* A century is as good as for ever. */
#define STEP_SECONDS_MAX 3e9
/* A panel is a few thousand pixels wide. */
#define STEP_COUNT_MAX 20000u
/* Lines of a panel, if it does not say how many. */
#define SERIES_COUNT_MAX 10000u

/* Points lie at start, start + step, ...; each has what was before it, back to the one before. */
static int read_steps(
	const struct querier_call *call, struct query_params *params, struct time_steps *ret_steps)
{
	const struct querier_request *asked = call->asked;
	uint64_t step_ns, length_ns = params->range.until_ns - params->range.from_ns;

	if (!(asked->step_s * NS_PER_SECOND >= (double)NS_PER_MILLISECOND))
		return ingest_refuse(call->fault, -EINVAL, "step: at least a millisecond");
	step_ns = (uint64_t)llround(fmin(asked->step_s, STEP_SECONDS_MAX) * NS_PER_SECOND);
	if (length_ns / step_ns >= STEP_COUNT_MAX)
		return ingest_refuse(call->fault, -EINVAL,
			"step: makes more than %u points of this range", STEP_COUNT_MAX);
	*ret_steps = (struct time_steps){
		.start_ns = params->range.from_ns > step_ns ? params->range.from_ns - step_ns : 0,
		.step_ns = step_ns,
		.count = (uint32_t)(length_ns / step_ns) + 1};
	/* What is kept for months are sums of ten seconds: steps of such begin where these do, so that
	 * a point is up to ten seconds early, and not cut by the slots of all samples. */
	if (step_ns % BUCKET_NS == 0)
		ret_steps->start_ns -= ret_steps->start_ns % BUCKET_NS;
	params->range.from_ns = ret_steps->start_ns;
	params->range.until_ns = ret_steps->start_ns + ret_steps->count * step_ns;
	return 0;
}

static int check_wishes(const struct querier_call *call)
{
	const struct querier_request *asked = call->asked;

	if (asked->aggregation != QUERIER_SUM)
		return ingest_refuse(
			call->fault, -ENOSYS, "aggregation: sums are what is answered here");
	if (asked->call_site.count > 0) {
		return ingest_refuse(call->fault, -ENOSYS,
			"stackTraceSelector: values of a call site are not answered here; those of "
			"a function are, at /api/v1/series");
	}
	if (asked->names.count > LABEL_GROUPS_NAME_COUNT_MAX)
		return ingest_refuse(call->fault, -EINVAL, "groupBy: at most %u labels",
			LABEL_GROUPS_NAME_COUNT_MAX);
	return 0;
}

static void write_label(
	struct reply_writer *writer, const char *name, const char *value, size_t length)
{
	reply_begin(writer, (struct reply_field){1, "labels"});
	reply_string(writer, (struct reply_field){1, "name"}, name);
	reply_text(writer, (struct reply_field){2, "value"}, value, length);
	reply_end(writer);
}

static void write_labels(
	struct reply_writer *writer, const struct label_groups *groups, uint32_t group)
{
	bool begun = false;

	for (uint32_t i = 0; group != LABEL_GROUPS_REST && i < groups->names.count; i++) {
		size_t length;
		const char *value = label_groups_text(groups, group, i, &length);

		if (length == 0)
			continue;
		if (!begun)
			reply_begin_list(writer, (struct reply_field){1, "labels"});
		begun = true;
		write_label(writer, groups->names.names[i], value, length);
	}
	/* What found no room of its own. */
	if (group == LABEL_GROUPS_REST) {
		reply_begin_list(writer, (struct reply_field){1, "labels"});
		write_label(writer, groups->names.names[0], "[other]", 7);
		begun = true;
	}
	if (begun)
		reply_end_list(writer);
}

/* Where the points of an answer lie. */
struct points {
	int64_t start_ms;
	uint64_t step_ns;
	uint32_t count;
};

static void write_points(
	struct reply_writer *writer, const int64_t *sums, const struct points *steps)
{
	const struct reply_field points = {2, "points"};
	bool begun = false;

	for (uint32_t i = 0; i < steps->count; i++) {
		if (sums[i] == 0)
			continue;
		if (!begun)
			reply_begin_list(writer, points);
		begun = true;
		reply_begin(writer, points);
		reply_double(writer, (struct reply_field){1, "value"}, (double)sums[i]);
		reply_number(writer, (struct reply_field){2, "timestamp"},
			steps->start_ms + (int64_t)(i * steps->step_ns / NS_PER_MILLISECOND));
		reply_end(writer);
	}
	if (begun)
		reply_end_list(writer);
}

static void write_one(struct reply_writer *writer, const struct series *series, uint32_t group,
	const struct points *steps)
{
	reply_begin(writer, (struct reply_field){1, "series"});
	write_labels(writer, &series->groups, group);
	write_points(writer, series_sums(series, group, SERIES_ALL), steps);
	reply_end(writer);
}

static int write_series(const struct querier_call *call, struct reply_writer *writer,
	struct series *series, const struct points *steps)
{
	int64_t limit = call->asked->limit;
	uint32_t *order = NULL, count = 0;
	int r = series_rank(series,
		limit > 0 && limit < SERIES_COUNT_MAX ? (uint32_t)limit : SERIES_COUNT_MAX, &order,
		&count);
	bool rest;

	if (r < 0)
		return r;
	/* Who asks for some gets these. */
	rest = limit <= 0 && series->rest.sample_count > 0 && series->groups.names.count > 0;
	if (limit > 0 && count > (uint64_t)limit)
		count = (uint32_t)limit;
	if (count > SERIES_COUNT_MAX)
		count = SERIES_COUNT_MAX;
	if (count > 0 || rest)
		reply_begin_list(writer, (struct reply_field){1, "series"});
	for (uint32_t i = 0; i < count; i++)
		write_one(writer, series, order[i], steps);
	if (rest)
		write_one(writer, series, LABEL_GROUPS_REST, steps);
	if (count > 0 || rest)
		reply_end_list(writer);
	free(order);
	return 0;
}

int querier_values(const struct querier_call *call, struct reply_writer *writer)
{
	struct query_params params = {0};
	struct series_question_params question = {.params = &params};
	struct series_query query;
	struct query_run run;
	int r = check_wishes(call);

	if (r == 0)
		r = querier_params(call, call->asked, &params);
	if (r < 0)
		return r;
	r = read_steps(call, &params, &question.steps);
	if (r < 0) {
		query_params_done(&params);
		return r;
	}
	for (uint32_t i = 0; i < call->asked->names.count; i++)
		question.by.names[question.by.count++] = call->asked->names.texts[i];
	query_run_begin(&run, call->site, call->http);
	r = series_query_init(&query, &run, &question);
	if (r == 0) {
		query_run_stage(&run, QUERY_WRITING);
		r = write_series(call, writer, &query.series,
			&(struct points){call->asked->start_ms, question.steps.step_ns,
				question.steps.count});
		series_query_done(&query);
	}
	query_run_end(&run);
	query_params_done(&params);
	return r;
}
