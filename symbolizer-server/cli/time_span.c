/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/time_span.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SPAN_MARK ".."

/* Two digits below BOUND at *TEXT, which moves on. */
static bool read_two_digits(const char **text, int bound, int *ret_value)
{
	if (strspn(*text, "0123456789") != 2)
		return false;
	*ret_value = ((*text)[0] - '0') * 10 + (*text)[1] - '0';
	*text += 2;
	return *ret_value < bound;
}

/* HH:MM or HH:MM:SS, and nothing behind it. */
static bool read_wall_clock(const char *text, struct tm *time)
{
	time->tm_sec = 0;
	if (!read_two_digits(&text, 24, &time->tm_hour) || *text++ != ':' ||
		!read_two_digits(&text, 60, &time->tm_min))
		return false;
	if (*text == ':') {
		text++;
		if (!read_two_digits(&text, 60, &time->tm_sec))
			return false;
	}
	return *text == '\0';
}

bool time_span_wall_clock(const char *text, int64_t now_s, char ret_end[TIME_SPAN_END_BYTES_MAX])
{
	time_t now = (time_t)now_s;
	struct tm today;

	if (!localtime_r(&now, &today) || !read_wall_clock(text, &today))
		return false;
	/* Which of the two it is on the day that the clocks change is for the C library to say. */
	today.tm_isdst = -1;
	snprintf(ret_end, TIME_SPAN_END_BYTES_MAX, "%" PRId64, (int64_t)mktime(&today));
	return true;
}

static int read_end(const char *text, size_t length, int64_t now_s,
	char ret_end[TIME_SPAN_END_BYTES_MAX], char ret_error[TIME_SPAN_ERROR_BYTES_MAX])
{
	char seconds[TIME_SPAN_END_BYTES_MAX];

	if (length == 0 || length >= TIME_SPAN_END_BYTES_MAX) {
		snprintf(ret_error, TIME_SPAN_ERROR_BYTES_MAX,
			"%.*s: write FROM..UNTIL, as in 14:00..14:05 or now-2h..now-1h",
			(int)(length < TIME_SPAN_END_BYTES_MAX ? length : TIME_SPAN_END_BYTES_MAX),
			text);
		return -EINVAL;
	}
	memcpy(ret_end, text, length);
	ret_end[length] = '\0';
	if (time_span_wall_clock(ret_end, now_s, seconds))
		memcpy(ret_end, seconds, sizeof(seconds));
	return 0;
}

int time_span_parse(const char *text, int64_t now_s, struct time_span *ret_span,
	char ret_error[TIME_SPAN_ERROR_BYTES_MAX])
{
	const char *mark = strstr(text, SPAN_MARK);
	const char *until = mark ? mark + strlen(SPAN_MARK) : "now";
	size_t from_length = mark ? (size_t)(mark - text) : strlen(text);
	struct time_span span;
	int r;

	if (mark && *until == '\0')
		until = "now";
	r = read_end(text, from_length, now_s, span.from, ret_error);
	if (r == 0)
		r = read_end(until, strlen(until), now_s, span.until, ret_error);
	if (r == 0)
		*ret_span = span;
	return r;
}
