/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call begins with three operations: `greeted` sends the headers, `answered` waits for the
 * server's, `finished` waits for its status. `received` goes round until there is no more message,
 * `sent` as long as some wait, `half_closed` once. The call is over when all of them are, and its
 * last message has then been delivered.
 */
#include "proto/rpc/rpc_client.h"

#include <errno.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "proto/rpc/rpc_address.h"
#include "proto/rpc/rpc_operation.h"
#include "proto/rpc/rpc_status.h"
#include "store/base/clock.h"
#include "store/base/must.h"

/* A connection that carries calls and is silent is probed this often; a server that is gone without
 * a word is found after the sum of both. */
#define KEEPALIVE_DEFAULT_NS (UINT64_C(20) * NS_PER_S)
#define KEEPALIVE_TIMEOUT_MS 10000
/* A connection attempt that takes longer is given up. */
#define CONNECT_MS 20000
/* The owner of a client decides when to try again; gRPC by itself would only after this. */
#define RECONNECT_MS 3600000

struct rpc_client {
	grpc_channel *channel;
	grpc_completion_queue *queue;
	pthread_t thread;
	bool has_thread;
	atomic_uint owners;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct rpc_call *calls;
	bool closing;
};

struct rpc_call {
	struct rpc_client *client;
	struct rpc_call *previous, *next; /* the client's list, under the client's lock */
	const struct rpc_call_events *events;
	void *context;
	grpc_call *core;
	grpc_metadata_array headers, trailers;
	grpc_byte_buffer *incoming;
	grpc_status_code status;
	grpc_slice details;
	struct rpc_operation greeted, answered, received, sent, half_closed, finished;
	atomic_uint references; /* the maker's and the client's */

	pthread_mutex_t lock;
	uint32_t open_operations;
	bool ended; /* the status is known */
	bool sending;
	bool half_closing;
	bool half_close_sent;
	struct rpc_outbox outbox; /* its first is being sent */
};

static void on_headers(void *owner, bool ok);
static void on_received(void *owner, bool ok);
static void on_sent(void *owner, bool ok);
static void on_finished(void *owner, bool ok);

static grpc_channel *make_channel(const struct rpc_client_options *options)
{
	size_t message_bytes = options->message_bytes_max ? options->message_bytes_max
							  : RPC_CLIENT_MESSAGE_BYTES_MAX;
	uint64_t keepalive_ns =
		options->keepalive_ns ? options->keepalive_ns : KEEPALIVE_DEFAULT_NS;
	grpc_arg args[] = {
		rpc_integer_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, (int)message_bytes),
		rpc_integer_arg(GRPC_ARG_KEEPALIVE_TIME_MS, (int)(keepalive_ns / NS_PER_MS)),
		rpc_integer_arg(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, KEEPALIVE_TIMEOUT_MS),
		rpc_integer_arg(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0),
		rpc_integer_arg(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, CONNECT_MS),
		rpc_integer_arg(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, RECONNECT_MS),
		rpc_integer_arg(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, RECONNECT_MS),
		/* A new client means a new connection, not one that gRPC remembers as failed. */
		rpc_integer_arg(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1),
		/* Both would keep copies of messages or ask others where to send them. */
		rpc_integer_arg(GRPC_ARG_ENABLE_RETRIES, 0),
		rpc_integer_arg(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1),
		rpc_integer_arg(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
	};
	grpc_channel_args list = {sizeof(args) / sizeof(args[0]), args};
	grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
	grpc_channel *channel = grpc_channel_create(options->server, credentials, &list);

	grpc_channel_credentials_release(credentials);
	return channel;
}

int rpc_client_new(const struct rpc_client_options *options, struct rpc_client **ret_client)
{
	struct rpc_client *client;
	sigset_t before;
	int r = rpc_address_check(options->server);

	if (r < 0)
		return r;
	client = calloc(1, sizeof(*client));
	if (!client)
		return -ENOMEM;
	client->owners = 1;
	pthread_mutex_init(&client->lock, NULL);
	pthread_cond_init(&client->changed, NULL);
	rpc_signals_block(&before);
	rpc_library_open();
	client->channel = make_channel(options);
	client->queue = grpc_completion_queue_create_for_next(NULL);
	rpc_signals_restore(&before);
	r = rpc_operation_thread(client->queue, &client->thread);
	client->has_thread = r == 0;
	if (r < 0) {
		rpc_client_free(client);
		return r;
	}
	*ret_client = client;
	return 0;
}

void rpc_client_hold(struct rpc_client *client)
{
	atomic_fetch_add(&client->owners, 1);
}

void rpc_client_cancel(struct rpc_client *client)
{
	pthread_mutex_lock(&client->lock);
	client->closing = true;
	for (struct rpc_call *call = client->calls; call; call = call->next)
		rpc_call_cancel(call);
	pthread_mutex_unlock(&client->lock);
}

void rpc_client_free(struct rpc_client *client)
{
	if (!client || atomic_fetch_sub(&client->owners, 1) != 1)
		return;
	rpc_client_cancel(client);
	pthread_mutex_lock(&client->lock);
	while (client->calls)
		pthread_cond_wait(&client->changed, &client->lock);
	pthread_mutex_unlock(&client->lock);
	grpc_completion_queue_shutdown(client->queue);
	if (client->has_thread)
		pthread_join(client->thread, NULL);
	grpc_channel_destroy(client->channel);
	grpc_completion_queue_destroy(client->queue);
	rpc_library_close();
	pthread_cond_destroy(&client->changed);
	pthread_mutex_destroy(&client->lock);
	free(client);
}

bool rpc_client_is_connected(struct rpc_client *client)
{
	return grpc_channel_check_connectivity_state(client->channel, 0) == GRPC_CHANNEL_READY;
}

static void call_release(struct rpc_call *call)
{
	if (atomic_fetch_sub(&call->references, 1) != 1)
		return;
	grpc_slice_unref(call->details);
	rpc_metadata_done(&call->headers);
	rpc_metadata_done(&call->trailers);
	pthread_mutex_destroy(&call->lock);
	free(call);
}

/* Under the lock. */
static void start(struct rpc_call *call, struct rpc_operation *operation, const grpc_op *op)
{
	call->open_operations++;
	rpc_operation_start(operation, call->core, op);
}

static void leave(struct rpc_call *call)
{
	struct rpc_client *client = call->client;

	pthread_mutex_lock(&client->lock);
	if (call->next)
		call->next->previous = call->previous;
	if (call->previous)
		call->previous->next = call->next;
	else
		client->calls = call->next;
	pthread_cond_broadcast(&client->changed);
	pthread_mutex_unlock(&client->lock);
}

static void close_call(struct rpc_call *call)
{
	char *text = grpc_slice_to_c_string(call->details);

	call->events->on_close(call->context, rpc_status_to_fault((int)call->status), text);
	gpr_free(text);
	rpc_outbox_clear(&call->outbox);
	grpc_call_unref(call->core);
	leave(call);
	call_release(call);
}

static void end_operation(struct rpc_call *call)
{
	bool last;

	pthread_mutex_lock(&call->lock);
	last = --call->open_operations == 0;
	pthread_mutex_unlock(&call->lock);
	if (last)
		close_call(call);
}

/* Under the lock: sends what comes next, a message or the end of all messages. */
static void send_next(struct rpc_call *call)
{
	grpc_op op = {0};

	if (call->ended || call->sending || call->half_close_sent)
		return;
	if (call->outbox.first) {
		op.op = GRPC_OP_SEND_MESSAGE;
		op.data.send_message.send_message = call->outbox.first->buffer;
		call->sending = true;
		start(call, &call->sent, &op);
	} else if (call->half_closing) {
		op.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
		call->half_close_sent = true;
		start(call, &call->half_closed, &op);
	}
}

/* Under the lock. */
static void read_next(struct rpc_call *call)
{
	grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};

	op.data.recv_message.recv_message = &call->incoming;
	start(call, &call->received, &op);
}

static void on_headers(void *owner, bool ok)
{
	(void)ok;
	end_operation(owner);
}

static void on_sent(void *owner, bool ok)
{
	struct rpc_call *call = owner;
	bool empty;

	pthread_mutex_lock(&call->lock);
	call->sending = false;
	rpc_outgoing_free(rpc_outbox_pop(&call->outbox));
	if (!ok)
		rpc_outbox_clear(&call->outbox);
	send_next(call);
	empty = ok && !call->sending;
	pthread_mutex_unlock(&call->lock);
	if (empty && call->events->on_sent)
		call->events->on_sent(call->context);
	end_operation(call);
}

static void deliver(struct rpc_call *call, grpc_byte_buffer *buffer)
{
	grpc_slice slice;

	if (!rpc_buffer_read(buffer, &slice)) {
		rpc_call_cancel(call);
		return;
	}
	if (call->events->on_message)
		call->events->on_message(
			call->context, GRPC_SLICE_START_PTR(slice), GRPC_SLICE_LENGTH(slice));
	grpc_slice_unref(slice);
}

static void on_received(void *owner, bool ok)
{
	struct rpc_call *call = owner;
	grpc_byte_buffer *buffer = ok ? call->incoming : NULL;

	call->incoming = NULL;
	if (buffer) {
		deliver(call, buffer);
		grpc_byte_buffer_destroy(buffer);
		pthread_mutex_lock(&call->lock);
		read_next(call);
		pthread_mutex_unlock(&call->lock);
	}
	end_operation(call);
}

static void on_finished(void *owner, bool ok)
{
	struct rpc_call *call = owner;

	(void)ok;
	pthread_mutex_lock(&call->lock);
	call->ended = true;
	pthread_mutex_unlock(&call->lock);
	end_operation(call);
}

static void start_all(struct rpc_call *call)
{
	grpc_op greet = {.op = GRPC_OP_SEND_INITIAL_METADATA};
	grpc_op answer = {.op = GRPC_OP_RECV_INITIAL_METADATA};
	grpc_op finish = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};

	answer.data.recv_initial_metadata.recv_initial_metadata = &call->headers;
	finish.data.recv_status_on_client.trailing_metadata = &call->trailers;
	finish.data.recv_status_on_client.status = &call->status;
	finish.data.recv_status_on_client.status_details = &call->details;
	pthread_mutex_lock(&call->lock);
	start(call, &call->finished, &finish);
	start(call, &call->greeted, &greet);
	start(call, &call->answered, &answer);
	read_next(call);
	pthread_mutex_unlock(&call->lock);
}

static struct rpc_call *call_new(
	struct rpc_client *client, const struct rpc_call_events *events, void *context)
{
	struct rpc_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->client = client;
	call->events = events;
	call->context = context;
	call->greeted = (struct rpc_operation){on_headers, call};
	call->answered = (struct rpc_operation){on_headers, call};
	call->received = (struct rpc_operation){on_received, call};
	call->sent = (struct rpc_operation){on_sent, call};
	call->half_closed = (struct rpc_operation){on_headers, call};
	call->finished = (struct rpc_operation){on_finished, call};
	call->references = 2;
	call->details = grpc_empty_slice();
	call->outbox.bytes_max = RPC_CALL_QUEUE_BYTES_MAX;
	grpc_metadata_array_init(&call->headers);
	grpc_metadata_array_init(&call->trailers);
	pthread_mutex_init(&call->lock, NULL);
	return call;
}

static gpr_timespec deadline_after(uint64_t timeout_ns)
{
	if (timeout_ns > INT64_MAX)
		return gpr_inf_future(GPR_CLOCK_MONOTONIC);
	return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
		gpr_time_from_nanos((int64_t)timeout_ns, GPR_TIMESPAN));
}

int rpc_call_new(struct rpc_client *client, const char *path, uint64_t timeout_ns,
	const struct rpc_call_events *events, void *context, struct rpc_call **ret_call)
{
	struct rpc_call *call = call_new(client, events, context);
	int r = 0;

	if (!call)
		return -ENOMEM;
	pthread_mutex_lock(&client->lock);
	if (client->closing) {
		r = -ESHUTDOWN;
	} else {
		call->core = grpc_channel_create_call(client->channel, NULL,
			GRPC_PROPAGATE_DEFAULTS, client->queue, grpc_slice_from_static_string(path),
			NULL, deadline_after(timeout_ns), NULL);
		call->next = client->calls;
		if (call->next)
			call->next->previous = call;
		client->calls = call;
	}
	pthread_mutex_unlock(&client->lock);
	if (r < 0) {
		call_release(call);
		call_release(call);
		return r;
	}
	*ret_call = call;
	start_all(call);
	return 0;
}

void rpc_call_cancel(struct rpc_call *call)
{
	pthread_mutex_lock(&call->lock);
	if (!call->ended)
		(void)grpc_call_cancel(call->core, NULL);
	pthread_mutex_unlock(&call->lock);
}

void rpc_call_free(struct rpc_call *call)
{
	if (!call)
		return;
	rpc_call_cancel(call);
	call_release(call);
}

int rpc_call_send(struct rpc_call *call, const void *bytes, size_t byte_count)
{
	struct rpc_outgoing *outgoing = rpc_outgoing_new(bytes, byte_count);
	int r;

	if (!outgoing)
		return -ENOMEM;
	pthread_mutex_lock(&call->lock);
	if (call->ended || call->half_closing)
		r = -EPIPE;
	else
		r = rpc_outbox_push(&call->outbox, outgoing);
	if (r == 0)
		send_next(call);
	pthread_mutex_unlock(&call->lock);
	if (r < 0)
		rpc_outgoing_free(outgoing);
	return r;
}

void rpc_call_half_close(struct rpc_call *call)
{
	pthread_mutex_lock(&call->lock);
	call->half_closing = true;
	send_next(call);
	pthread_mutex_unlock(&call->lock);
}
