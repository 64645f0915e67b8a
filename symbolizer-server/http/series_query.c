/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/series_query.h"

#include "symbolizer-server/http/symbol_names.h"

/* What the store keeps for as long as it keeps anything. */
#define BUCKET_NS (10 * NS_PER_S)

enum profile_store_detail series_query_detail(enum profile_store_detail detail, uint64_t step_ns)
{
	return step_ns % BUCKET_NS == 0 ? detail : PROFILE_STORE_SLOTS;
}

static int add_profile(void *series, const struct profile *profile)
{
	return series_add(series, profile);
}

/* The first visit: all frames of the range, named. */
static int find_function(struct series_query *query, struct query_run *run,
	const struct series_question_params *question)
{
	const struct query_params *params = question->params;
	struct profile_tree *tree = &query->tree;
	struct query_read read = {.selector = &params->selector,
		.range = params->range,
		.detail = query_run_detail(&params->selector, NULL, true),
		.deadline_ns = question->deadline_ns,
		.add = profile_query_merge,
		.bytes = profile_query_merge_bytes,
		.context = &tree->merge};
	struct naming_options options = params->naming;
	struct symbol_names names;
	int r = merge_init(&tree->merge, &params->selector, params->range);

	options.group = NAMING_BY_FUNCTION;
	options.translate = symbol_names_translate;
	if (r == 0)
		r = function_table_init(&tree->functions);
	if (r == 0)
		r = query_run_read(run, &read, &query->partial);
	if (r < 0)
		return r;
	query_run_stage(run, QUERY_NAMING);
	symbol_names_init(&names, run->site->symbolizer);
	r = naming_init_by(
		&tree->naming, &tree->merge, &tree->functions, &options, symbol_names_ask, &names);
	symbol_names_done(&names);
	if (r == 0)
		r = function_match_init(&query->match, &tree->merge, &tree->naming,
			&tree->functions, &question->function);
	query->has_function = r == 0;
	return r;
}

static int read_series(struct series_query *query, struct query_run *run,
	const struct series_question_params *question)
{
	const struct query_params *params = question->params;
	struct series_question of_series = {.selector = &params->selector,
		.range = params->range,
		.steps = question->steps,
		.by = question->by,
		.match = query->has_function ? &query->match : NULL};
	struct query_read read = {.selector = &params->selector,
		.range = params->range,
		.detail = series_query_detail(
			query_run_detail(&params->selector, &question->by, query->has_function),
			question->steps.step_ns),
		.step_ns = question->steps.step_ns,
		.step_origin_ns = question->steps.start_ns,
		.deadline_ns = question->deadline_ns,
		.add = add_profile,
		.context = &query->series};
	int r = series_init(&query->series, &of_series);

	/* The first visit may have ended early: then there is no more to be named. */
	if (query->partial.reason != PARTIAL_NOT)
		read.range = query->partial.answered;
	if (r == 0) {
		struct partial partial;

		r = query_run_read(run, &read, &partial);
		if (r == 0 && partial.reason != PARTIAL_NOT)
			query->partial = partial;
	}
	return r;
}

int series_query_init(struct series_query *query, struct query_run *run,
	const struct series_question_params *question)
{
	bool of_function = question->function.name || question->function.pattern;
	int r;

	*query = (struct series_query){0};
	r = window_cover_init(&query->cover, question->params->range, &question->steps);
	if (r == 0)
		r = query_run_windows(run, &question->params->selector, &query->cover);
	if (r == 0 && of_function)
		r = find_function(query, run, question);
	if (r == 0)
		r = read_series(query, run, question);
	if (r < 0)
		series_query_done(query);
	return r;
}

void series_query_done(struct series_query *query)
{
	series_done(&query->series);
	window_cover_done(&query->cover);
	function_match_done(&query->match);
	profile_tree_done(&query->tree);
	*query = (struct series_query){0};
}
