/* SPDX-License-Identifier: Apache-2.0 */
/* Raw HTTP: requests byte by byte as the test writes them.
 *
 * What it is   one connection, one write, and everything that comes back until the server closes.
 * Ownership    an answer owns its bytes, until raw_http_done.
 * Threads      one owner.
 * Errors       a connection that fails ends the test; a broken answer has status 0.
 */
#pragma once

#include <stddef.h>

struct raw_http {
	int status; /* 0: no answer */
	char *bytes; /* headers and body, ended by a NUL */
	size_t byte_count;
	const char *body;
	size_t body_byte_count;
};

/* ADDRESS is 127.0.0.1:PORT. */
int raw_http_connect(const char *address);
struct raw_http raw_http_send(const char *address, const void *bytes, size_t byte_count);
/* `GET TARGET` with `Host: ADDRESS`, and MORE headers (each ended by CRLF) behind it. */
struct raw_http raw_http_get(const char *address, const char *target, const char *more);
/* The value of a header, malloc'ed; NULL if it is not there. */
char *raw_http_header(const struct raw_http *answer, const char *name);
void raw_http_done(struct raw_http *answer);
