/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs, alone and of two sides, as Grafana draws them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/export/pprof_export.h"
#include "symbolizer-server/http/comparison_query.h"
#include "symbolizer-server/http/querier_call.h"
#include "symbolizer-server/query/flamebearer.h"
#include "symbolizer-server/query/flamebearer_pair.h"
#include "symbolizer-server/query/level_tree.h"

#define NODE_NUMBERS 4

static const struct reply_field flamegraph = {1, "flamegraph"};

/* ---- What is asked for ---- */

static int read_node_count(
	const struct querier_call *call, const struct querier_request *asked, uint32_t *ret_count)
{
	if (asked->nodes_max < 0 || asked->nodes_max > QUERIER_NODE_COUNT_MAX) {
		return ingest_refuse(call->fault, -EINVAL,
			"max nodes: 1 to %u may be asked for, not %" PRId64, QUERIER_NODE_COUNT_MAX,
			asked->nodes_max);
	}
	*ret_count = asked->nodes_max > 0 ? (uint32_t)asked->nodes_max : QUERIER_NODE_COUNT_DEFAULT;
	return 0;
}

/* What would be another tree is never answered by this one. */
static int check_wishes(const struct querier_call *call, const struct querier_request *asked)
{
	if (asked->call_site.count > 0) {
		return ingest_refuse(call->fault, -ENOSYS,
			"stackTraceSelector: subtrees of a call site are not cut out here; the "
			"page focuses on them");
	}
	if (asked->spans.count > 0)
		return ingest_refuse(call->fault, -ENOSYS,
			"profiles of single spans, traces and uploads are not kept apart here");
	if (asked->format != QUERIER_FORMAT_DEFAULT && asked->format != QUERIER_FLAMEGRAPH)
		return ingest_refuse(
			call->fault, -ENOSYS, "format: a flame graph is what is answered here");
	return 0;
}

/* ---- Flame graphs ---- */

static void write_names(struct reply_writer *writer, const struct flamebearer *flamebearer)
{
	const struct reply_field names = {1, "names"};

	reply_begin_list(writer, names);
	for (uint32_t i = 0; i < flamebearer->name_count; i++)
		reply_text(writer, names, flamebearer->names[i].text, flamebearer->names[i].length);
	reply_end_list(writer);
}

/* NUMBERS of each node, level after level. */
static void write_levels(struct reply_writer *writer, const struct flamebearer *flamebearer,
	const int64_t *numbers, size_t numbers_of_node)
{
	const struct reply_field levels = {2, "levels"}, values = {1, "values"};
	uint32_t first = 0;

	reply_begin_list(writer, levels);
	for (uint32_t i = 0; i < flamebearer->level_count; i++) {
		uint32_t end = flamebearer->level_ends[i];

		reply_begin(writer, levels);
		reply_numbers(writer, values, numbers + first * numbers_of_node,
			(end - first) * numbers_of_node);
		reply_end(writer);
		first = end;
	}
	reply_end_list(writer);
}

static int write_flamebearer(struct reply_writer *writer, const struct flamebearer *flamebearer)
{
	int64_t *numbers = calloc(flamebearer->node_count, NODE_NUMBERS * sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < flamebearer->node_count; i++) {
		const struct flamebearer_node *node = &flamebearer->nodes[i];
		int64_t *at = numbers + (size_t)i * NODE_NUMBERS;

		at[0] = node->x_delta;
		at[1] = node->total;
		at[2] = node->self;
		at[3] = node->name;
	}
	reply_begin(writer, flamegraph);
	write_names(writer, flamebearer);
	write_levels(writer, flamebearer, numbers, NODE_NUMBERS);
	reply_number(writer, (struct reply_field){3, "total"}, flamebearer->nodes[0].total);
	reply_number(writer, (struct reply_field){4, "maxSelf"}, flamebearer->self_max);
	reply_end(writer);
	free(numbers);
	return 0;
}

static int write_tree(struct reply_writer *writer, const struct profile_tree *tree,
	const struct query_params *params, const struct querier_call *call)
{
	uint32_t node_count = call->asked->nodes_max > 0 ? (uint32_t)call->asked->nodes_max
							 : QUERIER_NODE_COUNT_DEFAULT;
	struct flamebearer flamebearer;
	struct level_tree levels;
	int r = level_tree_init(&levels, &tree->calls, LEVEL_TREE_BY_NAME, node_count);

	(void)params;
	if (r < 0)
		return r;
	r = flamebearer_init(&flamebearer, &levels);
	if (r == 0) {
		r = write_flamebearer(writer, &flamebearer);
		flamebearer_done(&flamebearer);
	}
	level_tree_done(&levels);
	return r;
}

/* How a tree is told. */
typedef int (*write_tree_fn)(struct reply_writer *writer, const struct profile_tree *tree,
	const struct query_params *params, const struct querier_call *call);

static int answer_tree(const struct querier_call *call, struct naming_options naming,
	write_tree_fn write, struct reply_writer *writer)
{
	static const struct profile_tree_options no_options;
	struct query_params params;
	struct profile_tree *tree;
	struct query_run run;
	uint32_t node_count = 0;
	int r = check_wishes(call, call->asked);

	if (r == 0)
		r = read_node_count(call, call->asked, &node_count);
	if (r == 0)
		r = querier_params(call, call->asked, &params);
	if (r < 0)
		return r;
	params.naming = naming;
	query_run_begin(&run, call->site, call->http);
	r = profile_tree_take(&run, &params, &no_options, &tree);
	if (r == 0) {
		query_run_stage(&run, QUERY_WRITING);
		r = write(writer, tree, &params, call);
		profile_tree_give_back(&run, tree);
	}
	query_run_end(&run);
	query_params_done(&params);
	return r;
}

int querier_tree(const struct querier_call *call, struct reply_writer *writer)
{
	return answer_tree(call, (struct naming_options){0}, write_tree, writer);
}

/* Nothing here belongs to a span: the tree has a root of nothing. */
int querier_span_tree(const struct querier_call *call, struct reply_writer *writer)
{
	struct flamebearer_name name = {"total", 5};
	struct flamebearer_node root = {0};
	uint32_t end = 1;
	const struct flamebearer empty = {.names = &name,
		.name_count = 1,
		.nodes = &root,
		.node_count = 1,
		.level_ends = &end,
		.level_count = 1};
	struct query_params params;
	int r = querier_params(call, call->asked, &params);

	if (r < 0)
		return r;
	query_params_done(&params);
	return write_flamebearer(writer, &empty);
}

/* ---- Profiles ---- */

/* All of it, unless fewer nodes are asked for. */
static int write_profile(struct reply_writer *writer, const struct profile_tree *tree,
	const struct query_params *params, const struct querier_call *call)
{
	const struct querier_request *asked = call->asked;
	const struct export_about about = {.type = params->selector.type,
		.name = asked->selector,
		.range = params->range,
		.period = tree->about.period};
	struct level_tree levels;
	int r = level_tree_init(&levels, &tree->calls, LEVEL_TREE_BY_TOTAL,
		asked->nodes_max > 0 ? (uint32_t)asked->nodes_max : UINT32_MAX);

	if (r < 0)
		return r;
	r = pprof_export_write(writer, &levels, &about);
	level_tree_done(&levels);
	return r;
}

int querier_profile(const struct querier_call *call, struct reply_writer *writer)
{
	return answer_tree(call, (struct naming_options){.group = NAMING_BY_LINE, .by_build = true},
		write_profile, writer);
}

/* ---- Two sides ---- */

static void write_pair(struct reply_writer *writer, const struct flamebearer_pair *pair)
{
	int64_t left = pair->totals[COMPARISON_LEFT], right = pair->totals[COMPARISON_RIGHT];

	reply_begin(writer, flamegraph);
	write_names(writer, &pair->names);
	write_levels(writer, &pair->names, pair->numbers, FLAMEBEARER_PAIR_NUMBERS);
	reply_number(writer, (struct reply_field){3, "total"}, left + right);
	reply_number(writer, (struct reply_field){4, "maxSelf"}, pair->self_max);
	reply_number(writer, (struct reply_field){5, "leftTicks"}, left);
	reply_number(writer, (struct reply_field){6, "rightTicks"}, right);
	reply_end(writer);
}

static int write_comparison(
	struct reply_writer *writer, struct comparison_query *query, uint32_t node_count)
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
		write_pair(writer, &pair);
		flamebearer_pair_done(&pair);
	}
	level_tree_done(&levels);
	return r;
}

static int read_sides(const struct querier_call *call, struct query_params sides[2])
{
	int r = querier_params(call, call->asked->left, &sides[COMPARISON_LEFT]);

	if (r < 0)
		return r;
	r = querier_params(call, call->asked->right, &sides[COMPARISON_RIGHT]);
	if (r < 0)
		query_params_done(&sides[COMPARISON_LEFT]);
	return r;
}

int querier_diff(const struct querier_call *call, struct reply_writer *writer)
{
	const struct querier_request *left = call->asked->left, *right = call->asked->right;
	struct query_params sides[COMPARISON_SIDE_COUNT];
	struct comparison_query query;
	struct query_run run;
	uint32_t node_count = 0;
	int r;

	if (!left || !right)
		return ingest_refuse(call->fault, -EINVAL, "left, right: both sides must be there");
	if (strcmp(left->type, right->type) != 0)
		return ingest_refuse(
			call->fault, -EINVAL, "both sides must be of the same profile type");
	r = check_wishes(call, left);
	if (r == 0)
		r = check_wishes(call, right);
	if (r == 0)
		r = read_node_count(call, left, &node_count);
	if (r == 0)
		r = read_sides(call, sides);
	if (r < 0)
		return r;
	query_run_begin(&run, call->site, call->http);
	r = comparison_query_take(&query, &run, sides);
	if (r == 0) {
		query_run_stage(&run, QUERY_WRITING);
		r = write_comparison(writer, &query, node_count);
		comparison_query_give_back(&query, &run);
	}
	query_run_end(&run);
	for (int i = 0; i < COMPARISON_SIDE_COUNT; i++)
		query_params_done(&sides[i]);
	return r;
}
