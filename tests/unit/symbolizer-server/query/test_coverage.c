/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/coverage.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

/* Below 0x1000 every module has names, above it has none. */
static int ask_low(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	(void)context;
	(void)id;
	if (address >= 0x1000)
		return -ENOENT;
	*ret_chain = (struct symbol_chain){.end = 0x1000, .line_end = 0x1000, .count = 1};
	ret_chain->calls[0] = (struct symbol_call){.name = "low"};
	return 0;
}

static void cover(struct tree_fixture *fixture, struct coverage *coverage, const char *folded)
{
	tree_fixture_begin(fixture);
	tree_fixture_add(fixture, folded);
	tree_fixture_end_by(fixture, ask_low, &(struct naming_options){0});
	CHECK_EQ(
		coverage_init(coverage, &fixture->merge, &fixture->naming, &fixture->functions), 0);
}

static void is_row(const struct tree_fixture *fixture, const struct coverage_module *module,
	const char *name, const struct coverage_sums *sums)
{
	CHECK_STR(string_table_text(&fixture->functions.strings, module->name), name);
	CHECK_EQ(module->sums.total, sums->total);
	CHECK_EQ(module->sums.self, sums->self);
	CHECK_EQ(module->sums.unnamed_total, sums->unnamed_total);
	CHECK_EQ(module->sums.unnamed_self, sums->unnamed_self);
}

static void a_stack_counts_once_for_each_module_it_goes_through(void)
{
	struct tree_fixture fixture;
	struct coverage coverage;
	struct build_id id = sample_profile_build_id("liba.so");

	cover(&fixture, &coverage,
		"liba.so@0x2000;liba.so@0x3000;libb.so@0x10 4\n"
		"liba.so@0x2000;libb.so@0x5000;liba.so@0x20 3\n"
		"libb.so@0x10 2\n"
		"f;[truncated] 1\n");
	CHECK_EQ(coverage.count, 3);
	is_row(&fixture, &coverage.modules[0], "liba.so", &(struct coverage_sums){7, 3, 7, 0});
	CHECK(build_id_equal(&coverage.modules[0].build_id, &id));
	CHECK_EQ(coverage.modules[0].address_count, 3);
	CHECK_EQ(coverage.modules[0].unnamed_count, 2);
	is_row(&fixture, &coverage.modules[1], "libb.so", &(struct coverage_sums){9, 6, 3, 0});
	/* What came with a name lies in no module; a marker is no frame. */
	is_row(&fixture, &coverage.modules[2], "", &(struct coverage_sums){1, 0, 0, 0});
	CHECK_EQ(coverage.all.total, 10);
	CHECK_EQ(coverage.all.unnamed_total, 7);
	CHECK_EQ(coverage.all.unnamed_self, 0);
	coverage_done(&coverage);
	tree_fixture_done(&fixture);
}

static void addresses_in_no_module_are_a_row_of_their_own(void)
{
	struct tree_fixture fixture;
	struct coverage coverage;

	cover(&fixture, &coverage, "0x7f0010;0x7f0020 5\nlibb.so@0x10 2\n");
	CHECK_EQ(coverage.count, 2);
	is_row(&fixture, &coverage.modules[0], "", &(struct coverage_sums){5, 5, 5, 5});
	CHECK(!build_id_known(&coverage.modules[0].build_id));
	CHECK_EQ(coverage.modules[0].unnamed_count, 2);
	is_row(&fixture, &coverage.modules[1], "libb.so", &(struct coverage_sums){2, 2, 0, 0});
	CHECK_EQ(coverage.all.unnamed_self, 5);
	coverage_done(&coverage);
	tree_fixture_done(&fixture);
}

static void an_empty_range_has_no_rows(void)
{
	struct tree_fixture fixture;
	struct coverage coverage;

	cover(&fixture, &coverage, "");
	CHECK_EQ(coverage.count, 0);
	CHECK_EQ(coverage.all.total, 0);
	coverage_done(&coverage);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(a_stack_counts_once_for_each_module_it_goes_through);
	RUN(addresses_in_no_module_are_a_row_of_their_own);
	RUN(an_empty_range_has_no_rows);
	return 0;
}
