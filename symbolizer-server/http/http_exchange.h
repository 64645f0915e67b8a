/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP exchange: one request and its answer, as the HTTP library has them.
 *
 * What it is   reads what the library knows of a request into a struct http_request, and makes the
 *              library's response of a filled answer: headers, compression, files.
 * Ownership    the server owns the exchange; texts of the request are the library's.
 * Threads      one at a time, as http_server.c says.
 * Errors       NULL: out of memory.
 */
#pragma once

#include <netinet/in.h>
#include <stdatomic.h>

#include <microhttpd.h>

#include "symbolizer-server/http/http_server.h"
#include "symbolizer-server/http/intake.h"

struct http_exchange {
	struct http_request request; /* first: is_gone gets back from here */
	struct http_answer answer;
	struct http_server *server; /* whose it is; nothing here looks into it */
	const atomic_bool *stopping; /* of the server */
	struct MHD_Connection *connection;
	int fd;
	uint64_t body_byte_count;
	struct intake intake;
	http_handle_fn handle;
	bool counted; /* as a request that waits for its answer */
	bool answered;
	atomic_uint settled; /* of an answer that comes later: by its worker, by who fills it */
	char local_address[INET6_ADDRSTRLEN];
};

/* The server's fields are its own to fill. */
struct http_exchange *http_exchange_new(struct MHD_Connection *connection, const char *path,
	const char *method, const char *version);
/* Accepts NULL. */
void http_exchange_free(struct http_exchange *exchange);
/* Checks and compresses a filled answer: nothing may change it afterwards. */
void http_exchange_finish(struct http_exchange *exchange);
/* Takes the answer's body. */
struct MHD_Response *http_exchange_response(struct http_exchange *exchange, size_t *ret_byte_count);
int http_exchange_fd(struct MHD_Connection *connection);
/* Decodes %XX in place: the library's callback for it. */
size_t http_exchange_unescape(void *context, struct MHD_Connection *connection, char *text);
