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
#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/base/counted.h"
#include "symbolizer-server/http/http_counter.h"
#include "symbolizer-server/http/http_guard.h"

struct host_board;
struct ingest_desk;
struct label_guard;
struct memo;
struct profile_store;
struct query_board;
struct source_texts;
struct symbolizer;
struct watch_list;

struct site {
	struct profile_store *store;
	struct symbolizer *symbolizer;
	struct source_texts *sources; /* NULL: nobody has any */
	struct host_board *hosts;
	struct memo *trees; /* that queries made, for those who ask again; NULL: none are kept */
	struct query_board *queries; /* that run now; NULL: nobody is told */
	struct watch_list *watches; /* shares of functions; NULL: none are watched */
	uint64_t query_ns_max; /* what a query may take; 0: the default */
	uint64_t query_bytes_max; /* likewise */
	struct ingest_desk *desk; /* where uploads of other systems go */
	struct label_guard *label_guard; /* NULL: labels are kept as they come */
	struct clock clock;
	struct http_guard guard;
	bool insecure_uploads; /* takes files from other machines, too */
	/* The page's files in a folder, read at each request, for whoever works on the page;
	 * NULL: those inside the program. */
	const char *web_dir;
	uint64_t started_at_ns; /* epoch */
	struct http_counters *counters;
	/* What came in over gRPC; NULL: nothing listens there. Calls VISIT for each counter. */
	void (*visit_ingest)(void *server, counted_fn visit, void *context);
	/* The same of the HTTP port. */
	void (*visit_port)(void *server, counted_fn visit, void *context);
	void *server; /* of both */
	atomic_bool ready;
};
