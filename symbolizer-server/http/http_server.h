/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP server: reads requests, sends answers; knows the HTTP library, beside http_exchange.
 *
 * What it is   an acceptor, one thread that waits for all connections, and a few workers for what takes time. A
 *              plan answers a request at once or names what is to answer it in a worker, while the
 *              connection sleeps. Bodies of requests go piece by piece to workers, or are thrown away up to
 *              a limit.
 * Ownership    the server owns the listening socket and its threads.
 * Threads      new, stop and free: one owner. The plan runs in the one thread and must not wait;
 *              handlers run in any worker.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdint.h>

#include "store/base/acceptor.h"
#include "symbolizer-server/http/http_counter.h"
#include "symbolizer-server/http/http_message.h"

struct http_server;

/* Fills the answer. */
typedef void (*http_handle_fn)(
	void *context, const struct http_request *request, struct http_answer *answer);
/* Fills the answer and gives NULL, or gives what will fill it. */
typedef http_handle_fn (*http_plan_fn)(
	void *context, const struct http_request *request, struct http_answer *answer);

/* Asked before a body is read: what takes it, or NULL if nothing does and it is thrown away. True:
 * the request is refused, and the answer says why. */
typedef bool (*http_receive_fn)(void *context, const struct http_request *request,
	struct http_answer *answer, const struct http_receiver **ret_receiver);

struct http_server_options {
	int listen_fd; /* the server's from now on, also if it cannot start */
	uint32_t worker_count; /* 0: one a CPU, from 2 to 8 */
	uint32_t connection_count_max; /* 0: the default */
	http_plan_fn plan;
	http_receive_fn receive; /* NULL: nothing takes a body */
	void *context; /* of plan and handlers */
	struct http_counters *counters;
	/* Connections that begin with these words are somebody else's; NULL: there are none such. */
	const char *other_words;
	acceptor_pass_fn pass;
	void *pass_context;
};

int http_server_new(const struct http_server_options *options, struct http_server **ret_server);
void http_server_read_connections(
	struct http_server *server, uint64_t ret_counts[ACCEPTOR_COUNTER_COUNT]);
/* Accepts nothing more, tells running queries that they are gone, waits for them. Accepts NULL. */
void http_server_free(struct http_server *server);
