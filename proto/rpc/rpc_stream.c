/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   request -> accepted -> { greeted, received*, sent*, woken*, finished, stopped }  -> closed
 *
 * Each name is a batch of gRPC operations. `closed` is asked for as soon as there is a call, and
 * comes when the call is over on the wire. A batch that begins after gRPC's queue was shut down
 * would abort the program, so every batch begins under the lock, counts as open, and none begins
 * once `closed` has come; the server shuts its queues down only after every stream has left.
 */
#include "proto/rpc/rpc_stream.h"

#include <errno.h>
#include <grpc/support/alloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/rpc/rpc_status.h"
#include "store/base/must.h"

static void on_accepted(void *owner, bool ok);
static void on_greeted(void *owner, bool ok);
static void on_received(void *owner, bool ok);
static void on_sent(void *owner, bool ok);
static void on_woken(void *owner, bool ok);
static void on_finished(void *owner, bool ok);
static void on_closed(void *owner, bool ok);
static void on_stopped(void *owner, bool ok);

static struct rpc_stream *stream_new(
	struct rpc_server *server, uint32_t queue_index, uint32_t method_index)
{
	struct rpc_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->server = server;
	stream->queue_index = queue_index;
	stream->method_index = method_index;
	stream->method = rpc_server_method(server, method_index);
	stream->accepted = (struct rpc_operation){on_accepted, stream};
	stream->greeted = (struct rpc_operation){on_greeted, stream};
	stream->received = (struct rpc_operation){on_received, stream};
	stream->sent = (struct rpc_operation){on_sent, stream};
	stream->woken = (struct rpc_operation){on_woken, stream};
	stream->finished = (struct rpc_operation){on_finished, stream};
	stream->closed = (struct rpc_operation){on_closed, stream};
	stream->stopped = (struct rpc_operation){on_stopped, stream};
	stream->references = 1;
	stream->outbox.bytes_max = RPC_STREAM_QUEUE_BYTES_MAX;
	stream->finish_text = grpc_empty_slice();
	grpc_metadata_array_init(&stream->metadata);
	grpc_call_details_init(&stream->details);
	pthread_mutex_init(&stream->lock, NULL);
	return stream;
}

static void stream_free(struct rpc_stream *stream)
{
	grpc_slice_unref(stream->finish_text);
	rpc_metadata_done(&stream->metadata);
	grpc_call_details_destroy(&stream->details);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

void rpc_stream_hold(struct rpc_stream *stream)
{
	atomic_fetch_add(&stream->references, 1);
}

void rpc_stream_release(struct rpc_stream *stream)
{
	if (atomic_fetch_sub(&stream->references, 1) == 1)
		stream_free(stream);
}

const char *rpc_stream_peer(const struct rpc_stream *stream)
{
	return stream->peer;
}

bool rpc_stream_is_loopback(const struct rpc_stream *stream)
{
	return stream->is_loopback;
}

/* Under the lock, before the call is over. */
static void start(struct rpc_stream *stream, struct rpc_operation *operation, const grpc_op *op)
{
	must(!stream->ended);
	stream->open_operations++;
	rpc_operation_start(operation, stream->call, op);
}

static void close_stream(struct rpc_stream *stream)
{
	if (stream->opened && stream->method->on_close)
		stream->method->on_close(stream->state, stream);
	rpc_outbox_clear(&stream->outbox);
	grpc_call_unref(stream->call);
	rpc_server_leave(stream->server, stream);
	rpc_stream_release(stream);
}

/* An operation is done; the last one of a call that is over takes the stream with it. */
static void end_operation(struct rpc_stream *stream)
{
	bool last;

	pthread_mutex_lock(&stream->lock);
	last = --stream->open_operations == 0 && stream->ended;
	pthread_mutex_unlock(&stream->lock);
	if (last)
		close_stream(stream);
}

/* Under the lock: sends what comes next, a message or the status. */
static void send_next(struct rpc_stream *stream)
{
	grpc_op op = {0};

	if (stream->ended || stream->sending || stream->status_sent)
		return;
	if (stream->outbox.first) {
		op.op = GRPC_OP_SEND_MESSAGE;
		op.data.send_message.send_message = stream->outbox.first->buffer;
		stream->sending = true;
		start(stream, &stream->sent, &op);
	} else if (stream->finishing) {
		op.op = GRPC_OP_SEND_STATUS_FROM_SERVER;
		op.data.send_status_from_server.status =
			(grpc_status_code)rpc_status_of_fault(stream->finish_error);
		op.data.send_status_from_server.status_details = &stream->finish_text;
		stream->status_sent = true;
		start(stream, &stream->finished, &op);
	}
}

int rpc_stream_send(struct rpc_stream *stream, const void *bytes, size_t byte_count)
{
	struct rpc_outgoing *outgoing = rpc_outgoing_new(bytes, byte_count);
	int r;

	if (!outgoing)
		return -ENOMEM;
	pthread_mutex_lock(&stream->lock);
	if (stream->ended || stream->finishing)
		r = -EPIPE;
	else
		r = rpc_outbox_push(&stream->outbox, outgoing);
	if (r == 0) {
		rpc_server_count_sent(stream->server, byte_count);
		send_next(stream);
	}
	pthread_mutex_unlock(&stream->lock);
	if (r < 0)
		rpc_outgoing_free(outgoing);
	return r;
}

void rpc_stream_finish(struct rpc_stream *stream, int error, const char *text)
{
	pthread_mutex_lock(&stream->lock);
	if (!stream->ended && !stream->finishing) {
		stream->finishing = true;
		stream->finish_error = error;
		if (text)
			stream->finish_text = grpc_slice_from_copied_string(text);
		send_next(stream);
	}
	pthread_mutex_unlock(&stream->lock);
}

void rpc_stream_read(struct rpc_stream *stream)
{
	grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};

	op.data.recv_message.recv_message = &stream->incoming;
	pthread_mutex_lock(&stream->lock);
	if (!stream->ended && !stream->finishing && !stream->reading && !stream->half_closed) {
		stream->reading = true;
		start(stream, &stream->received, &op);
	}
	pthread_mutex_unlock(&stream->lock);
}

void rpc_stream_wake(struct rpc_stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	if (!stream->ended && !stream->waking) {
		stream->waking = true;
		start(stream, &stream->woken, NULL);
	}
	pthread_mutex_unlock(&stream->lock);
}

static void on_woken(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;

	(void)ok;
	pthread_mutex_lock(&stream->lock);
	stream->waking = false;
	pthread_mutex_unlock(&stream->lock);
	if (stream->opened && stream->method->on_wake)
		stream->method->on_wake(stream->state, stream);
	end_operation(stream);
}

void rpc_stream_stop(struct rpc_stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	if (!stream->ended)
		start(stream, &stream->stopped, NULL);
	pthread_mutex_unlock(&stream->lock);
}

static void on_stopped(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;

	(void)ok;
	if (stream->opened && stream->method->on_stop)
		stream->method->on_stop(stream->state, stream);
	else
		rpc_stream_finish(stream, -ENOTCONN, "the server is stopping");
	end_operation(stream);
}

static void on_greeted(void *owner, bool ok)
{
	(void)ok;
	end_operation(owner);
}

static void on_finished(void *owner, bool ok)
{
	(void)ok;
	end_operation(owner);
}

static void on_sent(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;

	pthread_mutex_lock(&stream->lock);
	stream->sending = false;
	rpc_outgoing_free(rpc_outbox_pop(&stream->outbox));
	if (!ok)
		rpc_outbox_clear(&stream->outbox);
	send_next(stream);
	pthread_mutex_unlock(&stream->lock);
	end_operation(stream);
}

static void deliver(struct rpc_stream *stream, grpc_byte_buffer *buffer)
{
	grpc_slice slice;

	if (!rpc_buffer_read(buffer, &slice)) {
		rpc_stream_finish(stream, -EBADMSG, "a message that cannot be read");
		return;
	}
	rpc_server_count_received(stream->server, GRPC_SLICE_LENGTH(slice));
	stream->method->on_message(
		stream->state, stream, GRPC_SLICE_START_PTR(slice), GRPC_SLICE_LENGTH(slice));
	grpc_slice_unref(slice);
}

static void on_received(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;
	grpc_byte_buffer *buffer = ok ? stream->incoming : NULL;
	bool ended, finishing;

	stream->incoming = NULL;
	pthread_mutex_lock(&stream->lock);
	stream->reading = false;
	stream->half_closed = !buffer;
	ended = stream->ended;
	finishing = stream->finishing;
	pthread_mutex_unlock(&stream->lock);
	if (buffer && !ended && !finishing)
		deliver(stream, buffer);
	else if (!buffer && !ended && stream->method->on_half_close)
		stream->method->on_half_close(stream->state, stream);
	else if (!buffer)
		rpc_stream_finish(stream, 0, NULL);
	if (buffer)
		grpc_byte_buffer_destroy(buffer);
	end_operation(stream);
}

static void on_closed(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;

	(void)ok;
	pthread_mutex_lock(&stream->lock);
	stream->ended = true;
	pthread_mutex_unlock(&stream->lock);
	end_operation(stream);
}

static void refuse_unknown(struct rpc_stream *stream)
{
	char *method = grpc_slice_to_c_string(stream->details.method);
	char text[256];

	snprintf(text, sizeof(text), "no method %.200s", method);
	gpr_free(method);
	rpc_server_count_unknown(stream->server);
	rpc_stream_finish(stream, -ENOSYS, text);
}

static void open_stream(struct rpc_stream *stream)
{
	int r = rpc_server_enter(stream->server, stream);

	if (r == -ENOBUFS) {
		rpc_stream_finish(stream, r, "too many streams are open");
	} else if (r < 0) {
		rpc_stream_finish(stream, r, "the server is stopping");
	} else if (!stream->method) {
		refuse_unknown(stream);
	} else if (stream->method->own_port_only && stream->is_adopted) {
		rpc_server_count_foreign(stream->server);
		rpc_stream_finish(stream, -ENOSYS,
			"this method is taken at the server's gRPC port only, not at that of HTTP");
	} else {
		r = stream->method->on_open(stream->method->context, stream, &stream->state);
		stream->opened = r == 0;
		if (r < 0)
			rpc_stream_finish(stream, r, NULL);
	}
}

/* Whom gRPC does not tell is taken for a foreign one. */
static void note_peer(struct rpc_stream *stream)
{
	struct peer peer;

	if (rpc_server_peer(stream->server, stream->call, &peer, &stream->is_adopted) < 0)
		return;
	peer_format(&peer, stream->peer);
	stream->is_loopback = peer_is_loopback(&peer);
}

static void on_accepted(void *owner, bool ok)
{
	struct rpc_stream *stream = owner;
	grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
	grpc_op greet = {.op = GRPC_OP_SEND_INITIAL_METADATA};

	rpc_server_requested(stream->server, stream, ok);
	if (!ok) {
		rpc_stream_release(stream);
		return;
	}
	note_peer(stream);
	close.data.recv_close_on_server.cancelled = &stream->cancelled;
	pthread_mutex_lock(&stream->lock);
	/* Counts as open until the handler has been asked: nothing may take the stream away. */
	stream->open_operations++;
	start(stream, &stream->closed, &close);
	start(stream, &stream->greeted, &greet);
	pthread_mutex_unlock(&stream->lock);
	open_stream(stream);
	end_operation(stream);
}

int rpc_stream_request(struct rpc_server *server, uint32_t queue_index, uint32_t method_index)
{
	struct rpc_stream *stream = stream_new(server, queue_index, method_index);
	grpc_completion_queue *queue = rpc_server_queue(server, queue_index);
	grpc_call_error error;

	if (!stream)
		return -ENOMEM;
	rpc_operation_hand_over();
	if (method_index == RPC_METHOD_UNKNOWN) {
		error = grpc_server_request_call(rpc_server_core(server), &stream->call,
			&stream->details, &stream->metadata, queue, queue, &stream->accepted);
	} else {
		error = grpc_server_request_registered_call(rpc_server_core(server),
			rpc_server_registration(server, method_index), &stream->call,
			&stream->deadline, &stream->metadata, NULL, queue, queue,
			&stream->accepted);
	}
	must(error == GRPC_CALL_OK);
	return 0;
}
