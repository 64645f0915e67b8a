/* SPDX-License-Identifier: Apache-2.0 */
/* Service parts: what the services call, and the greeting that they share.
 *
 * What it is   borrowed pointers to the parts of the server, and the check of a hello's version.
 * Ownership    everything is the server's and outlives the services.
 * Threads      filled before the first call; only the counts and `store_refuses` change afterwards.
 * Errors       none.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "proto/rpc/rpc_server.h"
#include "proto/wire/ingest_wire.h"
#include "store/base/clock.h"
#include "symbolizer-server/service/service_counter.h"

struct host_board;
struct ingest_desk;
struct label_guard;
struct profile_store;
struct symbolizer;

struct service_parts {
	struct profile_store *store;
	struct symbolizer *symbolizer; /* NULL: nothing asks for names */
	struct host_board *hosts; /* NULL: nobody wants to know */
	struct ingest_desk *desk; /* NULL: no other system's clients are served */
	struct label_guard *guard; /* NULL: labels are kept as they come */
	struct clock clock;
	bool insecure_uploads; /* takes them from other hosts, too */
	struct service_counts *counts;
	atomic_bool
		store_refuses; /* the log said so; so it is told once, and once when it is over */
};

/* False: HELLO is of a version that is not spoken here; the stream is being finished. */
bool service_accept_version(
	struct service_parts *parts, struct rpc_stream *stream, const struct wire_hello *hello);
/* False: the peer may not upload; the stream is being finished. */
bool service_accept_uploads(struct service_parts *parts, struct rpc_stream *stream);
