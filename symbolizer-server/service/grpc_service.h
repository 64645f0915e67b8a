/* SPDX-License-Identifier: Apache-2.0 */
/* gRPC service: the port that collectors speak to, with all its services.
 *
 * What it is   an RPC server with Ingest/Push, Symbols/Want and Symbols/Upload. Every other method,
 *              Control's included, is answered with UNIMPLEMENTED.
 * Ownership    owns the RPC server; borrows store, symbolizer, host board and guard.
 * Threads      new, stop and free: one owner. Reading counters, and adopt: any thread.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/base/counted.h"

struct grpc_service;
struct host_board;
struct ingest_desk;
struct label_guard;
struct peer;
struct profile_store;
struct symbolizer;

struct grpc_service_options {
	const char *address; /* HOST:PORT; port 0 picks a free one */
	struct profile_store *store;
	struct symbolizer *symbolizer;
	struct host_board *hosts; /* may be NULL */
	struct label_guard *guard; /* likewise */
	struct ingest_desk *desk; /* likewise: no uploads of other systems are taken */
	struct clock clock;
	bool insecure_uploads; /* takes uploads from other hosts, too */
	uint32_t connection_count_max; /* 0: as many as are ever needed */
};

/* -EADDRINUSE, -EACCES, -EADDRNOTAVAIL: the port cannot be had.  -EINVAL: no such address. */
int grpc_service_new(const struct grpc_service_options *options, struct grpc_service **ret_service);
uint16_t grpc_service_port(const struct grpc_service *service);
/* Takes a connection that came in at the port of HTTP and begins as HTTP/2 does; FD is the service's own,
 * whatever is returned. Only services that HTTP has as well are there for it: OpenTelemetry's and push.v1.
 * Errors are counted here. */
int grpc_service_adopt(struct grpc_service *service, int fd, const struct peer *peer);
/* Takes nothing new, answers what was begun, closes every stream; for that the store must still
 * work. -ETIMEDOUT: some streams were cut off; their collectors keep what was not answered. */
int grpc_service_stop(struct grpc_service *service, uint64_t timeout_ns);
/* After the store has answered everything that was appended (profile_store_flush or _close).
 * Accepts NULL. */
void grpc_service_free(struct grpc_service *service);

/* One call for each counter, in the order of a batch's way. */
void grpc_service_visit_counters(struct grpc_service *service, counted_fn visit, void *context);
