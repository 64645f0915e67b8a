/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/time_span.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tests/support/check.h"

/* 2026-11-30 12:00 UTC, which is 13:00 in CET. */
#define NOW INT64_C(1796040000)

static struct time_span parse(const char *text)
{
	char error[TIME_SPAN_ERROR_BYTES_MAX];
	struct time_span span;

	CHECK_EQ(time_span_parse(text, NOW, &span, error), 0);
	return span;
}

static void wall_clock_times_are_of_today(void)
{
	struct time_span span = parse("14:00..14:05:30");

	CHECK_STR(span.from, "1796043600");
	CHECK_STR(span.until, "1796043930");
}

static void one_wall_clock_time_is_told_in_seconds(void)
{
	char end[TIME_SPAN_END_BYTES_MAX] = "kept";

	CHECK(!time_span_wall_clock("now-1h", NOW, end));
	CHECK(!time_span_wall_clock("", NOW, end));
	CHECK_STR(end, "kept");
	CHECK(time_span_wall_clock("14:00", NOW, end));
	CHECK_STR(end, "1796043600");
}

static void other_ends_are_left_to_the_server(void)
{
	struct time_span span = parse("now-2h..2026-11-30T11:00:00Z");

	CHECK_STR(span.from, "now-2h");
	CHECK_STR(span.until, "2026-11-30T11:00:00Z");
	/* No time of a day. */
	CHECK_STR(parse("24:00..12:60").from, "24:00");
	CHECK_STR(parse("24:00..12:60").until, "12:60");
	CHECK_STR(parse("1:00..12:000").from, "1:00");
}

static void without_an_end_it_is_now(void)
{
	CHECK_STR(parse("now-5m").until, "now");
	CHECK_STR(parse("now-5m..").until, "now");
}

static void what_is_no_span_is_refused(void)
{
	char error[TIME_SPAN_ERROR_BYTES_MAX], text[200] = {0};
	struct time_span span = {.from = "kept"};

	CHECK_EQ(time_span_parse("", NOW, &span, error), -EINVAL);
	CHECK(strstr(error, "FROM..UNTIL"));
	CHECK_EQ(time_span_parse("..now", NOW, &span, error), -EINVAL);
	memset(text, 'x', sizeof(text) - 1);
	CHECK_EQ(time_span_parse(text, NOW, &span, error), -EINVAL);
	CHECK_STR(span.from, "kept");
}

int main(void)
{
	CHECK_EQ(setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1), 0);
	tzset();
	RUN(wall_clock_times_are_of_today);
	RUN(one_wall_clock_time_is_told_in_seconds);
	RUN(other_ends_are_left_to_the_server);
	RUN(without_an_end_it_is_now);
	RUN(what_is_no_span_is_refused);
	return 0;
}
