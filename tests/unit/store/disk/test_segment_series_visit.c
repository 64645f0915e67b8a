/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_series_visit.h"

#include "tests/support/check.h"
#include "tests/support/segment_fixture.h"

static void totals_of_series_are_those_of_the_blocks(void)
{
	uint64_t spread_ns = 9 * SEGMENT_HOUR_NS;
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 21, 50, SEGMENT_TEST_START_NS, spread_ns);
	reader = segment_of_blocks(&blocks);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = reader,
		.spread_ns = spread_ns,
		.count = 60,
		.detail = SEGMENT_DETAIL_SERIES});
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(totals_of_series_are_those_of_the_blocks);
	return 0;
}
