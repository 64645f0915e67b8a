/* SPDX-License-Identifier: Apache-2.0 */
/* RPC client: calls that carry streams of byte messages to one gRPC server.
 *
 * What it is   one connection attempt and the calls on it. A client connects once, when its first
 *              call is made; when the connection fails or breaks, every call ends and the owner
 *              makes a new client as soon as its own patience says so. gRPC's own reconnecting is
 *              off, so that one place decides when the server is bothered again.
 * Ownership    a client is held by one or more owners and owns its thread; a call belongs to its
 *              maker until rpc_call_free.
 * Threads      callbacks come from the client's one thread, one after the other. Every other
 *              function may be called by any thread, except where it says "not from a callback".
 * Errors       0, or a negative errno (the status of a call through rpc_status.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpc_client;
struct rpc_call;

struct rpc_client_options {
	const char *server; /* HOST:PORT or [HOST]:PORT */
	size_t message_bytes_max; /* longest message taken; 0: RPC_CLIENT_MESSAGE_BYTES_MAX */
	uint64_t keepalive_ns; /* a silent connection is probed this often; 0: the default */
};

#define RPC_CLIENT_MESSAGE_BYTES_MAX ((size_t)4 << 20)
/* Messages of one call that wait because the server does not read. */
#define RPC_CALL_QUEUE_BYTES_MAX ((size_t)16 << 20)

struct rpc_call_events {
	/* One whole message, borrowed until the return. May be NULL. */
	void (*on_message)(void *context, const uint8_t *bytes, size_t byte_count);
	/* All that was queued has been handed to the network. May be NULL. */
	void (*on_sent)(void *context);
	/* The last callback. RESULT 0: the server finished with OK. TEXT is the server's word or
	 * gRPC's, never NULL, borrowed until the return. */
	void (*on_close)(void *context, int result, const char *text);
};

/* Nothing is sent yet. -EINVAL: not an address. */
int rpc_client_new(const struct rpc_client_options *options, struct rpc_client **ret_client);
/* One more owner, who calls rpc_client_free, too. */
void rpc_client_hold(struct rpc_client *client);
/* Ends every call and lets none begin. The other owners see that by their calls. */
void rpc_client_cancel(struct rpc_client *client);
/* The last owner's: cancels what is open, waits for every on_close and ends the thread. Calls must
 * have been freed or be freed later without any other use. Not from a callback. Accepts NULL. */
void rpc_client_free(struct rpc_client *client);
/* Whether the connection stands now. */
bool rpc_client_is_connected(struct rpc_client *client);

/* Begins a call of PATH ("/package.Service/Method", static). EVENTS is static. After TIMEOUT_NS
 * (UINT64_MAX: never) it ends with -ETIMEDOUT. -ESHUTDOWN: the client was cancelled. */
int rpc_call_new(struct rpc_client *client, const char *path, uint64_t timeout_ns,
	const struct rpc_call_events *events, void *context, struct rpc_call **ret_call);
/* Gives the call back; one that is still open is cancelled, and its on_close still comes.
 * Accepts NULL. */
void rpc_call_free(struct rpc_call *call);
/* Queues a copy. -EPIPE: the call has ended or half-closed.  -ENOBUFS: RPC_CALL_QUEUE_BYTES_MAX
 * wait already. */
int rpc_call_send(struct rpc_call *call, const void *bytes, size_t byte_count);
/* Nothing more will be sent; what was queued still goes out. */
void rpc_call_half_close(struct rpc_call *call);
/* Ends the call as soon as possible; on_close says -ECANCELED. */
void rpc_call_cancel(struct rpc_call *call);
