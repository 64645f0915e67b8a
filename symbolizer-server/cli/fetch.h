/* SPDX-License-Identifier: Apache-2.0 */
/* Fetch: one question to the server, one answer.
 *
 * What it is   a GET with parameters; the one place that includes libcurl.
 * Ownership    the answer is malloc'ed for the caller.
 * Threads      one.
 * Errors       -EIO with a line that says what to do: nobody answers, or the server refused.
 */
#pragma once

#include <stddef.h>

#define FETCH_ERROR_BYTES_MAX 1024
#define FETCH_PARAM_COUNT_MAX 8

struct fetch_param {
	const char *name;
	const char *value; /* NULL: left out */
};

struct fetch_request {
	const char *server; /* http://HOST:PORT, perhaps with a path before ours */
	const char *path; /* begins with '/' */
	struct fetch_param params[FETCH_PARAM_COUNT_MAX];
};

/* On failure, RET_ERROR (FETCH_ERROR_BYTES_MAX characters) is the line. The body ends with a NUL
 * that is not counted. -ENOMEM. */
int fetch_get(const struct fetch_request *request, char **ret_body, size_t *ret_byte_count,
	char *ret_error);
