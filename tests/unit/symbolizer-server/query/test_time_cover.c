/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/time_cover.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

static void stretches_that_touch_become_one(void)
{
	struct time_cover cover;

	time_cover_init(&cover);
	CHECK_EQ(time_cover_add(&cover, (struct time_range){30 * NS_PER_S, 40 * NS_PER_S}), 0);
	CHECK_EQ(time_cover_add(&cover, (struct time_range){0, 10 * NS_PER_S}), 0);
	CHECK_EQ(time_cover_add(&cover, (struct time_range){5 * NS_PER_S, 20 * NS_PER_S}), 0);
	CHECK_EQ(time_cover_add(&cover, (struct time_range){7 * NS_PER_S, 8 * NS_PER_S}), 0);
	CHECK_EQ(time_cover_add(&cover, (struct time_range){9 * NS_PER_S, 9 * NS_PER_S}), 0);
	/* A slot's breadth of a gap is none. */
	CHECK_EQ(time_cover_add(&cover,
			 (struct time_range){40 * NS_PER_S + 20 * NS_PER_MS, 50 * NS_PER_S}),
		0);
	time_cover_join(&cover);
	CHECK_EQ(cover.count, 2);
	CHECK_EQ(cover.stretches[0].from_ns, 0);
	CHECK_EQ(cover.stretches[0].until_ns, 20 * NS_PER_S);
	CHECK_EQ(cover.stretches[1].from_ns, 30 * NS_PER_S);
	CHECK_EQ(cover.stretches[1].until_ns, 50 * NS_PER_S);
	time_cover_done(&cover);
}

static void what_is_covered_without_gaps_takes_little(void)
{
	struct time_cover cover;

	time_cover_init(&cover);
	for (uint64_t i = 0; i < 100000; i++) {
		CHECK_EQ(time_cover_add(&cover,
				 (struct time_range){
					 i % 1000 * NS_PER_S, (i % 1000 + 1) * NS_PER_S}),
			0);
	}
	CHECK(cover.capacity <= 8192);
	time_cover_join(&cover);
	CHECK_EQ(cover.count, 1);
	time_cover_done(&cover);
}

static void gaps_are_all_kept(void)
{
	struct time_cover cover;

	time_cover_init(&cover);
	for (uint64_t i = 0; i < 20000; i++) {
		CHECK_EQ(time_cover_add(&cover,
				 (struct time_range){i * 7919 % 20000 * NS_PER_S,
					 i * 7919 % 20000 * NS_PER_S + NS_PER_S / 2}),
			0);
	}
	time_cover_join(&cover);
	CHECK_EQ(cover.count, 20000);
	time_cover_join(&cover);
	CHECK_EQ(cover.count, 20000);
	time_cover_done(&cover);
}

int main(void)
{
	RUN(stretches_that_touch_become_one);
	RUN(what_is_covered_without_gaps_takes_little);
	RUN(gaps_are_all_kept);
	return 0;
}
