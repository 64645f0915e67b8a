/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/top.h"

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void is_row(const struct tree_fixture *fixture, const struct top_row *row, const char *name,
	int64_t self, int64_t total)
{
	CHECK_STR(function_table_name(&fixture->functions, row->function), name);
	CHECK_EQ(row->self, self);
	CHECK_EQ(row->total, total);
}

static void recursion_counts_once(void)
{
	struct tree_fixture fixture;
	struct top top;
	int64_t sum = 0;

	tree_fixture_init(&fixture, "main;f;f;g;f 3\nmain;f;f 4\nmain;g 2\nf 1\n");
	CHECK_EQ(top_init(&top, &fixture.calls), 0);
	CHECK_EQ(top.count, 3);
	is_row(&fixture, &top.rows[0], "f", 8, 8);
	is_row(&fixture, &top.rows[1], "g", 2, 5);
	is_row(&fixture, &top.rows[2], "main", 0, 9);
	for (uint32_t i = 0; i < top.count; i++)
		sum += top.rows[i].self;
	CHECK_EQ(sum, fixture.merge.total);
	top_done(&top);
	tree_fixture_done(&fixture);
}

static void an_empty_tree_has_no_rows(void)
{
	struct tree_fixture fixture;
	struct top top;

	tree_fixture_init(&fixture, "");
	CHECK_EQ(top_init(&top, &fixture.calls), 0);
	CHECK_EQ(top.count, 0);
	top_done(&top);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(recursion_counts_once);
	RUN(an_empty_tree_has_no_rows);
	return 0;
}
