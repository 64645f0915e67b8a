/* SPDX-License-Identifier: Apache-2.0 */
/* What symbolizer-server/query does when there is no memory. */
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/query/coverage.h"
#include "symbolizer-server/query/flame.h"
#include "symbolizer-server/query/flamebearer.h"
#include "symbolizer-server/query/heat_map.h"
#include "symbolizer-server/query/level_tree.h"
#include "symbolizer-server/query/listing.h"
#include "symbolizer-server/query/root_labels.h"
#include "symbolizer-server/query/series.h"
#include "symbolizer-server/query/top.h"
#include "symbolizer-server/query/tree_focus.h"
#include "symbolizer-server/query/window_cover.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/torture.h"
#include "tests/support/tree_fixture.h"

static const char query[] =
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds{process=~\"a.*\",host!=\"b\"}";
static const struct time_range ever = {0, UINT64_MAX};

static int selectors(void *context)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct selector selector;
	bool accepts = false;
	int r = selector_parse(query, strlen(query), &selector, error);

	(void)context;
	if (r < 0)
		return r;
	r = selector_matcher_accepts(&selector.matchers[0], "app", 3, &accepts);
	CHECK_EQ(accepts, r == 0);
	selector_done(&selector);
	return r;
}

struct given {
	struct selector selector;
	struct profile *profile;
};

static struct given make_given(const char *text)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct given given = {.profile = sample_profile_new("host", 0, NS_PER_S)};

	CHECK_EQ(selector_parse(text, strlen(text), &given.selector, error), 0);
	for (uint32_t i = 0; i < 100; i++) {
		char stack[64];

		(void)snprintf(stack, sizeof(stack), "main;f%u;g%u;h%u", i % 7, i % 13, i);
		sample_profile_add(given.profile,
			&(struct sample_profile_sample){.stack = stack, .slot = i % 50});
	}
	sample_profile_seal(given.profile);
	return given;
}

static void given_done(struct given *given)
{
	profile_free(given->profile);
	selector_done(&given->selector);
}

static int merging(void *context)
{
	const struct given *given = context;
	struct merge merge;
	int r = merge_init(&merge, &given->selector, ever);

	if (r < 0)
		return r;
	r = merge_add(&merge, given->profile);
	if (r == 0)
		CHECK_EQ(merge.sample_count, 100);
	merge_done(&merge);
	return r;
}

/* The last run folds what is above the caps; no run loses a sample. */
static int guarding(void *context)
{
	static const struct label_guard_limits limits = {
		.values_max = 1, .series_max = 9, .total_max = 99};
	struct profile *profile = ((const struct given *)context)->profile;
	uint64_t samples = profile_sample_count(profile);
	struct label_guard *guard = NULL;
	int r = label_guard_new(&limits, &guard);

	if (r < 0)
		return r;
	r = label_guard_apply(guard, profile, NS_PER_S);
	CHECK_EQ(profile_sample_count(profile), samples);
	label_guard_free(guard);
	return r;
}

static int listings(void *context)
{
	static const char *const names[LISTING_TEXT_COUNT_MAX] = {"process", "host"};
	static const struct profile_store_window window = {
		.host = {"a", 1}, .kernel_release = {"6.1", 3}, .collector_version = {"1", 1}};
	const struct given *given = context;
	struct listing listing;
	int r = listing_init(&listing, &given->selector, ever);

	if (r < 0)
		return r;
	r = listing_add_window(&listing, &window);
	if (r == 0)
		r = listing_add_types(&listing, given->profile);
	if (r == 0)
		r = listing_add_labels(&listing, given->profile, names);
	if (r == 0)
		r = listing_add_label_names(&listing, given->profile);
	listing_done(&listing);
	return r;
}

static int series_over_time(void *context)
{
	const struct given *given = context;
	struct series_question question = {.selector = &given->selector,
		.range = {0, 60 * NS_PER_S},
		.steps = {.step_ns = NS_PER_S / 2, .count = 120},
		.by = {.names = {"process", "cpu"}, .count = 2}};
	struct series series;
	uint32_t *order, count;
	int r = series_init(&series, &question);

	if (r < 0)
		return r;
	r = series_add(&series, given->profile);
	if (r == 0)
		r = series_rank(&series, 1, &order, &count);
	if (r == 0)
		free(order);
	series_done(&series);
	return r;
}

static int heat_maps(void *context)
{
	const struct given *given = context;
	struct heat_map_shape shape;
	struct heat_map map;
	int r;

	CHECK_EQ(heat_map_choose((struct time_range){0, NS_PER_S}, NS_PER_S, 50, 5, &shape), 0);
	r = heat_map_init(&map, &given->selector, (struct time_range){0, NS_PER_S}, &shape);
	if (r < 0)
		return r;
	r = heat_map_add(&map, given->profile);
	heat_map_done(&map);
	return r;
}

static int merging_below_labels(void *context)
{
	const struct label_names names = {{"process", "cpu"}, 2};
	const struct given *given = context;
	struct root_labels root;
	struct merge merge;
	int r = merge_init(&merge, &given->selector, ever);

	if (r < 0)
		return r;
	r = root_labels_init(&root, &names);
	if (r == 0) {
		merge_keep_root(&merge, &root);
		r = merge_add(&merge, given->profile);
		root_labels_done(&root);
	}
	merge_done(&merge);
	return r;
}

static int covering(void *context)
{
	const struct time_steps steps = {.step_ns = NS_PER_S, .count = 10};
	const struct window_of_host window = {"host", 4, {0, 5 * NS_PER_S}, 2};
	struct window_cover cover;
	int r = window_cover_init(&cover, (struct time_range){0, 10 * NS_PER_S}, &steps);

	(void)context;
	if (r < 0)
		return r;
	r = window_cover_add(&cover, &window);
	window_cover_finish(&cover);
	window_cover_done(&cover);
	return r;
}

static int focusing(void *context)
{
	const struct tree_fixture *fixture = context;
	struct tree_focus focus;
	int r = tree_focus_on_path(&focus, &fixture->calls, "main;f", ";");

	if (r == 0)
		tree_focus_done(&focus);
	return r;
}

static int matching(void *context)
{
	const struct function_wanted wanted = {.name = "f"};
	struct tree_fixture *fixture = context;
	struct function_match match;
	int r = function_match_init(
		&match, &fixture->merge, &fixture->naming, &fixture->functions, &wanted);

	if (r == 0)
		function_match_done(&match);
	return r;
}

/* Two functions at each address, in a file. */
static int ask_chain(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	(void)context;
	(void)id;
	*ret_chain = (struct symbol_chain){.start = address, .end = address + 1, .count = 2};
	ret_chain->line_start = ret_chain->start;
	ret_chain->line_end = ret_chain->end;
	ret_chain->calls[0] = (struct symbol_call){"_Z5innerv", "/in.h", (uint32_t)address};
	ret_chain->calls[1] = (struct symbol_call){"outer", "/out.c", 8};
	return 0;
}

static int naming(void *context)
{
	const struct naming_options options = {.group = NAMING_BY_LINE, .by_build = true};
	struct tree_fixture *fixture = context;
	struct function_table functions;
	struct coverage coverage;
	struct naming names;
	struct call_tree calls;
	int r = function_table_init(&functions);

	if (r < 0)
		return r;
	r = naming_init_by(&names, &fixture->merge, &functions, &options, ask_chain, NULL);
	if (r == 0) {
		r = coverage_init(&coverage, &fixture->merge, &names, &functions);
		if (r == 0)
			coverage_done(&coverage);
	}
	if (r == 0) {
		r = call_tree_init(&calls, &fixture->merge, &names, &functions);
		if (r == 0) {
			CHECK_EQ(calls.totals[0], fixture->merge.total);
			call_tree_done(&calls);
		}
	}
	naming_done(&names);
	function_table_done(&functions);
	return r;
}

static int tables(void *context)
{
	const struct tree_fixture *fixture = context;
	struct top top;
	int r = top_init(&top, &fixture->calls);

	if (r == 0)
		top_done(&top);
	return r;
}

static int write_flame(const struct level_tree *tree)
{
	struct flame_about about = {.unit = FLAME_NANOSECONDS, .sample_count = 3, .range = ever};
	struct bytes_writer columns;
	struct flame flame;
	int r = flame_init(&flame, tree, &about);

	if (r < 0)
		return r;
	bytes_writer_init(&columns, (size_t)1 << 20);
	r = flame_write_columns(&flame, &columns);
	if (r == 0)
		r = bytes_writer_fault(&columns);
	bytes_writer_done(&columns);
	flame_done(&flame);
	return r;
}

/* The texts of `(n small)` go to the functions of the fixture, which keeps them. */
static int trees(void *context)
{
	const struct tree_fixture *fixture = context;
	struct level_tree tree;
	struct flamebearer bars;
	int r = level_tree_init(&tree, &fixture->calls, LEVEL_TREE_BY_NAME, 6);

	if (r < 0)
		return r;
	r = write_flame(&tree);
	if (r == 0) {
		r = flamebearer_init(&bars, &tree);
		if (r == 0)
			flamebearer_done(&bars);
	}
	level_tree_done(&tree);
	return r;
}

static void without_memory_no_query_is_half_answered(void)
{
	struct given all = make_given(""), some = make_given(query);
	struct tree_fixture fixture;

	torture(selectors, NULL, 2);
	torture(merging, &all, 8);
	torture(merging, &some, 8);
	torture(listings, &some, 5);
	torture(series_over_time, &all, 5);
	torture(heat_maps, &all, 2);
	torture(merging_below_labels, &all, 8);
	torture(covering, NULL, 4);
	/* Last of those that have this profile: it is another one afterwards. */
	torture(guarding, &all, 6);
	tree_fixture_init(&fixture,
		"main;f;f;g;f 3\nmain;f;f 4\nmain;g 2\nf 1\na;b;c;d;e 1\nx 1\n"
		"lib.so@0x20;lib.so@0x31;lib.so@0x42 2\n");
	torture(naming, &fixture, 8);
	torture(tables, &fixture, 1);
	torture(trees, &fixture, 5);
	torture(focusing, &fixture, 2);
	torture(matching, &fixture, 1);
	tree_fixture_done(&fixture);
	given_done(&some);
	given_done(&all);
}

int main(void)
{
	RUN(without_memory_no_query_is_half_answered);
	return 0;
}
