/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_slots_visit.h"

#include "tests/support/check.h"
#include "tests/support/segment_fixture.h"

static void windows_come_as_they_came(void)
{
	uint64_t spread_ns = 2 * SEGMENT_HOUR_NS;
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 21, 50, SEGMENT_TEST_START_NS, spread_ns);
	reader = segment_of_blocks(&blocks);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = reader,
		.spread_ns = spread_ns,
		.count = 60,
		.detail = SEGMENT_DETAIL_SLOTS});
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(windows_come_as_they_came);
	return 0;
}
