/* SPDX-License-Identifier: Apache-2.0 */
/* Site: what the routes answer from.
 *
 * What it is   borrowed pointers to the parts of the server, gathered for the handlers.
 * Ownership    everything is the server's and outlives the HTTP server.
 * Threads      filled before the HTTP server starts; only ready changes afterwards.
 * Errors       none.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "symbolizer-server/http/http_counter.h"
#include "symbolizer-server/http/http_guard.h"

struct host_board;
struct profile_store;
struct symbolizer;

/* One number of a part that the HTTP layer does not know. */
struct site_counter {
	const char *name; /* static */
	const char *meaning; /* static */
	uint64_t value;
	bool is_gauge; /* says how it is now; else it only rises */
};

typedef void (*site_counter_fn)(void *context, const struct site_counter *counter);

struct site {
	struct profile_store *store;
	struct symbolizer *symbolizer;
	struct host_board *hosts;
	struct clock clock;
	struct http_guard guard;
	/* The page's files in a folder, read at each request, for whoever works on the page;
	 * NULL: those inside the program. */
	const char *web_dir;
	uint64_t started_at_ns; /* epoch */
	struct http_counters *counters;
	/* What came in over gRPC; NULL: nothing listens there. Calls VISIT for each counter. */
	void (*visit_ingest)(void *server, site_counter_fn visit, void *context);
	void *server; /* of visit_ingest */
	atomic_bool ready;
};
