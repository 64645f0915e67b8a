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

static int ask_lines(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	(void)context;
	(void)id;
	*ret_chain = (struct symbol_chain){.start = address,
		.end = address + 1,
		.line_start = address,
		.line_end = address + 1,
		.count = 1};
	ret_chain->calls[0] =
		(struct symbol_call){address < 0x100 ? "f" : "g", "f.c", (uint32_t)address};
	return 0;
}

/* f, with g inlined at 0x20, and with g and h at 0x30; 0x40 is g itself. */
static int ask_inlined(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	static const struct symbol_call f = {.name = "f"}, g = {.name = "g"}, h = {.name = "h"};

	(void)context;
	(void)id;
	*ret_chain = (struct symbol_chain){.start = address, .end = address + 1};
	if (address >= 0x30 && address < 0x40)
		ret_chain->calls[ret_chain->count++] = h;
	if (address >= 0x20)
		ret_chain->calls[ret_chain->count++] = g;
	if (address < 0x40)
		ret_chain->calls[ret_chain->count++] = f;
	return 0;
}

static void inlined_calls_count_as_their_function_does(void)
{
	struct tree_fixture fixture;
	struct top top;

	tree_fixture_begin(&fixture);
	/* f calls g, into which nothing was inlined, where g and h are inlined into f. */
	tree_fixture_add(&fixture, "lib.so@0x31;lib.so@0x40 4\nlib.so@0x20 3\nlib.so@0x30 2\n");
	tree_fixture_end_by(&fixture, ask_inlined, &(struct naming_options){0});
	CHECK_EQ(top_init(&top, &fixture.calls), 0);
	CHECK_EQ(top.count, 3);
	is_row(&fixture, &top.rows[0], "g", 7, 9);
	is_row(&fixture, &top.rows[1], "h", 2, 6);
	is_row(&fixture, &top.rows[2], "f", 0, 9);
	CHECK(top.rows[0].called && !top.rows[1].called && top.rows[2].called);
	top_done(&top);
	tree_fixture_done(&fixture);
}

static void one_function_can_be_had_line_by_line(void)
{
	struct tree_fixture fixture;
	struct top top;

	tree_fixture_begin(&fixture);
	tree_fixture_add(&fixture,
		"lib.so@0x10 7\nlib.so@0x20 3\nlib.so@0x200 9\nlibb.so@0x10 5\n"
		"lib.so@0x11;lib.so@0x21;lib.so@0x201 2\n");
	tree_fixture_end_by(&fixture, ask_lines, &(struct naming_options){.group = NAMING_BY_LINE});
	CHECK_EQ(top_init(&top, &fixture.calls), 0);
	top_keep_function(&top, &fixture.functions, "f", "lib.so");
	CHECK_EQ(top.count, 2);
	is_row(&fixture, &top.rows[0], "f f.c:16", 7, 9);
	is_row(&fixture, &top.rows[1], "f f.c:32", 3, 5);
	top_done(&top);
	CHECK_EQ(top_init(&top, &fixture.calls), 0);
	top_keep_function(&top, &fixture.functions, "f", NULL);
	CHECK_EQ(top.count, 3);
	top_keep_function(&top, &fixture.functions, "h", NULL);
	CHECK_EQ(top.count, 0);
	top_done(&top);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(inlined_calls_count_as_their_function_does);
	RUN(one_function_can_be_had_line_by_line);
	RUN(recursion_counts_once);
	RUN(an_empty_tree_has_no_rows);
	return 0;
}
