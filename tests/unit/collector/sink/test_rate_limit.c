/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/rate_limit.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

static void the_first_bytes_go_at_once_the_next_wait(void)
{
	struct rate_limit limit;

	rate_limit_init(&limit, 1000);
	CHECK_EQ(rate_limit_take(&limit, 5 * NS_PER_S, 500), 0);
	CHECK_EQ(rate_limit_take(&limit, 5 * NS_PER_S, 500), NS_PER_S / 2);
	CHECK_EQ(rate_limit_take(&limit, 5 * NS_PER_S, 1), NS_PER_S);
}

static void time_without_bytes_is_not_saved_up(void)
{
	struct rate_limit limit;

	rate_limit_init(&limit, 1000);
	CHECK_EQ(rate_limit_take(&limit, 0, 1000), 0);
	CHECK_EQ(rate_limit_take(&limit, 100 * NS_PER_S, 1000), 0);
	CHECK_EQ(rate_limit_take(&limit, 100 * NS_PER_S, 1000), NS_PER_S);
}

static void ten_megabits_are_ten_megabits(void)
{
	struct rate_limit limit;
	uint64_t now_ns = 0, sent = 0;

	rate_limit_init(&limit, 10 * 125000);
	while (now_ns < 20 * NS_PER_S) {
		now_ns += rate_limit_take(&limit, now_ns, 256 << 10);
		sent += 256 << 10;
	}
	CHECK(sent > 20 * 1240000 && sent < 20 * 1300000);
}

static void no_limit_never_waits(void)
{
	struct rate_limit limit;

	rate_limit_init(&limit, 0);
	for (int i = 0; i < 10; i++)
		CHECK_EQ(rate_limit_take(&limit, 0, 1 << 30), 0);
}

int main(void)
{
	RUN(the_first_bytes_go_at_once_the_next_wait);
	RUN(time_without_bytes_is_not_saved_up);
	RUN(ten_megabits_are_ten_megabits);
	RUN(no_limit_never_waits);
	return 0;
}
