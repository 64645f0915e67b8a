/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_setting.h"

#include "tests/support/check.h"

static struct jfr_settings settings;

static void note(const char *name, const char *value, bool is_execution)
{
	jfr_settings_note(&settings, (struct ingest_text){name, strlen(name)},
		(struct ingest_text){value, strlen(value)}, is_execution);
}

static void check_period(const char *value, uint64_t expected)
{
	settings = (struct jfr_settings){0};
	note("period", value, true);
	CHECK_EQ(settings.cpu_period_ns, expected);
}

static void periods_have_units(void)
{
	check_period("10 ms", 10000000);
	check_period("20ms", 20000000);
	check_period("1 s", 1000000000);
	check_period("500 us", 500000);
	check_period("1 m", UINT64_C(60000000000));
	check_period("7", 7);
	check_period("7 ns", 7);
}

static void what_is_no_period_leaves_what_was_known(void)
{
	check_period("everyChunk", 0);
	check_period("", 0);
	check_period("10 parsecs", 0);
	check_period("10 ", 0);
	check_period("99999999999999999999", 0);
	check_period("2 h", 0);
	settings.cpu_period_ns = 5;
	note("interval", "0", false);
	note("interval", "-1", false);
	note("period", "20 ms", false);
	CHECK_EQ(settings.cpu_period_ns, 5);
}

static void async_profiler_tells_event_interval_and_wall(void)
{
	settings = (struct jfr_settings){0};
	note("event", "wall", false);
	note("interval", "5000000", false);
	CHECK(settings.samples_are_wall);
	CHECK_EQ(settings.cpu_period_ns, 5000000);
	note("event", "itimer", false);
	note("wall", "50000000", false);
	CHECK(!settings.samples_are_wall);
	CHECK_EQ(settings.wall_period_ns, 50000000);
	note("alloc", "524288", false);
	CHECK_EQ(settings.cpu_period_ns, 5000000);
}

int main(void)
{
	RUN(periods_have_units);
	RUN(what_is_no_period_leaves_what_was_known);
	RUN(async_profiler_tells_event_interval_and_wall);
	return 0;
}
