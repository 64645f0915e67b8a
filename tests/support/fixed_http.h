/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed HTTP: a server on the loopback device that gives every question the same answer.
 *
 * What it is   an answer byte by byte as the test writes it, with a body of a repeated letter behind
 *              it if need be; it counts what it is asked, and keeps the last question.
 * Ownership    the caller's storage.
 * Threads      one of its own; functions may be called by any.
 * Errors       end the test.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct fixed_http {
	char url[64];
	int listening;
	pthread_t thread;
	pthread_mutex_t lock;
	const char *head; /* NULL: it says nothing, and keeps the connection open */
	const char *body;
	size_t body_bytes; /* of BODY, again and again from its start */
	char asked[4096];
	unsigned count;
};

void fixed_http_start(struct fixed_http *server);
void fixed_http_stop(struct fixed_http *server);
/* HEAD: status line and headers, with an empty line at their end. */
void fixed_http_answer(
	struct fixed_http *server, const char *head, const char *body, size_t body_bytes);
/* Questions since the last call. */
unsigned fixed_http_count(struct fixed_http *server);
/* Whether the last question has these words. */
bool fixed_http_was_asked(struct fixed_http *server, const char *words);

#define FIXED_HTTP_OK "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
#define FIXED_HTTP_EMPTY "Content-Length: 0\r\nConnection: close\r\n\r\n"
#define FIXED_HTTP_NOT_FOUND "HTTP/1.1 404 Not Found\r\n" FIXED_HTTP_EMPTY
#define FIXED_HTTP_FAILS "HTTP/1.1 503 Service Unavailable\r\n" FIXED_HTTP_EMPTY
