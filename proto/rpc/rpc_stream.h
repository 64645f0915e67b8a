/* SPDX-License-Identifier: Apache-2.0 */
/* RPC stream: one call at the server, from the request for it to its last operation.
 *
 * What it is   the state behind the rpc_stream_... functions of rpc_server.h. Inside this folder
 *              only.
 * Ownership    reference counted: one for gRPC's open operations, one for each hold.
 * Threads      fields below the lock may be used by any thread that holds it; the others by the
 *              thread of the stream's queue.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/rpc/rpc_operation.h"
#include "proto/rpc/rpc_server.h"
#include "store/base/peer.h"

/* The method index of calls that no method of the list takes. */
#define RPC_METHOD_UNKNOWN UINT32_MAX

struct rpc_stream {
	struct rpc_server *server;
	struct rpc_stream *previous, *next; /* the server's list, under the server's lock */
	uint32_t queue_index;
	uint32_t method_index;
	const struct rpc_method *method; /* NULL: RPC_METHOD_UNKNOWN */
	void *state;
	bool opened; /* on_open has accepted it */
	grpc_call *call;
	grpc_metadata_array metadata;
	grpc_call_details details; /* RPC_METHOD_UNKNOWN only */
	gpr_timespec deadline;
	char peer[PEER_TEXT_MAX]; /* "" if gRPC does not tell */
	bool is_loopback;
	bool is_adopted; /* its connection came in at another port */
	grpc_byte_buffer *incoming;
	int cancelled;
	struct rpc_operation accepted, greeted, received, sent, woken, finished, closed, stopped;
	atomic_uint references;

	pthread_mutex_t lock;
	uint32_t open_operations;
	bool reading;
	bool half_closed; /* the client sends no more */
	bool sending;
	bool waking;
	struct rpc_outbox outbox; /* its first is being sent */
	bool finishing;
	bool status_sent;
	int finish_error;
	grpc_slice finish_text;
	bool ended; /* gRPC has said its last word: no operation may begin */
};

/* Asks gRPC for the next call of METHOD_INDEX on QUEUE_INDEX. -ENOMEM. */
int rpc_stream_request(struct rpc_server *server, uint32_t queue_index, uint32_t method_index);
/* Has the stream's own thread tell its handler that the server stops. */
void rpc_stream_stop(struct rpc_stream *stream);

/* ---- What the server does for its streams (rpc_server.c) ---- */

grpc_server *rpc_server_core(struct rpc_server *server);
grpc_completion_queue *rpc_server_queue(struct rpc_server *server, uint32_t queue_index);
const struct rpc_method *rpc_server_method(struct rpc_server *server, uint32_t method_index);
/* What gRPC calls the method by. */
void *rpc_server_registration(struct rpc_server *server, uint32_t method_index);
/* A request came to an end: with a call in it, or because the server stops. Asks for the next one.
 */
void rpc_server_requested(struct rpc_server *server, const struct rpc_stream *stream, bool ok);
int rpc_server_peer(
	struct rpc_server *server, grpc_call *call, struct peer *ret_peer, bool *ret_adopted);
/* -ENOBUFS: too many are open.  -ESHUTDOWN: the server stops. The stream is in the list in any
 * case.
 */
int rpc_server_enter(struct rpc_server *server, struct rpc_stream *stream);
void rpc_server_leave(struct rpc_server *server, struct rpc_stream *stream);
void rpc_server_count_received(struct rpc_server *server, size_t byte_count);
void rpc_server_count_sent(struct rpc_server *server, size_t byte_count);
void rpc_server_count_unknown(struct rpc_server *server);
void rpc_server_count_foreign(struct rpc_server *server);
