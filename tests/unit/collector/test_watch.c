/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/watch.h"

#include "tests/support/check.h"

#define MINUTE (60 * NS_PER_S)

static struct watch_counts counts;
static struct watch watch;

static void set_up(void)
{
	counts = (struct watch_counts){.busy_ns = 1};
	watch_init(&watch, 0);
}

/* A minute in which the CPUs were busy and no sample was counted. */
static const char *silent_minute(uint64_t end_ns)
{
	counts.busy_ns += MINUTE;
	counts.idle_ns += MINUTE;
	return watch_look(&watch, &counts, end_ns);
}

static void the_stage_that_lost_the_samples_is_named(void)
{
	set_up();
	CHECK(strstr(silent_minute(MINUTE), "timers"));
	counts.ticks++;
	CHECK(strstr(silent_minute(2 * MINUTE), "sampling program"));
	counts.ticks++;
	counts.passed++;
	CHECK(strstr(silent_minute(3 * MINUTE), "ring buffers"));
	counts.ticks++;
	counts.passed++;
	counts.received++;
	CHECK(strstr(silent_minute(4 * MINUTE), "samples_dropped"));
}

static void it_is_said_once_a_minute_at_most(void)
{
	set_up();
	CHECK(!silent_minute(MINUTE - 1));
	CHECK(silent_minute(MINUTE));
	CHECK(!silent_minute(MINUTE + 1));
	CHECK(silent_minute(2 * MINUTE));
}

static void idle_hosts_and_working_samplers_are_left_alone(void)
{
	set_up();
	counts.idle_ns = 100 * MINUTE;
	counts.busy_ns = MINUTE / 10;
	CHECK(!watch_look(&watch, &counts, MINUTE));
	counts.counted++;
	CHECK(!silent_minute(2 * MINUTE));
	counts.counted++;
	CHECK(!silent_minute(9 * MINUTE));
	CHECK(!silent_minute(9 * MINUTE + MINUTE / 2));
	CHECK(silent_minute(10 * MINUTE));
}

int main(void)
{
	RUN(the_stage_that_lost_the_samples_is_named);
	RUN(it_is_said_once_a_minute_at_most);
	RUN(idle_hosts_and_working_samplers_are_left_alone);
	return 0;
}
