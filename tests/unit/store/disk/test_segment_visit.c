/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_visit.h"

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/segment_fixture.h"

#define DAY_NS (24 * SEGMENT_HOUR_NS)

static void stacks_of_days_are_those_of_the_blocks(void)
{
	uint64_t spread_ns = 2 * DAY_NS;
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 22, 60, SEGMENT_TEST_START_NS, spread_ns);
	reader = segment_of_blocks(&blocks);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = reader,
		.spread_ns = spread_ns,
		.count = 60,
		.detail = SEGMENT_DETAIL_STACKS});
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static int count_samples(void *context, const struct profile *profile)
{
	*(uint64_t *)context += profile_sample_count(profile);
	return 0;
}

static struct segment_visited visit(
	const struct segment_group *group, const struct segment_request *request, uint64_t *samples)
{
	struct segment_visited visited;

	*samples = 0;
	CHECK_EQ(segment_group_visit(group, request, count_samples, samples, &visited), 0);
	CHECK_EQ(visited.damaged, 0);
	return visited;
}

static void the_coarsest_sums_answer(void)
{
	struct fake_host host = fake_small_host("one");
	struct segment_request request = {.detail = SEGMENT_DETAIL_STACKS,
		.from_ns = SEGMENT_TEST_START_NS,
		.until_ns = SEGMENT_TEST_START_NS + DAY_NS};
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;
	struct segment_visited visited;
	struct segment_group *group;
	uint64_t samples;

	host.process_count = 1;
	for (uint32_t i = 0; i < 48; i++)
		segment_blocks_add(&blocks, fake_profile(&host, 0, 10 * NS_PER_S, i % 3),
			SEGMENT_TEST_START_NS + i * SEGMENT_HOUR_NS / 2 + NS_PER_S);
	reader = segment_of_blocks(&blocks);
	CHECK_EQ(segment_group_open(reader, 0, SEGMENT_STACKS, &group), 0);
	visited = visit(group, &request, &samples);
	CHECK_EQ(samples, 48 * 60);
	CHECK_EQ(visited.sums_read, 1);
	CHECK_EQ(visited.chunks_read, 0);
	CHECK_EQ(visited.piece_count, 1);
	/* What has no windows need not be asked for: the last ends at 23:30:11. */
	request.from_ns += NS_PER_S / 2;
	request.until_ns -= SEGMENT_HOUR_NS / 4;
	visited = visit(group, &request, &samples);
	CHECK_EQ(samples, 48 * 60);
	CHECK_EQ(visited.sums_read, 1);
	CHECK_EQ(visited.chunks_read, 0);
	request.from_ns = SEGMENT_TEST_START_NS;
	request.until_ns = SEGMENT_TEST_START_NS + DAY_NS;
	/* Half an hour less at both ends: 5 + 1 hours, 3 of six hours, and rows of two hours. */
	request.from_ns += SEGMENT_HOUR_NS / 2;
	request.until_ns -= SEGMENT_HOUR_NS / 2;
	visited = visit(group, &request, &samples);
	CHECK_EQ(samples, 46 * 60);
	CHECK_EQ(visited.sums_read, 5 + 2 + 5);
	CHECK_EQ(visited.chunks_read, 2);
	/* Two steps meet at 12 h. */
	request.from_ns = SEGMENT_TEST_START_NS;
	request.until_ns = SEGMENT_TEST_START_NS + DAY_NS;
	request.step_ns = DAY_NS;
	request.step_origin_ns = SEGMENT_TEST_START_NS + 12 * SEGMENT_HOUR_NS;
	visited = visit(group, &request, &samples);
	CHECK_EQ(samples, 48 * 60);
	CHECK_EQ(visited.sums_read, 4);
	CHECK_EQ(visited.chunks_read, 0);
	/* Totals of series need neither stacks nor rows. */
	request.detail = SEGMENT_DETAIL_SERIES;
	visited = visit(group, &request, &samples);
	CHECK_EQ(samples, 48 * 60);
	CHECK_EQ(visited.sums_read, 1);
	CHECK_EQ(visited.piece_count, 2);
	request.step_ns = 60 * NS_PER_S;
	visited = visit(group, &request, &samples);
	CHECK_EQ(samples, 48 * 60);
	CHECK_EQ(visited.sums_read, 24);
	CHECK_EQ(visited.chunks_read, 0);
	CHECK_EQ(visited.piece_count, 48);
	segment_group_close(group);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static int stop(void *context, const struct profile *profile)
{
	(void)profile;
	++*(int *)context;
	return 42;
}

static void what_a_visitor_answers_ends_the_visit(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;
	struct segment_group *group;

	segment_blocks_fill(&blocks, 23, 40, SEGMENT_TEST_START_NS, 8 * SEGMENT_HOUR_NS);
	reader = segment_of_blocks(&blocks);
	CHECK_EQ(segment_group_open(reader, 1, SEGMENT_STACKS, &group), 0);
	for (int detail = SEGMENT_DETAIL_SLOTS; detail <= SEGMENT_DETAIL_SERIES; detail++) {
		for (uint64_t step_ns = 0; step_ns < 20 * NS_PER_S; step_ns += 10 * NS_PER_S) {
			struct segment_request request = {.detail = (enum segment_detail)detail,
				.until_ns = UINT64_MAX,
				.step_ns = step_ns};
			struct segment_visited visited;
			int count = 0;

			CHECK_EQ(segment_group_visit(group, &request, stop, &count, &visited), 42);
			CHECK_EQ(count, 1);
		}
	}
	segment_group_close(group);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(stacks_of_days_are_those_of_the_blocks);
	RUN(the_coarsest_sums_answer);
	RUN(what_a_visitor_answers_ends_the_visit);
	return 0;
}
