/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <stdlib.h>
#include <string.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/http/accept.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/tree_json.h"
#include "symbolizer-server/query/folded.h"
#include "symbolizer-server/query/level_tree.h"

/* What a browser still draws at 60 pictures a second, and about 0.75 MB on the way. */
#define FLAME_NODE_COUNT_DEFAULT 200000
/* A tree of 10^6 nodes is to be had whole. */
#define NODE_COUNT_MAX (2u << 20)
/* What Pyroscope sends if it is not told. */
#define RENDER_NODE_COUNT_DEFAULT 8192
#define TOP_ROW_COUNT_DEFAULT 100
#define TOP_ROW_COUNT_MAX (1u << 20)

static const uint32_t node_bounds[2] = {1, NODE_COUNT_MAX};

/* Reads the parameters and makes the tree; false: answered with what went wrong. */
static bool make_tree(const struct site *site, const struct http_request *request,
	struct http_answer *answer, struct profile_tree *ret_tree)
{
	struct query_params params;
	int r;

	if (!query_params_read(
		    request, clock_read(&site->clock).realtime_ns, true, answer, &params))
		return false;
	r = profile_tree_init(ret_tree, site, request, &params, NULL);
	query_params_done(&params);
	if (r == 0)
		return true;
	profile_query_answer_error(answer, r);
	return false;
}

static int write_flame(
	struct profile_tree *tree, uint32_t node_count, bool columns, struct http_answer *answer)
{
	struct level_tree levels;
	struct flame flame;
	int r = level_tree_init(&levels, &tree->calls, LEVEL_TREE_BY_TOTAL, node_count);

	if (r < 0)
		return r;
	r = flame_init(&flame, &levels, &tree->about);
	if (r == 0) {
		struct bytes_writer *body = http_answer_begin(
			answer, 200, columns ? "application/x-flame" : "application/json");

		answer->varies = true;
		if (columns)
			r = flame_write_columns(&flame, body);
		else
			tree_json_flame(&flame, body);
		flame_done(&flame);
	}
	level_tree_done(&levels);
	return r;
}

void route_flame(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	bool columns = accept_names_type(request->accept, "application/x-flame");
	struct profile_tree tree;
	uint32_t node_count;
	int r;

	if (!query_params_number(request, "max_nodes", node_bounds, FLAME_NODE_COUNT_DEFAULT,
		    answer, &node_count) ||
		!make_tree(site, request, answer, &tree))
		return;
	r = write_flame(&tree, node_count, columns, answer);
	profile_tree_done(&tree);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

static int write_top(struct profile_tree *tree, const struct http_request *request,
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
	struct profile_tree tree;
	uint32_t row_count;
	int r;

	if (!query_params_number(
		    request, "limit", bounds, TOP_ROW_COUNT_DEFAULT, answer, &row_count) ||
		!make_tree(site, request, answer, &tree))
		return;
	r = write_top(&tree, request, row_count, answer);
	profile_tree_done(&tree);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

void route_export(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	const char *format = http_request_param(request, "format");
	struct profile_tree tree;
	struct level_tree levels;
	int r;

	if (!format || strcmp(format, "folded") != 0) {
		http_answer_error(answer, 400, "format: `folded` is what can be exported");
		return;
	}
	if (!make_tree(site, request, answer, &tree))
		return;
	r = level_tree_init(&levels, &tree.calls, LEVEL_TREE_BY_TOTAL, UINT32_MAX);
	if (r == 0) {
		r = folded_write(
			&levels, http_answer_begin(answer, 200, "text/plain; charset=utf-8"));
		level_tree_done(&levels);
	}
	profile_tree_done(&tree);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

static int write_render(struct profile_tree *tree, const struct timeline *timeline,
	uint32_t node_count, struct http_answer *answer)
{
	struct flamebearer flamebearer;
	struct level_tree levels;
	int r = level_tree_init(&levels, &tree->calls, LEVEL_TREE_BY_NAME, node_count);

	if (r < 0)
		return r;
	r = flamebearer_init(&flamebearer, &levels);
	if (r == 0) {
		tree_json_render(&flamebearer, timeline->selector->type, timeline,
			http_answer_begin(answer, 200, "application/json"));
		flamebearer_done(&flamebearer);
	}
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

void route_render(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	const char *format = http_request_param(request, "format");
	const char *from = http_request_param(request, "from");
	struct query_params params;
	struct profile_tree tree;
	struct timeline timeline;
	uint32_t node_count;
	int r;

	if (format && *format && strcmp(format, "json") != 0) {
		http_answer_error(answer, 400, "format: `json` is what can be rendered");
		return;
	}
	if (!from || !*from) {
		http_answer_error(answer, 400, "missing time range in the query: say from=now-1h");
		return;
	}
	if (!read_render_nodes(request, answer, &node_count) ||
		!query_params_read(
			request, clock_read(&site->clock).realtime_ns, true, answer, &params))
		return;
	r = timeline_init(&timeline, &params.selector, params.range);
	if (r == 0)
		r = profile_tree_init(&tree, site, request, &params, &timeline);
	if (r == 0) {
		r = write_render(&tree, &timeline, node_count, answer);
		profile_tree_done(&tree);
	}
	timeline_done(&timeline);
	query_params_done(&params);
	if (r < 0)
		profile_query_answer_error(answer, r);
}
