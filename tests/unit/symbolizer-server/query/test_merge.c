/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/merge.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define START (UINT64_C(1700000000) * NS_PER_S)
#define EVERYTHING ((struct time_range){0, UINT64_MAX})

static struct merge begin(struct selector *ret_selector, const char *query, struct time_range range)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct merge merge;

	CHECK_EQ(selector_parse(query, strlen(query), ret_selector, error), 0);
	CHECK_EQ(merge_init(&merge, ret_selector, range), 0);
	return merge;
}

static void add_and_free(struct merge *merge, struct profile *profile)
{
	sample_profile_seal(profile);
	CHECK_EQ(merge_add(merge, profile), 0);
	profile_free(profile);
}

static int64_t sum_of_selfs(const struct merge *merge)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < merge->tree.count; i++)
		sum += merge->tree.nodes[i].self;
	return sum;
}

static void equal_frames_of_two_profiles_meet(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "", EVERYTHING);

	for (uint32_t i = 0; i < 2; i++) {
		struct profile *profile =
			sample_profile_new(i ? "a" : "b", START + i * NS_PER_S, NS_PER_S);

		/* Other indices in each profile. */
		if (i == 0)
			sample_profile_add(
				profile, &(struct sample_profile_sample){.stack = "libx.so@0x1;y"});
		sample_profile_add(
			profile, &(struct sample_profile_sample){.stack = "app@0x10;libc.so@0x20"});
		add_and_free(&merge, profile);
	}
	/* The root, two nodes of each stack. */
	CHECK_EQ(merge.tree.count, 5);
	CHECK_EQ(merge.frames.count, 4);
	CHECK_EQ(merge.sample_count, 3);
	CHECK_EQ(merge.total, 30000000);
	CHECK_EQ(merge.period, 10000000);
	CHECK_EQ(sum_of_selfs(&merge), merge.total);
	merge_done(&merge);
	selector_done(&selector);
}

static void what_tells_frames_apart_keeps_them_apart(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "", EVERYTHING);
	struct profile *profile = sample_profile_new("a", START, NS_PER_S);

	/* The same address as leaf and as caller, in another module, and as a bare address. */
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "a.so@0x10"});
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "a.so@0x10;f"});
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "b.so@0x10"});
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "0x10"});
	add_and_free(&merge, profile);
	CHECK_EQ(merge.tree.count, 6);
	merge_done(&merge);
	selector_done(&selector);
}

static void only_stacks_of_matching_rows_make_nodes(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "{process=\"wanted\"}",
		(struct time_range){START, START + 40 * NS_PER_MS});
	struct profile *profile = sample_profile_new("a", START, NS_PER_S);

	sample_profile_add(profile,
		&(struct sample_profile_sample){.stack = "main;a", .process = "wanted", .slot = 1});
	sample_profile_add(profile,
		&(struct sample_profile_sample){.stack = "main;b", .process = "wanted", .slot = 2});
	sample_profile_add(profile,
		&(struct sample_profile_sample){.stack = "main;c", .process = "other", .slot = 1});
	add_and_free(&merge, profile);
	CHECK_EQ(merge.tree.count, 3);
	CHECK_EQ(merge.sample_count, 1);
	CHECK_EQ(merge.strings.count, 3);
	merge_done(&merge);
	selector_done(&selector);
}

static void the_empty_stack_is_the_root_itself(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "", EVERYTHING);
	struct profile *profile = sample_profile_new("a", START, NS_PER_S);

	sample_profile_add(profile, &(struct sample_profile_sample){.stack = ""});
	add_and_free(&merge, profile);
	CHECK_EQ(merge.tree.count, 1);
	CHECK_EQ(merge.tree.nodes[0].self, 10000000);
	merge_done(&merge);
	selector_done(&selector);
}

static void deep_stacks_are_no_special_case(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "", EVERYTHING);
	struct profile *profile = sample_profile_new("a", START, NS_PER_S);
	struct sample_table *table;
	struct frame frame = {.kind = FRAME_NATIVE, .address = 0x1000};
	uint32_t node = STACK_EMPTY, index;

	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "f"});
	CHECK_EQ(frame_table_add(&profile->frames, &frame, &index), 0);
	for (int i = 0; i < 100000; i++)
		CHECK_EQ(stack_table_add(&profile->stacks, node, index, &node), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10000000, true, &table), 0);
	CHECK_EQ(sample_table_add(table, node, 0, 0, 10000000, 0), 0);
	add_and_free(&merge, profile);
	CHECK_EQ(merge.tree.count, 100002);
	merge_done(&merge);
	selector_done(&selector);
}

static void sums_that_would_not_fit_are_refused(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "", EVERYTHING);

	for (int i = 0; i < 2; i++) {
		struct profile *profile = sample_profile_new("a", START, NS_PER_S);

		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = "f", .value = INT64_MAX / 2 + 1});
		sample_profile_seal(profile);
		CHECK_EQ(merge_add(&merge, profile), i == 0 ? 0 : -EOVERFLOW);
		profile_free(profile);
	}
	merge_done(&merge);
	selector_done(&selector);
}

static void a_period_that_varies_is_not_told(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "", EVERYTHING);

	for (int64_t period = 1; period <= 2; period++) {
		struct profile *profile = sample_profile_new("a", START, NS_PER_S);
		struct sample_table *table;
		struct thread thread = {0};
		uint32_t index;

		CHECK_EQ(thread_table_add(&profile->threads, &thread, &index), 0);
		CHECK_EQ(profile_add_type(profile, "a:b:c:d:e", period, false, &table), 0);
		CHECK_EQ(
			sample_table_add(table, STACK_EMPTY, index, 0, period == 1 ? -5 : 5, 0), 0);
		add_and_free(&merge, profile);
	}
	/* The negative row is left out, and counted. */
	CHECK_EQ(merge.negative_count, 1);
	CHECK_EQ(merge.total, 5);
	CHECK_EQ(merge.period, 2);
	merge_done(&merge);
	selector_done(&selector);
}

static int64_t lane_of(const struct merge *merge, uint32_t node, uint32_t lane)
{
	return merge->lanes[node * merge->lane_count + lane];
}

static void lanes_keep_two_sides_apart_in_one_tree(void)
{
	struct selector selector, other;
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct merge merge = begin(&selector, "{host=\"a\"}", EVERYTHING);
	const char *hosts[3] = {"a", "a", "b"};

	CHECK_EQ(selector_parse("{host=\"b\"}", strlen("{host=\"b\"}"), &other, error), 0);
	merge_keep_lanes(&merge, 3);
	for (uint32_t i = 0; i < 3; i++) {
		struct profile *profile =
			sample_profile_new(hosts[i], START + i * NS_PER_S, NS_PER_S);

		for (uint32_t j = 0; j <= i; j++)
			sample_profile_add(profile,
				&(struct sample_profile_sample){.stack = "main;f", .slot = j});
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = i == 2 ? "main;late" : "main"});
		if (i == 2)
			merge_turn(&merge, &other, EVERYTHING);
		merge.lane = i;
		add_and_free(&merge, profile);
	}
	/* total, main, f, late */
	CHECK_EQ(merge.tree.count, 4);
	for (uint32_t node = 0; node < merge.tree.count; node++) {
		CHECK_EQ(lane_of(&merge, node, 0) + lane_of(&merge, node, 1) +
				lane_of(&merge, node, 2),
			merge.tree.nodes[node].self);
	}
	CHECK_EQ(lane_of(&merge, 1, 0), 10000000);
	CHECK_EQ(lane_of(&merge, 1, 1), 10000000);
	CHECK_EQ(lane_of(&merge, 1, 2), 0);
	CHECK_EQ(lane_of(&merge, 2, 2), 30000000);
	CHECK_EQ(lane_of(&merge, 3, 0), 0);
	CHECK_EQ(lane_of(&merge, 3, 2), 10000000);
	merge_done(&merge);
	selector_done(&selector);
	selector_done(&other);
}

/* Rows FIRST to END of a profile whose tables others share. */
static void add_part(struct merge *merge, struct profile *profile, uint32_t first, uint32_t end)
{
	struct sample_table whole = profile->types[0];

	profile->types[0].rows += first;
	profile->types[0].row_count = end - first;
	CHECK_EQ(merge_add(merge, profile), 0);
	profile->types[0] = whole;
}

static void profiles_of_one_dictionary_are_merged_as_others_are(void)
{
	struct profile *profile = sample_profile_new("", START, NS_PER_S);
	struct profile *other = sample_profile_new("h", START, NS_PER_S);
	struct selector selectors[2];
	struct merge merges[2];

	for (uint32_t i = 0; i < 60; i++) {
		char stack[64];

		(void)snprintf(stack, sizeof(stack), "main;f%u;lib%u.so@0x%x", i % 7, i % 3, i);
		sample_profile_add(profile,
			&(struct sample_profile_sample){
				.stack = stack, .process = i % 5 ? "web" : "db"});
		sample_profile_add(other, &(struct sample_profile_sample){.stack = stack + 5});
	}
	sample_profile_seal(profile);
	sample_profile_seal(other);
	for (uint32_t shared = 0; shared < 2; shared++) {
		merges[shared] = begin(&selectors[shared], "{process!=\"db\"}", EVERYTHING);
		profile->dictionary = shared * 77;
		add_part(&merges[shared], profile, 0, 10);
		add_part(&merges[shared], profile, 40, 60);
		CHECK_EQ(merge_add(&merges[shared], other), 0);
		add_part(&merges[shared], profile, 5, 45);
		other->dictionary = shared * 78;
		CHECK_EQ(merge_add(&merges[shared], other), 0);
		add_part(&merges[shared], profile, 0, 60);
	}
	CHECK_EQ(merges[1].tree.count, merges[0].tree.count);
	CHECK_EQ(merges[1].total, merges[0].total);
	CHECK_EQ(sum_of_selfs(&merges[1]), merges[1].total);
	for (uint32_t i = 0; i < merges[0].tree.count; i++) {
		CHECK_EQ(merges[1].tree.nodes[i].self, merges[0].tree.nodes[i].self);
		CHECK_EQ(merges[1].tree.nodes[i].parent, merges[0].tree.nodes[i].parent);
	}
	for (uint32_t i = 0; i < 2; i++) {
		merge_done(&merges[i]);
		selector_done(&selectors[i]);
	}
	profile_free(profile);
	profile_free(other);
}

static void the_hosts_of_what_is_taken_are_told(void)
{
	struct selector selector;
	struct merge merge = begin(&selector, "{process=\"web\"}", EVERYTHING);
	struct string_table hosts;

	CHECK_EQ(string_table_init(&hosts), 0);
	merge.hosts = &hosts;
	for (uint32_t i = 0; i < 3; i++) {
		struct profile *profile = sample_profile_new(
			(const char *const[]){"a", "b", "c"}[i], START, NS_PER_S);

		sample_profile_add(profile,
			&(struct sample_profile_sample){
				.stack = "f", .process = i == 1 ? "db" : "web"});
		add_and_free(&merge, profile);
	}
	CHECK(string_table_find(&hosts, "a", 1) != INDEX_MAP_NONE);
	CHECK(string_table_find(&hosts, "b", 1) == INDEX_MAP_NONE);
	CHECK(string_table_find(&hosts, "c", 1) != INDEX_MAP_NONE);
	string_table_done(&hosts);
	merge_done(&merge);
	selector_done(&selector);
}

int main(void)
{
	RUN(equal_frames_of_two_profiles_meet);
	RUN(what_tells_frames_apart_keeps_them_apart);
	RUN(only_stacks_of_matching_rows_make_nodes);
	RUN(the_empty_stack_is_the_root_itself);
	RUN(deep_stacks_are_no_special_case);
	RUN(sums_that_would_not_fit_are_refused);
	RUN(a_period_that_varies_is_not_told);
	RUN(lanes_keep_two_sides_apart_in_one_tree);
	RUN(profiles_of_one_dictionary_are_merged_as_others_are);
	RUN(the_hosts_of_what_is_taken_are_told);
	return 0;
}
