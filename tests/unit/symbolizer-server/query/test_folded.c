/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/folded.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

static void folds_to(struct tree_fixture *fixture, const char *expected)
{
	struct bytes_writer writer;
	struct level_tree tree;

	CHECK_EQ(level_tree_init(&tree, &fixture->calls, LEVEL_TREE_BY_TOTAL, UINT32_MAX), 0);
	bytes_writer_init(&writer, 10000);
	CHECK_EQ(folded_write(&tree, &writer), 0);
	bytes_write_u8(&writer, 0);
	CHECK_STR((const char *)writer.bytes, expected);
	bytes_writer_done(&writer);
	level_tree_done(&tree);
	tree_fixture_done(fixture);
}

static void each_stack_with_a_value_is_a_line(void)
{
	struct tree_fixture fixture;

	tree_fixture_init(&fixture, "a 1\na;b 4\na;c 2\na;c;d 3\nwith blank;x 1\n");
	folds_to(&fixture, "a 1\na;c 2\na;c;d 3\na;b 4\nwith blank;x 1\n");
	tree_fixture_init(&fixture, "");
	folds_to(&fixture, "");
}

static void names_cannot_break_the_form(void)
{
	struct tree_fixture fixture;
	struct profile *profile = sample_profile_new("host", 0, NS_PER_S);
	struct frame frame = {.kind = FRAME_TEXT, .flags = FRAME_NAMED};
	/* Behind the zero byte stands its file: frame_table.h. */
	const char name[] = "a;b\nc\\d\\x3b\r\0e";
	struct sample_table *table;
	uint32_t text, index, node;

	tree_fixture_begin(&fixture);
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "", .value = 7});
	CHECK_EQ(string_table_add(&profile->strings, name, sizeof(name) - 1, &text), 0);
	frame.address = text;
	CHECK_EQ(frame_table_add(&profile->frames, &frame, &index), 0);
	CHECK_EQ(stack_table_add(&profile->stacks, STACK_EMPTY, index, &node), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10000000, true, &table), 0);
	CHECK_EQ(sample_table_add(table, node, 0, 0, 5, 0), 0);
	sample_profile_seal(profile);
	CHECK_EQ(merge_add(&fixture.merge, profile), 0);
	profile_free(profile);
	tree_fixture_end(&fixture);
	folds_to(&fixture, "[no stack] 7\na\\x3bb\\x0ac\\d\\x5cx3b\\x0d 5\n");
}

/* f calls itself a hundred thousand times. */
static void depth_is_no_special_case(void)
{
	struct profile *profile = sample_profile_new("host", 0, NS_PER_S);
	struct tree_fixture fixture;
	struct bytes_writer writer;
	struct sample_table *table;
	struct level_tree tree;
	uint32_t node = STACK_EMPTY;

	tree_fixture_begin(&fixture);
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "f", .value = 1});
	for (int i = 0; i < 100000; i++)
		CHECK_EQ(stack_table_add(&profile->stacks, node, 0, &node), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10000000, true, &table), 0);
	CHECK_EQ(sample_table_add(table, node, 0, 0, 2, 0), 0);
	sample_profile_seal(profile);
	CHECK_EQ(merge_add(&fixture.merge, profile), 0);
	profile_free(profile);
	tree_fixture_end(&fixture);
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, UINT32_MAX), 0);
	CHECK_EQ(tree.count, 100001);
	bytes_writer_init(&writer, 1000000);
	CHECK_EQ(folded_write(&tree, &writer), 0);
	CHECK_EQ(writer.byte_count, strlen("f 1\n") + 2 * 100000 - 1 + strlen(" 2\n"));
	bytes_writer_done(&writer);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void too_long_a_text_is_refused(void)
{
	struct bytes_writer writer;
	struct tree_fixture fixture;
	struct level_tree tree;

	tree_fixture_init(&fixture, "aaaaaaaa;bbbbbbbb 1\naaaaaaaa;cccccccc 1\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, UINT32_MAX), 0);
	bytes_writer_init(&writer, 30);
	CHECK_EQ(folded_write(&tree, &writer), -EFBIG);
	bytes_writer_done(&writer);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

int main(void)
{
	RUN(each_stack_with_a_value_is_a_line);
	RUN(names_cannot_break_the_form);
	RUN(depth_is_no_special_case);
	RUN(too_long_a_text_is_refused);
	return 0;
}
