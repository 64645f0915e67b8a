/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/window_cover.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

static void add(struct window_cover *cover, const char *host, uint64_t from_s, uint64_t until_s)
{
	struct window_of_host window = {
		host, strlen(host), {from_s * NS_PER_S, until_s * NS_PER_S}, 4};

	CHECK_EQ(window_cover_add(cover, &window), 0);
}

static void steps_tell_gaps_from_zeros(void)
{
	struct time_range range = {5 * NS_PER_S, 45 * NS_PER_S};
	struct time_steps steps;
	struct window_cover cover;

	CHECK_EQ(time_steps_init(range, 10 * NS_PER_S, 10, &steps), 0);
	CHECK_EQ(window_cover_init(&cover, range, &steps), 0);
	add(&cover, "a", 0, 10);
	add(&cover, "b", 5, 15);
	/* In two batches. */
	add(&cover, "b", 30, 40);
	add(&cover, "b", 30, 40);
	add(&cover, "a", 50, 60);
	window_cover_finish(&cover);
	CHECK_EQ(steps.count, 5);
	CHECK_EQ(cover.covered_ns[0], 5 * NS_PER_S);
	CHECK_EQ(cover.covered_ns[1], 5 * NS_PER_S);
	CHECK_EQ(cover.covered_ns[2], 0);
	CHECK_EQ(cover.covered_ns[3], 10 * NS_PER_S);
	CHECK_EQ(cover.covered_ns[4], 0);
	CHECK_EQ(cover.core_ns[0], 40 * NS_PER_S);
	CHECK_EQ(cover.core_ns[1], 20 * NS_PER_S);
	CHECK_EQ(cover.core_ns[2], 0);
	CHECK_EQ(cover.core_ns[3], 40 * NS_PER_S);
	CHECK_EQ(cover.covered.from_ns, 5 * NS_PER_S);
	CHECK_EQ(cover.covered.until_ns, 40 * NS_PER_S);
	CHECK_EQ(window_cover_core_ns(&cover, "a", 1), 20 * NS_PER_S);
	CHECK_EQ(window_cover_core_ns(&cover, "b", 1), 80 * NS_PER_S);
	CHECK_EQ(window_cover_core_ns(&cover, "c", 1), 0);
	window_cover_done(&cover);
}

static void nothing_covers_nothing(void)
{
	struct window_cover cover;

	CHECK_EQ(window_cover_init(&cover, (struct time_range){0, NS_PER_S}, NULL), 0);
	add(&cover, "a", 1, 2);
	window_cover_finish(&cover);
	CHECK_EQ(cover.covered.from_ns, cover.covered.until_ns);
	CHECK_EQ(window_cover_core_ns(&cover, "a", 1), 0);
	window_cover_done(&cover);
}

int main(void)
{
	RUN(steps_tell_gaps_from_zeros);
	RUN(nothing_covers_nothing);
	return 0;
}
