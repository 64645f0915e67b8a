/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/tick_watch.h"

#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

#define PERIOD_NS (10 * NS_PER_MS)

/* A descriptor that gives COUNTED_NS once, as an event does that has counted so much. */
static int event_of(uint64_t counted_ns)
{
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(write(ends[1], &counted_ns, sizeof(counted_ns)), sizeof(counted_ns));
	close(ends[1]);
	return ends[0];
}

static bool is_dead(struct tick_watch *watch, uint64_t counted_ns, uint64_t now_ns)
{
	int fd = event_of(counted_ns);
	bool dead = tick_watch_is_dead(watch, PERIOD_NS, fd, now_ns);

	close(fd);
	return dead;
}

static void what_did_not_come_is_missed(void)
{
	struct tick_watch watch;

	tick_watch_start(&watch, 100, NS_PER_S);
	CHECK_EQ(tick_watch_missed(&watch, PERIOD_NS, 100, NS_PER_S), 0);
	CHECK_EQ(tick_watch_missed(&watch, PERIOD_NS, 100, NS_PER_S - 1), 0);
	CHECK_EQ(tick_watch_missed(&watch, PERIOD_NS, 150, NS_PER_S + 50 * PERIOD_NS), 0);
	/* One may be under way. */
	CHECK_EQ(tick_watch_missed(&watch, PERIOD_NS, 140, NS_PER_S + 50 * PERIOD_NS), 9);
	/* Of one that is stopped, only the time of its life counts. */
	tick_watch_note(&watch, 140, NS_PER_S + 50 * PERIOD_NS);
	tick_watch_note(&watch, 140, NS_PER_S + 500 * PERIOD_NS);
	CHECK_EQ(tick_watch_missed_alive(&watch, PERIOD_NS), 9);
}

static void a_timer_that_ticks_is_alive(void)
{
	struct tick_watch watch;

	tick_watch_start(&watch, 0, NS_PER_S);
	for (uint64_t i = 1; i < 10; i++) {
		tick_watch_note(&watch, i, (1 + i) * NS_PER_S);
		CHECK(!is_dead(&watch, 0, (1 + i) * NS_PER_S + NS_PER_S));
	}
}

static void a_silent_timer_that_counts_time_is_alive_and_else_dead(void)
{
	struct tick_watch watch;

	tick_watch_start(&watch, 0, NS_PER_S);
	CHECK(!is_dead(&watch, 5, 3 * NS_PER_S));
	CHECK(!is_dead(&watch, 5, 3 * NS_PER_S + 1));
	CHECK(!is_dead(&watch, 6, 5 * NS_PER_S + 2));
	CHECK(!is_dead(&watch, 6, 7 * NS_PER_S));
	CHECK(is_dead(&watch, 6, 8 * NS_PER_S));
}

int main(void)
{
	RUN(what_did_not_come_is_missed);
	RUN(a_timer_that_ticks_is_alive);
	RUN(a_silent_timer_that_counts_time_is_alive_and_else_dead);
	return 0;
}
