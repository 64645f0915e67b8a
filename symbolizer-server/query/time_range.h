/* SPDX-License-Identifier: Apache-2.0 */
/* Time range: from when until when, as people and programs write it.
 *
 * What it is   `now-1h30m`; epoch seconds, milliseconds, microseconds or nanoseconds, told apart by
 *              their size; RFC 3339; YYYYMMDD. Ranges are half-open: [from, until).
 * Ownership    values only.
 * Threads      any.
 * Errors       -EINVAL with a static sentence that says what to mend.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct time_range {
	uint64_t from_ns; /* epoch */
	uint64_t until_ns; /* epoch */
};

/* Reads one point in time; relative ones count from NOW_NS. A blank stands for the plus sign that
 * it was before an URL was decoded. */
int time_parse(
	const char *text, size_t length, uint64_t now_ns, uint64_t *ret_ns, const char **ret_what);

/* Reads both ends. NULL or empty means: an hour ago for FROM, now for UNTIL. */
int time_range_parse(const char *from, const char *until, uint64_t now_ns,
	struct time_range *ret_range, const char **ret_what);

/* Reads a length of time such as `90s`, `1h30m` or `7d`. */
int time_parse_length(const char *text, size_t length, uint64_t *ret_ns, const char **ret_what);
