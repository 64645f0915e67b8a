/* SPDX-License-Identifier: Apache-2.0 */
/* Time span: `FROM..UNTIL`, as a person writes one side of a comparison.
 *
 * What it is   splits the text; `14:00` and `14:00:30` are of today, by the clock on the wall;
 *              whatever else an end is, the server reads it.
 * Ownership    values only.
 * Threads      one: it asks for the local time zone.
 * Errors       -EINVAL with a sentence that says what to mend.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TIME_SPAN_END_BYTES_MAX 64
#define TIME_SPAN_ERROR_BYTES_MAX 200

struct time_span {
	char from[TIME_SPAN_END_BYTES_MAX];
	char until[TIME_SPAN_END_BYTES_MAX];
};

/* Whether TEXT is `14:00` or `14:00:30`, which is then told in seconds since the epoch. NOW_S: those
 * of now, which say what day is today. */
bool time_span_wall_clock(const char *text, int64_t now_s, char ret_end[TIME_SPAN_END_BYTES_MAX]);
/* NOW_S: as above. Without UNTIL it is `now`. */
int time_span_parse(const char *text, int64_t now_s, struct time_span *ret_span,
	char ret_error[TIME_SPAN_ERROR_BYTES_MAX]);
