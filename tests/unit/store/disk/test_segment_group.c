/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_group.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/segment_fixture.h"

static int count_series(void *context, const struct segment_series *series)
{
	uint64_t *samples = context;
	const struct profile *profile = series->profile;

	CHECK_STR(string_table_text(&profile->strings, series->type), PROFILE_TYPE_ON_CPU);
	CHECK_STR(label_table_value(&profile->labels, &profile->strings, series->labels, "host"),
		"one");
	CHECK_EQ(series->from_ns, SEGMENT_TEST_START_NS);
	CHECK_EQ(series->until_ns, SEGMENT_TEST_START_NS + 20 * NS_PER_S);
	*samples += series->sample_count;
	return 0;
}

static struct segment_reader *two_windows(struct segment_blocks *blocks)
{
	struct fake_host host = fake_small_host("one");

	host.process_count = 1;
	for (uint32_t i = 0; i < 2; i++)
		segment_blocks_add(blocks, fake_profile(&host, 0, 10 * NS_PER_S, i),
			SEGMENT_TEST_START_NS + i * 10 * NS_PER_S);
	return segment_of_blocks(blocks);
}

static void series_are_told_without_stacks(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader = two_windows(&blocks);
	struct segment_group *labels, *stacks;
	uint64_t samples = 0;

	CHECK_EQ(segment_group_open(reader, 0, SEGMENT_LABELS, &labels), 0);
	CHECK_EQ(segment_group_open(reader, 0, SEGMENT_STACKS, &stacks), 0);
	CHECK_EQ(segment_group_series(labels, count_series, &samples), 0);
	CHECK_EQ(samples, 120);
	CHECK_EQ(labels->tables->stacks.count, 1);
	CHECK_EQ(stacks->tables->stacks.count, stacks->head.stack_count);
	CHECK(stacks->head.stack_count > 10);
	CHECK(segment_group_bytes(stacks) > segment_group_bytes(labels));
	segment_group_close(labels);
	segment_group_close(stacks);
	segment_group_close(NULL);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void sections_are_read_alone(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader = two_windows(&blocks);
	struct segment_windows windows;
	struct segment_group *group;

	CHECK_EQ(segment_reader_hour(reader, SEGMENT_TEST_START_NS / SEGMENT_HOUR_NS, &windows), 0);
	CHECK_EQ(windows.count, 2);
	segment_windows_done(&windows);
	CHECK_EQ(segment_reader_hour(reader, 3, &windows), 0);
	CHECK_EQ(windows.count, 0);
	segment_windows_done(&windows);
	CHECK_EQ(segment_group_open(reader, 0, SEGMENT_STACKS, &group), 0);
	for (uint32_t i = 0; i < group->head.section_count; i++) {
		uint8_t kind = group->head.sections[i].kind;
		struct segment_chunk chunk;
		struct segment_sums sums;

		if (kind == SEGMENT_SECTION_ROWS) {
			CHECK_EQ(segment_group_chunk(group, i, 2, true, &chunk), 0);
			CHECK_EQ(chunk.slot_count, 120);
			CHECK(chunk.tables[0].slots);
			segment_chunk_done(&chunk);
			CHECK_EQ(segment_group_chunk(group, i, 2, false, &chunk), 0);
			CHECK(!chunk.tables[0].slots);
			segment_chunk_done(&chunk);
			/* A window that its rows name is not there. */
			CHECK_EQ(segment_group_chunk(group, i, 1, false, &chunk), -EBADMSG);
		} else if (kind >= SEGMENT_SECTION_SUMS) {
			CHECK_EQ(segment_group_sums(group, i, &sums), 0);
			CHECK(!segment_sums_is_empty(&sums));
			segment_sums_done(&sums);
		}
	}
	segment_group_close(group);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void troubles_of_this_process_are_not_the_files(void)
{
	CHECK(segment_error_is_ours(-ENOMEM) && segment_error_is_ours(-EMFILE));
	CHECK(!segment_error_is_ours(-EBADMSG) && !segment_error_is_ours(-EIO));
	CHECK(!segment_error_is_ours(0));
}

int main(void)
{
	RUN(series_are_told_without_stacks);
	RUN(sections_are_read_alone);
	RUN(troubles_of_this_process_are_not_the_files);
	return 0;
}
