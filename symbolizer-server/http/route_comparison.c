/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <string.h>

#include "symbolizer-server/http/comparison_json.h"
#include "symbolizer-server/http/comparison_query.h"
#include "symbolizer-server/http/tree_json.h"
#include "symbolizer-server/query/flamebearer_pair.h"

/* Two values and a chance for each node are three times what a flame graph sends. */
#define NODE_COUNT_DEFAULT 65536
#define NODE_COUNT_MAX (1u << 20)
#define ROW_COUNT_DEFAULT 100
#define ROW_COUNT_MAX (1u << 20)

enum view { VIEW_TREE, VIEW_FUNCTIONS };

static bool read_view(
	const struct http_request *request, struct http_answer *answer, enum view *ret_view)
{
	const char *view = http_request_param(request, "view");

	if (!view || !*view || strcmp(view, "tree") == 0) {
		*ret_view = VIEW_TREE;
		return true;
	}
	if (strcmp(view, "functions") == 0) {
		*ret_view = VIEW_FUNCTIONS;
		return true;
	}
	http_answer_error(answer, 400, "view: `tree` or `functions` must stand here");
	return false;
}

static int write_tree(
	struct comparison_query *query, uint32_t node_count, struct http_answer *answer)
{
	struct level_tree levels;
	int r;

	comparison_balance(&query->comparison, &query->tree->calls);
	r = level_tree_init(&levels, &query->tree->calls, LEVEL_TREE_BY_TOTAL, node_count);
	if (r < 0)
		return r;
	r = comparison_json_tree(
		query, &levels, http_answer_begin(answer, 200, "application/json"));
	level_tree_done(&levels);
	return r;
}

static int write_functions(
	struct comparison_query *query, uint32_t row_count, struct http_answer *answer)
{
	struct comparison_table table;
	int r = comparison_table_init(&table, &query->tree->calls);

	if (r < 0)
		return r;
	comparison_table_sort(&table, &query->comparison, &query->tree->calls);
	comparison_json_functions(
		query, &table, row_count, http_answer_begin(answer, 200, "application/json"));
	comparison_table_done(&table);
	return 0;
}

void route_diff(void *context, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t node_bounds[2] = {1, NODE_COUNT_MAX};
	static const uint32_t row_bounds[2] = {1, ROW_COUNT_MAX};
	const struct site *site = context;
	struct query_params sides[COMPARISON_SIDE_COUNT];
	struct comparison_query query;
	struct query_run run;
	uint32_t node_count, row_count;
	enum view view;
	int r;

	if (!read_view(request, answer, &view) ||
		!query_params_number(request, "max_nodes", node_bounds, NODE_COUNT_DEFAULT, answer,
			&node_count) ||
		!query_params_number(
			request, "limit", row_bounds, ROW_COUNT_DEFAULT, answer, &row_count) ||
		!query_params_read_sides(
			request, clock_read(&site->clock).realtime_ns, answer, sides))
		return;
	query_run_begin(&run, site, request);
	r = comparison_query_take(&query, &run, sides);
	if (r == 0) {
		query_run_stage(&run, QUERY_WRITING);
		r = view == VIEW_TREE ? write_tree(&query, node_count, answer)
				      : write_functions(&query, row_count, answer);
		comparison_query_give_back(&query, &run);
	}
	query_run_end(&run);
	for (uint32_t i = 0; i < COMPARISON_SIDE_COUNT; i++)
		query_params_done(&sides[i]);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

/* ---- Pyroscope's ---- */

/* What Pyroscope sends if it is not told. */
#define RENDER_NODE_COUNT_DEFAULT 8192

/* REQUEST with its parameters as our own path calls them. */
static struct http_request renamed(const struct http_request *request)
{
	static const struct {
		const char *theirs, *ours;
	} names[] = {{"leftQuery", "left_query"}, {"leftFrom", "left_from"},
		{"leftUntil", "left_until"}, {"rightQuery", "right_query"},
		{"rightFrom", "right_from"}, {"rightUntil", "right_until"},
		{"max-nodes", "max_nodes"}, {"maxNodes", "max_nodes"}};
	struct http_request copy = *request;

	for (uint32_t i = 0; i < copy.param_count; i++) {
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			if (strcmp(copy.params[i].name, names[j].theirs) == 0)
				copy.params[i].name = names[j].ours;
		}
	}
	return copy;
}

static int write_render(struct comparison_query *query, const char *type, uint32_t node_count,
	struct http_answer *answer)
{
	struct flamebearer_pair pair;
	struct level_tree levels;
	int r;

	comparison_balance(&query->comparison, &query->tree->calls);
	r = level_tree_init(&levels, &query->tree->calls, LEVEL_TREE_BY_NAME, node_count);
	if (r < 0)
		return r;
	r = flamebearer_pair_init(&pair, &levels, &query->comparison);
	if (r == 0) {
		tree_json_render_pair(
			&pair, type, http_answer_begin(answer, 200, "application/json"));
		flamebearer_pair_done(&pair);
	}
	level_tree_done(&levels);
	return r;
}

void route_render_diff(void *context, const struct http_request *asked, struct http_answer *answer)
{
	static const uint32_t node_bounds[2] = {1, NODE_COUNT_MAX};
	const struct http_request request = renamed(asked);
	const struct site *site = context;
	struct query_params sides[COMPARISON_SIDE_COUNT];
	struct comparison_query query;
	struct query_run run;
	uint32_t node_count;
	int r;

	if (!query_params_number(&request, "max_nodes", node_bounds, RENDER_NODE_COUNT_DEFAULT,
		    answer, &node_count) ||
		!query_params_read_sides(
			&request, clock_read(&site->clock).realtime_ns, answer, sides))
		return;
	/* Whether somebody still waits is known of the request itself alone. */
	query_run_begin(&run, site, asked);
	r = comparison_query_take(&query, &run, sides);
	if (r == 0) {
		query_run_stage(&run, QUERY_WRITING);
		r = write_render(&query, sides[COMPARISON_LEFT].selector.type, node_count, answer);
		comparison_query_give_back(&query, &run);
	}
	query_run_end(&run);
	for (uint32_t i = 0; i < COMPARISON_SIDE_COUNT; i++)
		query_params_done(&sides[i]);
	if (r < 0)
		profile_query_answer_error(answer, r);
}
