/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/comparison_query.h"

#include "store/profile/string_table.h"

struct visit {
	struct comparison *comparison;
	struct merge *merge;
	enum comparison_sides side;
};

/* The middle of that part of the window which lies in the range of its side. */
static uint64_t middle(const struct comparison_side *side, const struct profile *profile)
{
	uint64_t from_ns = profile_window_epoch_ns(profile);
	uint64_t until_ns = profile_window_end_epoch_ns(profile);

	if (from_ns < side->range.from_ns)
		from_ns = side->range.from_ns;
	if (until_ns > side->range.until_ns)
		until_ns = side->range.until_ns;
	return until_ns > from_ns ? from_ns + (until_ns - from_ns) / 2 : from_ns;
}

static int visit_profile(void *context, const struct profile *profile)
{
	struct visit *visit = context;

	visit->merge->lane = comparison_lane(visit->comparison, visit->side,
		middle(&visit->comparison->sides[visit->side], profile));
	return merge_add(visit->merge, profile);
}

static size_t visit_bytes(const void *context)
{
	return merge_bytes(((const struct visit *)context)->merge);
}

/* Time covered, and the CPU time of the hosts that have samples in the query. */
static int read_windows(struct comparison_side *side, struct query_run *run,
	const struct query_params *params, const struct string_table *hosts)
{
	struct window_cover cover;
	int r = window_cover_init(&cover, params->range, NULL);

	if (r < 0)
		return r;
	r = query_run_windows(run, &params->selector, &cover);
	side->covered = cover.covered;
	/* The empty name is in every table; a host may have it, too. */
	for (uint32_t i = side->sample_count > 0 ? 0 : hosts->count; i < hosts->count; i++)
		side->core_ns += window_cover_core_ns(
			&cover, string_table_text(hosts, i), string_table_length(hosts, i));
	window_cover_done(&cover);
	return r;
}

static int read_profiles(struct profile_tree *tree, struct query_run *run,
	const struct query_params *params, enum comparison_sides which)
{
	struct comparison_side *side = &tree->comparison.sides[which];
	struct visit visit = {
		.comparison = &tree->comparison, .merge = &tree->merge, .side = which};
	struct query_read read = {.selector = &params->selector,
		.range = params->range,
		.detail = query_run_detail(&params->selector, NULL, true),
		.step_ns = side->group_ns,
		.step_origin_ns = side->group_origin_ns,
		/* The left side leaves the right one half of the time. */
		.deadline_ns = which == COMPARISON_LEFT
			? run->begun_ns + (run->deadline_ns - run->begun_ns) / 2
			: 0,
		.add = visit_profile,
		.bytes = visit_bytes,
		.context = &visit};

	return query_run_read(run, &read, &side->partial);
}

static int read_side(struct profile_tree *tree, struct query_run *run,
	const struct query_params *params, enum comparison_sides which)
{
	struct comparison_side *side = &tree->comparison.sides[which];
	struct merge *merge = &tree->merge;
	uint64_t samples_before = merge->sample_count;
	struct string_table hosts;
	int r = string_table_init(&hosts);

	if (r < 0)
		return r;
	merge_turn(merge, &params->selector, params->range);
	merge->hosts = &hosts;
	r = read_profiles(tree, run, params, which);
	merge->hosts = NULL;
	side->sample_count = merge->sample_count - samples_before;
	side->period = merge->period;
	if (r == 0)
		r = read_windows(side, run, params, &hosts);
	string_table_done(&hosts);
	return r;
}

static int fill_tree(
	struct profile_tree *tree, struct query_run *run, const struct query_params sides[2])
{
	const struct query_params *left = &sides[COMPARISON_LEFT];
	int r;

	comparison_init(&tree->comparison, left->range, sides[COMPARISON_RIGHT].range);
	r = merge_init(&tree->merge, &left->selector, left->range);
	if (r == 0)
		r = function_table_init(&tree->functions);
	if (r == 0)
		merge_keep_lanes(&tree->merge, tree->comparison.lane_count);
	for (uint32_t i = 0; r == 0 && i < COMPARISON_SIDE_COUNT; i++)
		r = read_side(tree, run, &sides[i], (enum comparison_sides)i);
	query_run_stage(run, QUERY_NAMING);
	return r == 0 ? profile_tree_join(tree, run->site) : r;
}

static int make_tree(struct query_run *run, const void *question, struct profile_tree **ret_tree)
{
	const struct query_params *sides = question;
	struct profile_tree *tree;
	int r = profile_tree_new(&tree);

	if (r < 0)
		return r;
	tree->naming_options = sides[COMPARISON_LEFT].naming;
	r = fill_tree(tree, run, sides);
	if (r < 0) {
		profile_tree_free(tree);
		return r;
	}
	tree->about = (struct flame_about){
		.unit = flame_unit_of_type(sides[COMPARISON_LEFT].selector.type),
		.partial_symbols = tree->naming.unnamed_count > 0,
	};
	for (uint32_t i = 0; i < COMPARISON_SIDE_COUNT; i++) {
		const struct comparison_side *side = &tree->comparison.sides[i];

		tree->about.sample_count += side->sample_count;
		tree->is_partial |= side->partial.reason != PARTIAL_NOT;
	}
	/* Only joining needed them. */
	naming_done(&tree->naming);
	*ret_tree = tree;
	return 0;
}

static void write_key(struct bytes_writer *key, const void *question)
{
	const struct query_params *sides = question;

	bytes_write_u8(key, 'C');
	for (uint32_t i = 0; i < COMPARISON_SIDE_COUNT; i++)
		profile_query_write_key(key, &sides[i]);
}

/* Numbers only rise: whatever comes into either range raises the larger of the two. */
static uint64_t serial_of(struct profile_store *store, const struct query_params sides[2])
{
	uint64_t serial = 0;

	for (uint32_t i = 0; i < COMPARISON_SIDE_COUNT; i++) {
		struct time_range range = sides[i].range;
		uint64_t of_side = profile_store_serial(store, range.from_ns, range.until_ns);

		if (of_side == 0)
			return 0;
		serial = of_side > serial ? of_side : serial;
	}
	return serial;
}

int comparison_query_take(
	struct comparison_query *query, struct query_run *run, const struct query_params sides[2])
{
	const struct profile_tree_maker maker = {.make = make_tree,
		.question = sides,
		.write_key = write_key,
		.serial = serial_of(run->site->store, sides)};
	int r = profile_tree_take_made(run, &maker, &query->tree);

	if (r == 0)
		query->comparison = query->tree->comparison;
	return r;
}

void comparison_query_give_back(struct comparison_query *query, struct query_run *run)
{
	profile_tree_give_back(run, query->tree);
}
