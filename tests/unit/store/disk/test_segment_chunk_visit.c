/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_chunk_visit.h"

#include "tests/support/check.h"
#include "tests/support/segment_fixture.h"

static void an_hour_by_thread_and_cpu_is_that_of_the_blocks(void)
{
	uint64_t spread_ns = SEGMENT_HOUR_NS;
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 21, 50, SEGMENT_TEST_START_NS, spread_ns);
	reader = segment_of_blocks(&blocks);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = reader,
		.spread_ns = spread_ns,
		.count = 60,
		.detail = SEGMENT_DETAIL_ROWS});
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(an_hour_by_thread_and_cpu_is_that_of_the_blocks);
	return 0;
}
