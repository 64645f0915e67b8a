/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_build.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/segment_fixture.h"

static void add_all(struct segment_build *build, struct segment_mapping *mapping,
	const struct profile *profile, struct segment_block_rows block)
{
	const struct sample_table *table = &profile->types[0];

	block.mapping = mapping;
	CHECK_EQ(segment_mapping_begin(mapping, profile, build->head.labels, build->stacks), 0);
	for (uint32_t i = 0; i < table->row_count; i++)
		CHECK_EQ(segment_build_add(build, &block, table, &table->rows[i]), 0);
}

static void rows_come_together_by_hour(void)
{
	struct fake_host host = fake_small_host("one");
	struct profile *profile = fake_profile(&host, 0, 10 * NS_PER_S, 1);
	struct segment_mapping mapping = {0};
	struct segment_build build;
	uint32_t stack_count;

	CHECK_EQ(segment_build_init(&build), 0);
	add_all(&build, &mapping, profile,
		(struct segment_block_rows){.hour = 5, .keeps_slots = true});
	stack_count = build.stacks->stacks.count;
	CHECK(stack_count > 10);
	add_all(&build, &mapping, profile,
		(struct segment_block_rows){.hour = 5, .window = 1, .keeps_slots = true});
	add_all(&build, &mapping, profile, (struct segment_block_rows){.hour = 6});
	/* The same stacks, twice as many rows. */
	CHECK_EQ(build.stacks->stacks.count, stack_count);
	CHECK_EQ(build.open_count, 2);
	CHECK_EQ(build.open[0].chunk.row_count, 2 * profile->types[0].row_count);
	CHECK_EQ(build.open[0].chunk.slot_count, 2 * 60);
	CHECK_EQ(build.open[1].chunk.row_count, profile->types[0].row_count);
	CHECK_EQ(build.open[1].chunk.slot_count, 0);
	CHECK_EQ(build.head.type_count, 2);
	segment_mapping_done(&mapping);
	segment_build_done(&build);
	profile_free(profile);
}

static void a_full_chunk_is_packed(void)
{
	struct fake_host host = fake_small_host("one");
	struct profile *profile = fake_profile(&host, 0, 10 * NS_PER_S, 1);
	const struct sample_table *table = &profile->types[0];
	struct segment_mapping mapping = {0};
	struct segment_build build;
	uint32_t blocks = SEGMENT_CHUNK_ROWS / table->row_count + 1;

	CHECK_EQ(segment_build_init(&build), 0);
	for (uint32_t i = 0; i <= blocks; i++)
		add_all(&build, &mapping, profile,
			(struct segment_block_rows){.hour = 5, .window = i, .keeps_slots = true});
	CHECK_EQ(build.packed_count, 1);
	CHECK_EQ(build.packed[0].hour, 5);
	CHECK(build.packed[0].row_bytes > 0 && build.packed[0].slot_bytes > 0);
	CHECK_EQ(build.open_count, 1);
	CHECK_EQ(build.open[0].chunk.row_count,
		(blocks + 1) * table->row_count - SEGMENT_CHUNK_ROWS);
	/* A chunk has threads of its own. */
	CHECK(build.open[0].threads.count > 0);
	segment_mapping_done(&mapping);
	segment_build_done(&build);
	profile_free(profile);
}

static void a_group_of_another_segment_is_mapped(void)
{
	struct fake_host host = fake_small_host("one");
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;
	struct segment_build build;
	const struct segment_source *source;

	segment_blocks_add(
		&blocks, fake_profile(&host, 0, 10 * NS_PER_S, 1), SEGMENT_TEST_START_NS);
	reader = segment_of_blocks(&blocks);
	CHECK_EQ(segment_build_init(&build), 0);
	CHECK_EQ(segment_build_add_source(&build, reader, 0, 4), 0);
	CHECK_EQ(build.source_count, 1);
	source = &build.sources[0];
	CHECK_EQ(source->segment, 4);
	CHECK_EQ(build.stacks->stacks.count, source->group->head.stack_count);
	CHECK_EQ(build.head.labels->labels.count, source->group->tables->labels.count);
	/* The type with slots, and the one that rows have once these are gone. */
	CHECK_EQ(build.head.type_count, 2);
	CHECK(build.head.types[source->types[0]].has_slots);
	CHECK(!build.head.types[source->bare_types[0]].has_slots);
	segment_build_done(&build);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(rows_come_together_by_hour);
	RUN(a_full_chunk_is_packed);
	RUN(a_group_of_another_segment_is_mapped);
	return 0;
}
