/* SPDX-License-Identifier: Apache-2.0 */
/* Tree fixture: folded text -> merge -> named -> call tree, for the tests of what comes after.
 *
 * What it is   lines `frame;frame value`, each a sample; names are asked of a small table.
 * Ownership    tree_fixture_done frees all of it.
 * Threads      one owner.
 * Errors       fail the test.
 */
#pragma once

#include "symbolizer-server/query/call_tree.h"
#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

struct tree_fixture {
	struct selector selector;
	struct merge merge;
	struct function_table functions;
	struct naming naming;
	struct call_tree calls;
};

static inline int tree_fixture_knows_nothing(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	(void)context;
	(void)id;
	(void)address;
	(void)ret_chain;
	return -2;
}

static inline void tree_fixture_begin(struct tree_fixture *fixture)
{
	char error[SELECTOR_ERROR_BYTES_MAX];

	CHECK_EQ(selector_parse("", 0, &fixture->selector, error), 0);
	CHECK_EQ(
		merge_init(&fixture->merge, &fixture->selector, (struct time_range){0, UINT64_MAX}),
		0);
}

/* One profile that holds all lines of FOLDED. */
static inline void tree_fixture_add(struct tree_fixture *fixture, const char *folded)
{
	struct profile *profile = sample_profile_new("host", 0, NS_PER_S);
	char stack[4096];
	const char *line = folded;

	while (*line) {
		size_t length = strcspn(line, "\n"), end = length;

		while (line[end - 1] != ' ')
			end--;
		CHECK(end < sizeof(stack));
		memcpy(stack, line, end - 1);
		stack[end - 1] = '\0';
		sample_profile_add(profile,
			&(struct sample_profile_sample){
				.stack = stack, .value = strtoll(line + end, NULL, 10)});
		line += length + (line[length] ? 1 : 0);
	}
	sample_profile_seal(profile);
	CHECK_EQ(merge_add(&fixture->merge, profile), 0);
	profile_free(profile);
}

/* Right after tree_fixture_begin: two sides or more, told apart by LANE_COUNT lanes. */
static inline void tree_fixture_keep_lanes(struct tree_fixture *fixture, uint32_t lane_count)
{
	merge_keep_lanes(&fixture->merge, lane_count);
}

/* As tree_fixture_add, into LANE. */
static inline void tree_fixture_add_to(
	struct tree_fixture *fixture, uint32_t lane, const char *folded)
{
	fixture->merge.lane = lane;
	tree_fixture_add(fixture, folded);
}

/* Names are asked of ASK, without a context. */
static inline void tree_fixture_end_by(
	struct tree_fixture *fixture, naming_ask_fn ask, const struct naming_options *options)
{
	CHECK_EQ(function_table_init(&fixture->functions), 0);
	CHECK_EQ(naming_init_by(&fixture->naming, &fixture->merge, &fixture->functions, options,
			 ask, NULL),
		0);
	CHECK_EQ(call_tree_init(
			 &fixture->calls, &fixture->merge, &fixture->naming, &fixture->functions),
		0);
}

static inline void tree_fixture_end(struct tree_fixture *fixture)
{
	tree_fixture_end_by(fixture, tree_fixture_knows_nothing,
		&(struct naming_options){.group = NAMING_BY_FUNCTION});
}

static inline void tree_fixture_init(struct tree_fixture *fixture, const char *folded)
{
	tree_fixture_begin(fixture);
	tree_fixture_add(fixture, folded);
	tree_fixture_end(fixture);
}

static inline void tree_fixture_done(struct tree_fixture *fixture)
{
	call_tree_done(&fixture->calls);
	naming_done(&fixture->naming);
	function_table_done(&fixture->functions);
	merge_done(&fixture->merge);
	selector_done(&fixture->selector);
}
