/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/http/accept.h"
#include "symbolizer-server/http/label_params.h"
#include "symbolizer-server/http/partial_json.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/route_export.h"
#include "symbolizer-server/http/series_query.h"
#include "symbolizer-server/http/tree_json.h"
#include "symbolizer-server/query/level_tree.h"
#include "symbolizer-server/query/timeline.h"
#include "symbolizer-server/query/tree_focus.h"

/* What a browser still draws at 60 pictures a second, and about 0.75 MB on the way. */
#define FLAME_NODE_COUNT_DEFAULT 200000
/* A tree of 10^6 nodes is to be had whole. */
#define NODE_COUNT_MAX (2u << 20)
/* What Pyroscope sends if it is not told. */
#define RENDER_NODE_COUNT_DEFAULT 8192
/* Timelines of one answer; all others are one. */
#define RENDER_GROUP_COUNT_MAX 100
#define TOP_ROW_COUNT_DEFAULT 100
#define TOP_ROW_COUNT_MAX (1u << 20)

static const uint32_t node_bounds[2] = {1, NODE_COUNT_MAX};

/* A query whose answer is a tree: what was read of its parameters, and what came of it. */
struct tree_request {
	struct query_params params;
	struct label_params root;
	struct query_run run;
	struct profile_tree *tree;
};

static void end_tree(struct tree_request *of)
{
	profile_tree_give_back(&of->run, of->tree);
	query_run_end(&of->run);
	query_params_done(&of->params);
}

/* Reads the parameters and takes the tree; false: answered with what went wrong. */
static bool begin_tree(const struct site *site, const struct http_request *request, bool wants_root,
	struct http_answer *answer, struct tree_request *of)
{
	struct profile_tree_options options = {0};
	int r;

	of->root.names.count = 0;
	if ((wants_root && !label_params_read(request, "root", answer, &of->root)) ||
		!query_params_read(
			request, clock_read(&site->clock).realtime_ns, true, answer, &of->params))
		return false;
	options.root = of->root.names;
	query_run_begin(&of->run, site, request);
	r = profile_tree_take(&of->run, &of->params, &options, &of->tree);
	if (r == 0) {
		query_run_stage(&of->run, QUERY_WRITING);
		return true;
	}
	query_run_end(&of->run);
	query_params_done(&of->params);
	profile_query_answer_error(answer, r);
	return false;
}

static int find_focus(const struct profile_tree *tree, const struct http_request *request,
	struct tree_focus *ret_focus)
{
	const char *path = http_request_param(request, "focus");
	const char *function = http_request_param(request, "focus_function");

	*ret_focus = (struct tree_focus){0};
	if (path && *path)
		return tree_focus_on_path(ret_focus, &tree->calls, path,
			http_request_param(request, "focus_modules"));
	if (function && *function)
		return tree_focus_on_function(ret_focus, &tree->calls, function,
			http_request_param(request, "focus_module"));
	return 0;
}

static int write_levels(const struct level_tree *levels, const struct flame_about *about,
	bool columns, struct http_answer *answer)
{
	struct bytes_writer *body;
	struct flame flame;
	int r = flame_init(&flame, levels, about);

	if (r < 0)
		return r;
	body = http_answer_begin(answer, 200, columns ? "application/x-flame" : "application/json");
	answer->varies = true;
	if (columns)
		r = flame_write_columns(&flame, body);
	else
		tree_json_flame(&flame, body);
	flame_done(&flame);
	return r;
}

static int write_flame(const struct profile_tree *tree, const struct http_request *request,
	uint32_t node_count, struct http_answer *answer)
{
	struct flame_about about = tree->about;
	struct level_tree levels;
	struct tree_focus focus;
	int r = find_focus(tree, request, &focus);

	if (r < 0)
		return r;
	about.focus_found = focus.found;
	r = level_tree_init_focused(
		&levels, &tree->calls, LEVEL_TREE_BY_TOTAL, node_count, focus.marks);
	tree_focus_done(&focus);
	if (r < 0)
		return r;
	r = write_levels(
		&levels, &about, accept_names_type(request->accept, "application/x-flame"), answer);
	level_tree_done(&levels);
	return r;
}

void route_flame(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	struct tree_request of;
	uint32_t node_count;
	int r;

	if (!query_params_number(request, "max_nodes", node_bounds, FLAME_NODE_COUNT_DEFAULT,
		    answer, &node_count) ||
		!begin_tree(site, request, true, answer, &of))
		return;
	r = write_flame(of.tree, request, node_count, answer);
	end_tree(&of);
	if (r == -EINVAL) {
		http_answer_error(answer, 400,
			"focus, focus_modules: as many names as modules must stand here, joined "
			"by ;");
	} else if (r < 0) {
		profile_query_answer_error(answer, r);
	}
}

static int write_top(const struct profile_tree *tree, const struct http_request *request,
	uint32_t row_count, struct http_answer *answer)
{
	const char *function = http_request_param(request, "function");
	struct top top;
	int r = top_init(&top, &tree->calls);

	if (r < 0)
		return r;
	if (function) {
		top_keep_function(
			&top, &tree->functions, function, http_request_param(request, "module"));
	}
	tree_json_top(&top, &tree->about, tree->calls.totals[GROWING_TREE_ROOT], row_count,
		&tree->functions, http_answer_begin(answer, 200, "application/json"));
	top_done(&top);
	return 0;
}

void route_top(void *context, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t bounds[2] = {1, TOP_ROW_COUNT_MAX};
	const struct site *site = context;
	struct tree_request of;
	uint32_t row_count;
	int r;

	if (!query_params_number(
		    request, "limit", bounds, TOP_ROW_COUNT_DEFAULT, answer, &row_count) ||
		!begin_tree(site, request, false, answer, &of))
		return;
	r = write_top(of.tree, request, row_count, answer);
	end_tree(&of);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

/* ---- Pyroscope's ---- */

static int write_render(const struct profile_tree *tree, struct series *series, uint32_t node_count,
	const char *type, struct http_answer *answer)
{
	struct tree_json_timeline timeline = {.series = series};
	struct flamebearer flamebearer;
	struct level_tree levels;
	uint32_t *order = NULL, listed = 0;
	int r = level_tree_init(&levels, &tree->calls, LEVEL_TREE_BY_NAME, node_count);

	if (r < 0)
		return r;
	r = series_rank(series, RENDER_GROUP_COUNT_MAX, &order, &listed);
	if (r == 0)
		r = flamebearer_init(&flamebearer, &levels);
	if (r == 0) {
		timeline.order = order;
		timeline.count = listed < RENDER_GROUP_COUNT_MAX ? listed : RENDER_GROUP_COUNT_MAX;
		tree_json_render(&flamebearer, type, &timeline,
			http_answer_begin(answer, 200, "application/json"));
		flamebearer_done(&flamebearer);
	}
	free(order);
	level_tree_done(&levels);
	return r;
}

/* Both spellings are in use; a number that is not positive asks for the default. */
static bool read_render_nodes(
	const struct http_request *request, struct http_answer *answer, uint32_t *ret_count)
{
	const char *name = http_request_param(request, "max-nodes") ? "max-nodes" : "maxNodes";
	const char *text = http_request_param(request, name);

	if (text && (text[0] == '-' || strcmp(text, "0") == 0)) {
		*ret_count = RENDER_NODE_COUNT_DEFAULT;
		return true;
	}
	return query_params_number(
		request, name, node_bounds, RENDER_NODE_COUNT_DEFAULT, answer, ret_count);
}

/* The timeline first: it takes little, and then the tree has the rest of the time. */
static int answer_render(struct query_run *run, const struct query_params *params,
	const struct http_request *request, uint32_t node_count, struct http_answer *answer)
{
	static const struct profile_tree_options no_options;
	const char *group = http_request_param(request, "groupBy");
	struct series_question_params question = {.params = params};
	struct profile_tree *tree;
	struct series_query query;
	int r = time_steps_init(params->range,
		timeline_step(params->range.until_ns - params->range.from_ns), UINT32_MAX,
		&question.steps);

	if (group && *group)
		question.by = (struct label_names){.names = {group}, .count = 1};
	if (r == 0)
		r = series_query_init(&query, run, &question);
	if (r < 0)
		return r;
	r = profile_tree_take(run, params, &no_options, &tree);
	if (r == 0) {
		query_run_stage(run, QUERY_WRITING);
		r = write_render(tree, &query.series, node_count, params->selector.type, answer);
		profile_tree_give_back(run, tree);
	}
	series_query_done(&query);
	return r;
}

void route_render(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	const char *format = http_request_param(request, "format");
	const char *from = http_request_param(request, "from");
	struct query_params params;
	struct query_run run;
	uint32_t node_count;
	int r;

	if (!from || !*from) {
		http_answer_error(answer, 400, "missing time range in the query: say from=now-1h");
		return;
	}
	if (format && *format && strcmp(format, "json") != 0) {
		route_render_as(site, request, format, answer);
		return;
	}
	if (!read_render_nodes(request, answer, &node_count) ||
		!query_params_read(
			request, clock_read(&site->clock).realtime_ns, true, answer, &params))
		return;
	/* As Pyroscope answers it; our own paths give an empty answer. */
	if (params.range.from_ns == params.range.until_ns) {
		http_answer_error(answer, 400, "empty time range: until is not after from");
		query_params_done(&params);
		return;
	}
	query_run_begin(&run, site, request);
	r = answer_render(&run, &params, request, node_count, answer);
	query_run_end(&run);
	query_params_done(&params);
	if (r < 0)
		profile_query_answer_error(answer, r);
}
