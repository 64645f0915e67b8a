/* SPDX-License-Identifier: Apache-2.0 */
/* RPC server: streams of byte messages by gRPC, answered by callbacks.
 *
 * What it is   a listening port and a few threads. Each method of the list opens streams in both
 *              directions; a method that is not in the list is answered with UNIMPLEMENTED. What
 *              the bytes of a message mean is the handlers' business.
 * Ownership    the server owns its threads and streams. A stream lives until its on_close has
 *              returned and everyone who called rpc_stream_hold has called rpc_stream_release.
 * Threads      all callbacks of one stream come from one thread, one after the other; those of
 *              other streams may run beside them. rpc_stream_... functions may be called by any
 *              thread that is inside a callback of the stream or holds it.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/acceptor.h"

struct rpc_server;
struct rpc_stream;

/* What a call of one method does. CONTEXT is handed to on_open, STATE (what on_open gave) to the
 * others. Only on_open and on_message must be there. */
struct rpc_method {
	const char *path; /* "/package.Service/Method", static */
	void *context;
	bool own_port_only; /* not by connections that were adopted: UNIMPLEMENTED there */
	/* A new call. A negative errno refuses it with that status; no other callback follows.
	 * Whoever wants messages calls rpc_stream_read here. */
	int (*on_open)(void *context, struct rpc_stream *stream, void **ret_state);
	/* One whole message, borrowed until the return. The next one is read only after
	 * rpc_stream_read: a handler that has enough to do holds its client back by not asking. */
	void (*on_message)(
		void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count);
	/* The client sends no more: it is done, or gone (gRPC does not tell which). Absent: the
	 * stream is finished with OK. */
	void (*on_half_close)(void *state, struct rpc_stream *stream);
	/* Somebody called rpc_stream_wake: there is something to do on this stream. */
	void (*on_wake)(void *state, struct rpc_stream *stream);
	/* The server stops: finish the stream as soon as what was begun is answered (the client may
	 * be gone already). Absent: the stream is finished with UNAVAILABLE at once. */
	void (*on_stop)(void *state, struct rpc_stream *stream);
	/* The last callback, whoever ended the stream. */
	void (*on_close)(void *state, struct rpc_stream *stream);
};

/* What every client of HTTP/2 sends first. */
#define RPC_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

struct rpc_server_options {
	const char *address; /* HOST:PORT, [HOST]:PORT; port 0 picks a free one */
	const struct rpc_method *methods; /* static */
	size_t method_count;
	uint32_t thread_count; /* 0: one a CPU, at most RPC_SERVER_THREADS_MAX */
	size_t message_bytes_max; /* 0: RPC_MESSAGE_BYTES_MAX; longer ones: RESOURCE_EXHAUSTED */
	size_t memory_bytes_max; /* of gRPC's buffers, all connections together; 0: the default */
	uint32_t stream_count_max; /* all connections together; 0: the default */
	uint32_t connection_count_max; /* 0: the default */
};

/* More threads than this do not help: a stream is bound to one, and the store commits in one. */
#define RPC_SERVER_THREADS_MAX 8
/* What gRPC peers take when nothing is configured. */
#define RPC_MESSAGE_BYTES_MAX ((size_t)4 << 20)
/* Messages of one stream that wait because the peer does not read. */
#define RPC_STREAM_QUEUE_BYTES_MAX ((size_t)8 << 20)

/* What happened since the start; streams_open is now. */
/* X(name, meaning). Those that say "now" are levels; all others only rise. */
#define RPC_SERVER_COUNTERS(X)                                                                \
	X(streams_opened, "calls of any method")                                              \
	X(streams_open, "of these, open, now")                                                \
	X(streams_over_limit, "calls refused because too many were open")                     \
	X(unknown_methods, "calls of methods that are not there")                             \
	X(foreign_methods, "calls by HTTP's port of methods that gRPC's own port only takes") \
	X(messages_received, "messages received")                                             \
	X(bytes_received, "bytes of messages received")                                       \
	X(messages_sent, "messages sent")                                                     \
	X(bytes_sent, "bytes of messages sent")

struct rpc_server_counts {
#define RPC_SERVER_COUNT_FIELD(name, meaning) uint64_t name;
	RPC_SERVER_COUNTERS(RPC_SERVER_COUNT_FIELD)
#undef RPC_SERVER_COUNT_FIELD
};

/* Listens and serves. Sets malloc's thresholds for the whole process (docs/decisions/0031), so it
 * is called before the program allocates much. -EADDRINUSE, -EACCES, -EADDRNOTAVAIL: the port
 * cannot be had.  -EINVAL: no such address. */
int rpc_server_new(const struct rpc_server_options *options, struct rpc_server **ret_server);
uint16_t rpc_server_port(const struct rpc_server *server);
void rpc_server_read_counts(struct rpc_server *server, struct rpc_server_counts *ret_counts);
void rpc_server_read_connections(
	struct rpc_server *server, uint64_t ret_counts[ACCEPTOR_COUNTER_COUNT]);
/* Takes a connection that has come in at another port and begins with RPC_PREFACE, which is still to be
 * read: it counts here from now on, under the limits of this server. FD is the server's own, whatever is
 * returned. Any thread, until rpc_server_free. -EDQUOT, -ENOBUFS, -EMFILE: refused, and counted.
 * -ESHUTDOWN: it stops. */
int rpc_server_adopt(struct rpc_server *server, int fd, const struct peer *peer);
/* Takes no new stream, asks the open ones to stop, cuts off what is still open after TIMEOUT_NS,
 * waits for every on_close, ends the threads. Not from a callback. Calling it again does nothing.
 * -ETIMEDOUT: some streams were cut off. */
int rpc_server_stop(struct rpc_server *server, uint64_t timeout_ns);
/* Stops without patience if rpc_server_stop was not called. Every stream must have been released.
 * Accepts NULL. */
void rpc_server_free(struct rpc_server *server);

/* Lets the next message come. Before that one has come, asking again changes nothing. */
void rpc_stream_read(struct rpc_stream *stream);
/* Queues a copy. -EPIPE: the stream has ended or is being finished.  -ENOBUFS: the peer does not
 * read and RPC_STREAM_QUEUE_BYTES_MAX wait already. */
int rpc_stream_send(struct rpc_stream *stream, const void *bytes, size_t byte_count);
/* Has on_wake called soon, once for any number of wakes in the meantime. */
void rpc_stream_wake(struct rpc_stream *stream);
/* Ends the stream behind what was queued: ERROR 0 is OK. TEXT (NULL: none) is for the person who
 * reads the peer's log. Only the first call counts. */
void rpc_stream_finish(struct rpc_stream *stream, int error, const char *text);
/* "ipv4:127.0.0.1:40112"; lives as long as the stream. */
const char *rpc_stream_peer(const struct rpc_stream *stream);
/* Whether the peer is this machine itself. */
bool rpc_stream_is_loopback(const struct rpc_stream *stream);
void rpc_stream_hold(struct rpc_stream *stream);
void rpc_stream_release(struct rpc_stream *stream);
