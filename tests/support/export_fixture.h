/* SPDX-License-Identifier: Apache-2.0 */
/* Export fixture: one tree with all that a file can tell, for the tests of its writers.
 *
 * What it is   250 ns in three stacks: `main;work` (200), `main;libx.so+0x10` (40, no name), and no
 *              stack at all (10).
 * Ownership    export_fixture_done frees all of it.
 * Threads      one owner.
 * Errors       fail the test.
 */
#pragma once

#include "symbolizer-server/export/export_about.h"
#include "symbolizer-server/query/level_tree.h"
#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

struct export_fixture {
	struct tree_fixture fixture;
	struct level_tree tree;
	struct export_about about;
};

static inline void export_fixture_init(struct export_fixture *of, const char *folded)
{
	tree_fixture_init(&of->fixture, folded);
	CHECK_EQ(level_tree_init(&of->tree, &of->fixture.calls, LEVEL_TREE_BY_NAME, UINT32_MAX), 0);
	of->about = (struct export_about){.type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
		.name = "{a=\"b\"}",
		.range = {1700000000000000000, 1700000010000000000},
		.period = 10000000};
}

static inline void export_fixture_done(struct export_fixture *of)
{
	level_tree_done(&of->tree);
	tree_fixture_done(&of->fixture);
}
