/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_group_write.h"

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/segment_fixture.h"

static uint32_t count_sections(const struct segment_group *group, uint8_t kind, uint32_t hour_count)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < group->head.section_count; i++)
		count += group->head.sections[i].kind == kind &&
			group->head.sections[i].hour_count == hour_count;
	return count;
}

static struct segment_reader *hours_of(struct segment_blocks *blocks, uint32_t hours)
{
	struct fake_host host = fake_small_host("one");

	for (uint32_t i = 0; i < hours; i++)
		segment_blocks_add(blocks, fake_profile(&host, 0, 10 * NS_PER_S, i % 3),
			SEGMENT_TEST_START_NS + i * SEGMENT_HOUR_NS);
	return segment_of_blocks(blocks);
}

static void an_hour_has_its_sums_alone(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader = hours_of(&blocks, 1);
	struct segment_group *group;

	CHECK_EQ(segment_group_open(reader, 0, SEGMENT_LABELS, &group), 0);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_DICTIONARY, 0), 1);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_ROWS, 1), 1);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SLOTS, 1), 1);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SUMS, 1), 1);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SERIES, 1), 1);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SERIES_HOURS, 1), 1);
	CHECK_EQ(group->head.section_count, 6);
	segment_group_close(group);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void a_day_has_sums_of_six_hours_and_of_all(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader = hours_of(&blocks, 26);
	struct segment_group *group;

	CHECK_EQ(segment_group_open(reader, 0, SEGMENT_LABELS, &group), 0);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_ROWS, 1), 26);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SUMS, 1), 26);
	/* Two hours of the next day are no more than themselves. */
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SUMS, 6), 4);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SUMS, 24), 1);
	CHECK_EQ(count_sections(group, SEGMENT_SECTION_SERIES_HOURS, 26), 1);
	segment_group_close(group);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(an_hour_has_its_sums_alone);
	RUN(a_day_has_sums_of_six_hours_and_of_all);
	return 0;
}
