/* SPDX-License-Identifier: Apache-2.0 */
/* Push stream: one attempt at the server, from the hello to the end of the stream.
 *
 * What it is   a client, its Ingest/Push call and its Symbols/Want call; what the server says is
 *              kept until the sink's thread takes it.
 * Ownership    owns client and calls.
 * Threads      one thread opens, sends, takes and frees. WAKE and WANT come from the client's
 *              thread; they must not call back into the stream.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/sink/batch_queue.h"
#include "collector/sink/uploads.h"
#include "proto/rpc/rpc_client.h"
#include "proto/wire/ingest_wire.h"

#define PUSH_TEXT_BYTES_MAX 256
/* Answers that wait to be taken: many times what may be unanswered. A server that sends more does
 * not keep to the contract. */
#define PUSH_ACK_COUNT_MAX 1024

struct push_stream;

struct push_stream_options {
	const char *server;
	struct wire_hello hello; /* borrowed texts */
	void (*wake)(void *context);
	upload_want_fn want; /* NULL: Symbols/Want is not opened */
	void *context; /* of both */
};

struct push_ack {
	uint64_t sequence;
	enum wire_ack_result result;
	uint64_t retry_after_ns;
	char text[PUSH_TEXT_BYTES_MAX];
};

/* Where the stream stands. */
struct push_state {
	bool welcomed;
	uint32_t server_version;
	uint32_t unacknowledged_max; /* 0: not said */
	bool closed;
	int result; /* of a closed one */
	char text[PUSH_TEXT_BYTES_MAX]; /* the server's version once welcomed, the reason if closed
					 */
	bool want_closed;
};

/* Begins the attempt: hello is on its way. */
int push_stream_open(const struct push_stream_options *options, struct push_stream **ret_stream);
/* Ends all calls. Accepts NULL. */
void push_stream_free(struct push_stream *stream);
struct rpc_client *push_stream_client(struct push_stream *stream);
void push_stream_state(struct push_stream *stream, struct push_state *ret_state);
/* Opens Symbols/Want, if there is a callback for it; again after it was closed. */
int push_stream_open_want(struct push_stream *stream);
int push_stream_send(
	struct push_stream *stream, const struct queued_batch *batch, size_t *ret_byte_count);
/* The next answer that has come. False: there is none. */
bool push_stream_take_ack(struct push_stream *stream, struct push_ack *ret_ack);
/* Gives up: the stream will be closed with -ECANCELED. */
void push_stream_cancel(struct push_stream *stream);
