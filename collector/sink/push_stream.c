/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/push_stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire/symbols_wire.h"
#include "store/base/arena.h"
#include "store/base/cleanup.h"

/* An answer is a few numbers and a text. */
#define REPLY_ARENA_BYTES ((size_t)64 << 10)

struct push_stream {
	struct push_stream_options options;
	struct rpc_client *client;
	struct rpc_call *push;
	struct rpc_call *want;
	struct arena push_arena, want_arena; /* of the client's thread */

	pthread_mutex_t lock;
	pthread_cond_t closed;
	struct push_state state;
	struct push_ack *acks; /* a ring */
	size_t ack_first, ack_count;
};

/* Under the lock. False: the server sends answers to what was never sent. */
static bool keep_ack(struct push_stream *stream, const struct wire_ack *ack)
{
	struct push_ack *kept;

	if (stream->ack_count == PUSH_ACK_COUNT_MAX)
		return false;
	kept = &stream->acks[(stream->ack_first + stream->ack_count++) % PUSH_ACK_COUNT_MAX];
	kept->sequence = ack->sequence;
	kept->result = ack->result;
	kept->retry_after_ns = ack->retry_after_ns;
	snprintf(kept->text, sizeof(kept->text), "%s", ack->text);
	return true;
}

static void keep_welcome(struct push_stream *stream, const struct wire_welcome *welcome)
{
	stream->state.welcomed = true;
	stream->state.server_version = welcome->version;
	stream->state.unacknowledged_max = welcome->unacknowledged_max;
	snprintf(stream->state.text, sizeof(stream->state.text), "%s", welcome->program);
}

static void on_reply(void *context, const uint8_t *bytes, size_t byte_count)
{
	struct push_stream *stream = context;
	struct wire_push_reply reply;
	bool sound;

	arena_reset(&stream->push_arena);
	sound = wire_push_reply_decode(bytes, byte_count, &stream->push_arena, &reply) == 0;
	pthread_mutex_lock(&stream->lock);
	if (sound && reply.kind == WIRE_REPLY_WELCOME)
		keep_welcome(stream, &reply.welcome);
	else if (sound && reply.kind == WIRE_REPLY_ACK)
		sound = keep_ack(stream, &reply.ack);
	pthread_mutex_unlock(&stream->lock);
	if (!sound)
		rpc_call_cancel(stream->push);
	stream->options.wake(stream->options.context);
}

/* Once a call is marked as closed the stream may be freed, so nothing of it is touched after that.
 */
static void on_push_closed(void *context, int result, const char *text)
{
	struct push_stream *stream = context;
	struct push_stream_options options = stream->options;

	pthread_mutex_lock(&stream->lock);
	stream->state.closed = true;
	stream->state.result = result;
	snprintf(stream->state.text, sizeof(stream->state.text), "%s", text);
	pthread_cond_broadcast(&stream->closed);
	pthread_mutex_unlock(&stream->lock);
	options.wake(options.context);
}

static void on_want(void *context, const uint8_t *bytes, size_t byte_count)
{
	struct push_stream *stream = context;
	struct upload_want want = {0};
	struct wire_want fields;

	arena_reset(&stream->want_arena);
	/* One that cannot be read, or is of a newer kind, is not answered: the server will see. */
	if (wire_want_decode(bytes, byte_count, &stream->want_arena, &fields) < 0)
		return;
	want.id = fields.id;
	want.what = fields.what;
	want.offset = fields.offset;
	snprintf(want.name, sizeof(want.name), "%s", fields.name);
	stream->options.want(stream->options.context, &want);
}

static void on_want_closed(void *context, int result, const char *text)
{
	struct push_stream *stream = context;
	struct push_stream_options options = stream->options;

	(void)result;
	(void)text;
	pthread_mutex_lock(&stream->lock);
	stream->state.want_closed = true;
	pthread_cond_broadcast(&stream->closed);
	pthread_mutex_unlock(&stream->lock);
	options.wake(options.context);
}

static const struct rpc_call_events push_events = {
	.on_message = on_reply, .on_close = on_push_closed};
static const struct rpc_call_events want_events = {
	.on_message = on_want, .on_close = on_want_closed};

static int send_hello(struct push_stream *stream)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r = wire_hello_encode(&stream->options.hello, &bytes, &byte_count);

	return r < 0 ? r : rpc_call_send(stream->push, bytes, byte_count);
}

static int begin(struct push_stream *stream)
{
	struct rpc_client_options options = {.server = stream->options.server};
	int r;

	stream->acks = calloc(PUSH_ACK_COUNT_MAX, sizeof(*stream->acks));
	if (!stream->acks)
		return -ENOMEM;
	r = rpc_client_new(&options, &stream->client);
	if (r < 0)
		return r;
	r = rpc_call_new(
		stream->client, INGEST_PUSH_PATH, UINT64_MAX, &push_events, stream, &stream->push);
	return r < 0 ? r : send_hello(stream);
}

int push_stream_open(const struct push_stream_options *options, struct push_stream **ret_stream)
{
	struct push_stream *stream = calloc(1, sizeof(*stream));
	int r;

	if (!stream)
		return -ENOMEM;
	stream->options = *options;
	arena_init(&stream->push_arena, REPLY_ARENA_BYTES);
	arena_init(&stream->want_arena, REPLY_ARENA_BYTES);
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->closed, NULL);
	r = begin(stream);
	/* A call that has ended already tells by its state, like any other. */
	if (r < 0 && r != -EPIPE) {
		push_stream_free(stream);
		return r;
	}
	*ret_stream = stream;
	return 0;
}

/* Others may hold the client, so that freeing it would not wait for our calls. */
static void wait_closed(struct push_stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	while ((stream->push && !stream->state.closed) ||
		(stream->want && !stream->state.want_closed))
		pthread_cond_wait(&stream->closed, &stream->lock);
	pthread_mutex_unlock(&stream->lock);
}

void push_stream_free(struct push_stream *stream)
{
	if (!stream)
		return;
	if (stream->client)
		rpc_client_cancel(stream->client);
	wait_closed(stream);
	rpc_call_free(stream->push);
	rpc_call_free(stream->want);
	rpc_client_free(stream->client);
	free(stream->acks);
	arena_done(&stream->push_arena);
	arena_done(&stream->want_arena);
	pthread_cond_destroy(&stream->closed);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

struct rpc_client *push_stream_client(struct push_stream *stream)
{
	return stream->client;
}

void push_stream_state(struct push_stream *stream, struct push_state *ret_state)
{
	pthread_mutex_lock(&stream->lock);
	*ret_state = stream->state;
	pthread_mutex_unlock(&stream->lock);
}

int push_stream_open_want(struct push_stream *stream)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r;

	if (!stream->options.want)
		return 0;
	r = wire_want_request_encode(&stream->options.hello, &bytes, &byte_count);
	if (r < 0)
		return r;
	rpc_call_free(stream->want);
	stream->want = NULL;
	pthread_mutex_lock(&stream->lock);
	stream->state.want_closed = false;
	pthread_mutex_unlock(&stream->lock);
	r = rpc_call_new(
		stream->client, SYMBOLS_WANT_PATH, UINT64_MAX, &want_events, stream, &stream->want);
	if (r < 0)
		return r;
	r = rpc_call_send(stream->want, bytes, byte_count);
	rpc_call_half_close(stream->want);
	return r;
}

int push_stream_send(
	struct push_stream *stream, const struct queued_batch *batch, size_t *ret_byte_count)
{
	struct wire_batch fields = {
		.sequence = batch->sequence,
		.encoding = WIRE_ENCODING_ZSTD,
		.raw_byte_count = batch->body.raw_byte_count,
		.body = batch->body.bytes,
		.body_byte_count = batch->body.byte_count,
	};
	SCOPED_FREE uint8_t *bytes = NULL;
	int r;

	memcpy(fields.instance, stream->options.hello.instance, sizeof(fields.instance));
	r = wire_batch_encode(&fields, &bytes, ret_byte_count);
	return r < 0 ? r : rpc_call_send(stream->push, bytes, *ret_byte_count);
}

bool push_stream_take_ack(struct push_stream *stream, struct push_ack *ret_ack)
{
	bool has;

	pthread_mutex_lock(&stream->lock);
	has = stream->ack_count > 0;
	if (has) {
		*ret_ack = stream->acks[stream->ack_first];
		stream->ack_first = (stream->ack_first + 1) % PUSH_ACK_COUNT_MAX;
		stream->ack_count--;
	}
	pthread_mutex_unlock(&stream->lock);
	return has;
}

void push_stream_cancel(struct push_stream *stream)
{
	rpc_call_cancel(stream->push);
}
