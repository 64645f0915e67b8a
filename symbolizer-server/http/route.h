/* SPDX-License-Identifier: Apache-2.0 */
/* Route: which path is answered by what.
 *
 * What it is   one table of paths; the guard in front of it; and the answers to paths and methods
 *              that are not in it.
 * Ownership    everything is static.
 * Threads      any.
 * Errors       answered: 403, 404, 405.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer-server/http/http_server.h"
#include "symbolizer-server/http/site.h"

struct http_route {
	const char *path;
	http_handle_fn handle; /* its context is the struct site */
	bool takes_time; /* reads profiles: answered by a worker */
	const char *what; /* for people */
};

/* Ends with a row whose path is NULL. Every route takes GET, HEAD and OPTIONS. */
extern const struct http_route http_routes[];

/* A http_plan_fn whose context is a struct site. */
http_handle_fn http_route_plan(
	void *context, const struct http_request *request, struct http_answer *answer);
