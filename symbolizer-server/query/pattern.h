/* SPDX-License-Identifier: Apache-2.0 */
/* Pattern: a regular expression that matches a whole text or not at all.
 *
 * What it is   the one place that includes PCRE2. `.` matches every character, newlines included.
 * Ownership    the pattern is the caller's; the text that it was made of is copied.
 * Threads      matching changes nothing: any number of threads at a time.
 * Errors       -EINVAL: not a regular expression; -ENOMEM; -E2BIG: matching took more steps than a
 *              query may spend on one text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PATTERN_ERROR_BYTES_MAX 128

struct pattern;

/* On -EINVAL, RET_ERROR (PATTERN_ERROR_BYTES_MAX characters) says what is wrong and where. */
int pattern_new(const char *text, size_t length, struct pattern **ret_pattern, char *ret_error);
void pattern_free(struct pattern *pattern);
int pattern_matches(
	const struct pattern *pattern, const char *text, size_t length, bool *ret_matches);
