/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/comparison_query.h"

#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"
#include "store/profile/string_table.h"

/* What one host was seen doing on a side. */
struct host_time {
	uint64_t core_ns; /* covered time x CPUs */
	bool has_samples; /* of the query */
};

struct visit {
	const struct http_request *request;
	struct comparison *comparison;
	struct merge *merge;
	enum comparison_sides side;
	struct string_table host_names;
	struct host_time *hosts; /* of each name */
	uint32_t host_count;
	uint32_t host_capacity;
};

static int find_host(
	struct visit *visit, const struct profile *profile, struct host_time **ret_host)
{
	uint32_t name, text = profile->head.host;
	int r = string_table_add(&visit->host_names, string_table_text(&profile->strings, text),
		string_table_length(&profile->strings, text), &name);

	while (r == 0 && visit->host_count <= name) {
		r = grow_array(
			&visit->hosts, &visit->host_capacity, visit->host_count, STRING_COUNT_MAX);
		if (r == 0)
			visit->hosts[visit->host_count++] = (struct host_time){0};
	}
	if (r == 0)
		*ret_host = &visit->hosts[name];
	return r;
}

/* The part of the window that lies in the range of its side. */
static struct time_range overlap(const struct comparison_side *side, const struct profile *profile)
{
	struct time_range part = {
		profile_window_epoch_ns(profile), profile_window_end_epoch_ns(profile)};

	if (part.from_ns < side->range.from_ns)
		part.from_ns = side->range.from_ns;
	if (part.until_ns > side->range.until_ns)
		part.until_ns = side->range.until_ns;
	if (part.until_ns < part.from_ns)
		part.until_ns = part.from_ns;
	return part;
}

static void cover(struct comparison_side *side, struct time_range part)
{
	if (part.from_ns == part.until_ns)
		return;
	if (side->covered.from_ns == side->covered.until_ns) {
		side->covered = part;
		return;
	}
	if (part.from_ns < side->covered.from_ns)
		side->covered.from_ns = part.from_ns;
	if (part.until_ns > side->covered.until_ns)
		side->covered.until_ns = part.until_ns;
}

static int visit_profile(void *context, const struct profile *profile)
{
	struct visit *visit = context;
	struct comparison_side *side = &visit->comparison->sides[visit->side];
	struct time_range part = overlap(side, profile);
	uint64_t samples_before = visit->merge->sample_count;
	struct host_time *host = NULL;
	int r = find_host(visit, profile, &host);

	if (r != 0)
		return r;
	if (http_request_is_gone(visit->request))
		return -ECANCELED;
	visit->merge->lane = comparison_lane(
		visit->comparison, visit->side, part.from_ns + (part.until_ns - part.from_ns) / 2);
	r = merge_add(visit->merge, profile);
	cover(side, part);
	host->core_ns += (part.until_ns - part.from_ns) * profile->head.online_cpu_count;
	host->has_samples |= visit->merge->sample_count > samples_before;
	return r;
}

static int visit_side(struct comparison_query *query, const struct site *site,
	const struct http_request *request, const struct query_params *params,
	enum comparison_sides which)
{
	struct comparison_side *side = &query->comparison.sides[which];
	struct merge *merge = &query->tree.merge;
	struct visit visit = {.request = request,
		.comparison = &query->comparison,
		.merge = merge,
		.side = which};
	uint64_t samples_before = merge->sample_count;
	int r = string_table_init(&visit.host_names);

	if (r < 0)
		return r;
	merge_turn(merge, &params->selector, params->range);
	r = profile_query_visit(site, params, visit_profile, &visit);
	side->sample_count = merge->sample_count - samples_before;
	side->period = merge->period;
	for (uint32_t i = 0; i < visit.host_count; i++)
		side->core_ns += visit.hosts[i].has_samples ? visit.hosts[i].core_ns : 0;
	string_table_done(&visit.host_names);
	free(visit.hosts);
	return r;
}

int comparison_query_init(struct comparison_query *query, const struct site *site,
	const struct http_request *request, const struct query_params sides[2])
{
	struct profile_tree *tree = &query->tree;
	int r;

	*query = (struct comparison_query){.tree.naming_options = sides[COMPARISON_LEFT].naming};
	comparison_init(
		&query->comparison, sides[COMPARISON_LEFT].range, sides[COMPARISON_RIGHT].range);
	r = merge_init(
		&tree->merge, &sides[COMPARISON_LEFT].selector, sides[COMPARISON_LEFT].range);
	if (r == 0)
		r = function_table_init(&tree->functions);
	if (r == 0)
		merge_keep_lanes(&tree->merge, query->comparison.lane_count);
	for (uint32_t i = 0; r == 0 && i < COMPARISON_SIDE_COUNT; i++)
		r = visit_side(query, site, request, &sides[i], (enum comparison_sides)i);
	if (r == 0)
		r = profile_tree_join(tree, site);
	if (r < 0) {
		comparison_query_done(query);
		return r;
	}
	tree->about = (struct flame_about){
		.unit = flame_unit_of_type(sides[COMPARISON_LEFT].selector.type),
		.partial_symbols = tree->naming.unnamed_count > 0,
		.sample_count = query->comparison.sides[COMPARISON_LEFT].sample_count +
			query->comparison.sides[COMPARISON_RIGHT].sample_count,
	};
	return 0;
}

void comparison_query_done(struct comparison_query *query)
{
	profile_tree_done(&query->tree);
}
