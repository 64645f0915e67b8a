/* SPDX-License-Identifier: Apache-2.0 */
/* Fetch: one question to the server, one answer.
 *
 * What it is   a GET, a PUT or a POST with parameters; the one place that includes libcurl.
 * Ownership    the answer is malloc'ed for the caller.
 * Threads      one.
 * Errors       -EIO with a line that says what to do: nobody answers, or the server refused.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

struct fetch_file {
	int fd;
	uint64_t offset; /* what comes before is there already */
	uint64_t byte_count; /* of the whole file */
};

/* Sends FILE from its offset on. The same errors; -EPIPE: the connection broke on the way, and the
 * server may have kept what had come. */
int fetch_put(const struct fetch_request *request, const struct fetch_file *file, char *ret_error);

/* Posts BYTES. As fetch_get otherwise. */
int fetch_post(const struct fetch_request *request, const void *bytes, size_t byte_count,
	char **ret_body, size_t *ret_byte_count, char *ret_error);
