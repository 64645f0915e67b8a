/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest service: cairn.v1.Ingest/Push.
 *
 * What it is   takes hellos and batches, gives batches to the store and answers each once the store
 *              has: stored, duplicate, refused, or not now. Tells the symbolizer which modules were
 *              named, and the host board what the batch says about its host.
 * Ownership    borrows its parts.
 * Threads      those of the RPC server, and the store's for answers.
 * Errors       none leave it: a client's fault ends its stream or its batch, with a reason.
 */
#pragma once

#include "proto/rpc/rpc_server.h"
#include "symbolizer-server/service/service_parts.h"

/* Batches of one stream without an answer; the next one is not read before. What a collector has
 * under way, and a bound on what a stream costs. */
#define INGEST_UNACKNOWLEDGED_MAX 16

/* PARTS lives as long as the RPC server that gets the method. */
struct rpc_method ingest_service_method(struct service_parts *parts);
