/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_server.h"

#include <errno.h>
#include <grpc/grpc.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/rpc/rpc_address.h"
#include "proto/rpc/rpc_operation.h"
#include "proto/rpc/rpc_port.h"
#include "proto/rpc/rpc_stream.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/must.h"

/* A message of a megabyte above malloc's default threshold would be mapped, faulted in page by page
 * and unmapped again: five times the cost of the whole call. docs/decisions/0031 */
#define MALLOC_MMAP_BYTES (32 << 20)
#define MALLOC_TRIM_BYTES (64 << 20)

#define METHOD_COUNT_MAX 16
#define MEMORY_BYTES_DEFAULT ((size_t)128 << 20)
/* A collector has three; 4096 are a fleet of more than a thousand hosts on one server. */
#define STREAM_COUNT_DEFAULT 4096u
/* A collector has one. */
#define CONNECTION_COUNT_DEFAULT 4096u
/* Of one connection. */
#define CONCURRENT_STREAMS_MAX 100
/* A peer that is gone without a word is found after the sum of these. */
#define KEEPALIVE_MS 30000
#define KEEPALIVE_TIMEOUT_MS 20000
/* Clients may ask as often as this whether we are still there. */
#define CLIENT_PING_MS 5000
/* A connection without any call is not worth its memory for longer. */
#define IDLE_MS 600000
/* When the server stops, clients that have got their last answer hang up at once; one that does not
 * is waited for no longer than it takes to read what it was sent. */
#define LINGER_NS (300 * NS_PER_MS)

struct rpc_server {
	const struct rpc_method *methods;
	size_t method_count;
	void *registrations[METHOD_COUNT_MAX];
	grpc_server *core;
	struct rpc_port port;
	uint16_t port_number;
	uint32_t queue_count;
	grpc_completion_queue *queues[RPC_SERVER_THREADS_MAX];
	uint32_t thread_count;
	pthread_t threads[RPC_SERVER_THREADS_MAX];
	uint32_t stream_count_max;
	struct rpc_operation shut_down;
	bool stopped; /* the owner's thread only */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct rpc_stream *streams;
	uint32_t stream_count;
	uint32_t request_count; /* slots in which gRPC may put a call */
	bool stopping;
	bool is_shut_down;

	atomic_ullong streams_opened, streams_over_limit, unknown_methods, foreign_methods;
	atomic_ullong messages_received, bytes_received, messages_sent, bytes_sent;
};

grpc_server *rpc_server_core(struct rpc_server *server)
{
	return server->core;
}

grpc_completion_queue *rpc_server_queue(struct rpc_server *server, uint32_t queue_index)
{
	return server->queues[queue_index];
}

int rpc_server_peer(
	struct rpc_server *server, grpc_call *call, struct peer *ret_peer, bool *ret_adopted)
{
	return rpc_port_peer(&server->port, call, ret_peer, ret_adopted);
}

int rpc_server_adopt(struct rpc_server *server, int fd, const struct peer *peer)
{
	return rpc_port_adopt(&server->port, fd, peer);
}

const struct rpc_method *rpc_server_method(struct rpc_server *server, uint32_t method_index)
{
	return method_index == RPC_METHOD_UNKNOWN ? NULL : &server->methods[method_index];
}

void *rpc_server_registration(struct rpc_server *server, uint32_t method_index)
{
	return server->registrations[method_index];
}

void rpc_server_count_received(struct rpc_server *server, size_t byte_count)
{
	atomic_fetch_add(&server->messages_received, 1);
	atomic_fetch_add(&server->bytes_received, byte_count);
}

void rpc_server_count_sent(struct rpc_server *server, size_t byte_count)
{
	atomic_fetch_add(&server->messages_sent, 1);
	atomic_fetch_add(&server->bytes_sent, byte_count);
}

void rpc_server_count_unknown(struct rpc_server *server)
{
	atomic_fetch_add(&server->unknown_methods, 1);
}

void rpc_server_count_foreign(struct rpc_server *server)
{
	atomic_fetch_add(&server->foreign_methods, 1);
}

/* One more slot, unless the server stops: asking gRPC for a call after that is forbidden. */
static int request(struct rpc_server *server, uint32_t queue_index, uint32_t method_index)
{
	int r = 0;

	pthread_mutex_lock(&server->lock);
	if (!server->stopping) {
		r = rpc_stream_request(server, queue_index, method_index);
		if (r == 0)
			server->request_count++;
	}
	pthread_mutex_unlock(&server->lock);
	return r;
}

void rpc_server_requested(struct rpc_server *server, const struct rpc_stream *stream, bool ok)
{
	pthread_mutex_lock(&server->lock);
	server->request_count--;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
	/* Without memory for a slot this method would be deaf for ever; nothing sensible is left.
	 */
	if (ok)
		must(request(server, stream->queue_index, stream->method_index) == 0);
}

int rpc_server_enter(struct rpc_server *server, struct rpc_stream *stream)
{
	int r = 0;

	pthread_mutex_lock(&server->lock);
	stream->next = server->streams;
	if (stream->next)
		stream->next->previous = stream;
	server->streams = stream;
	server->stream_count++;
	if (server->stopping)
		r = -ESHUTDOWN;
	else if (server->stream_count > server->stream_count_max)
		r = -ENOBUFS;
	pthread_mutex_unlock(&server->lock);
	atomic_fetch_add(r == -ENOBUFS ? &server->streams_over_limit : &server->streams_opened, 1);
	return r;
}

void rpc_server_leave(struct rpc_server *server, struct rpc_stream *stream)
{
	pthread_mutex_lock(&server->lock);
	if (stream->next)
		stream->next->previous = stream->previous;
	if (stream->previous)
		stream->previous->next = stream->next;
	else
		server->streams = stream->next;
	server->stream_count--;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
}

static grpc_arg quota_arg(grpc_resource_quota *quota)
{
	grpc_arg arg = rpc_integer_arg(GRPC_ARG_RESOURCE_QUOTA, 0);

	arg.type = GRPC_ARG_POINTER;
	arg.value.pointer.p = quota;
	arg.value.pointer.vtable = grpc_resource_quota_arg_vtable();
	return arg;
}

static grpc_server *make_core(const struct rpc_server_options *options)
{
	size_t message_bytes =
		options->message_bytes_max ? options->message_bytes_max : RPC_MESSAGE_BYTES_MAX;
	grpc_resource_quota *quota = grpc_resource_quota_create("cairn");
	grpc_arg args[] = {
		rpc_integer_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, (int)message_bytes),
		rpc_integer_arg(GRPC_ARG_MAX_CONCURRENT_STREAMS, CONCURRENT_STREAMS_MAX),
		rpc_integer_arg(GRPC_ARG_KEEPALIVE_TIME_MS, KEEPALIVE_MS),
		rpc_integer_arg(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, KEEPALIVE_TIMEOUT_MS),
		rpc_integer_arg(
			GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, CLIENT_PING_MS),
		rpc_integer_arg(GRPC_ARG_MAX_CONNECTION_IDLE_MS, IDLE_MS),
		quota_arg(quota),
	};
	grpc_channel_args list = {sizeof(args) / sizeof(args[0]), args};
	grpc_server *core;

	grpc_resource_quota_resize(quota,
		options->memory_bytes_max ? options->memory_bytes_max : MEMORY_BYTES_DEFAULT);
	core = grpc_server_create(&list, NULL);
	grpc_resource_quota_unref(quota);
	return core;
}

static uint32_t choose_thread_count(uint32_t wanted)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (wanted == 0)
		wanted = cpus > 0 ? (uint32_t)cpus : 1;
	return wanted < RPC_SERVER_THREADS_MAX ? wanted : RPC_SERVER_THREADS_MAX;
}

static void on_shut_down(void *owner, bool ok)
{
	struct rpc_server *server = owner;

	(void)ok;
	pthread_mutex_lock(&server->lock);
	server->is_shut_down = true;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
}

/* Queues and threads come first: from here on rpc_server_stop can end whatever was begun. */
static int start_threads(struct rpc_server *server, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int r;

		server->queues[i] = grpc_completion_queue_create_for_next(NULL);
		server->queue_count++;
		r = rpc_operation_thread(server->queues[i], &server->threads[i]);
		if (r < 0)
			return r;
		server->thread_count++;
	}
	return 0;
}

/* Asks for calls of every method, and of none, on every queue. */
static int serve(struct rpc_server *server)
{
	int r = 0;

	grpc_server_start(server->core);
	for (uint32_t queue = 0; r == 0 && queue < server->queue_count; queue++) {
		for (uint32_t i = 0; r == 0 && i < server->method_count; i++)
			r = request(server, queue, i);
		if (r == 0)
			r = request(server, queue, RPC_METHOD_UNKNOWN);
	}
	return r;
}

static int start_server(struct rpc_server *server, const struct rpc_server_options *options)
{
	int r = start_threads(server, choose_thread_count(options->thread_count));
	SCOPED_FD int listen_fd = -1;

	if (r < 0)
		return r;
	server->core = make_core(options);
	for (uint32_t i = 0; i < server->queue_count; i++)
		grpc_server_register_completion_queue(server->core, server->queues[i], NULL);
	for (size_t i = 0; i < server->method_count; i++)
		server->registrations[i] = grpc_server_register_method(
			server->core, server->methods[i].path, NULL, GRPC_SRM_PAYLOAD_NONE, 0);
	r = rpc_address_listen(options->address, &listen_fd, &server->port_number);
	if (r == 0)
		r = serve(server);
	if (r < 0)
		return r;
	return rpc_port_open(&server->port, server->core, TAKE_FD(listen_fd),
		options->connection_count_max ? options->connection_count_max
					      : CONNECTION_COUNT_DEFAULT);
}

static void init_locks(struct rpc_server *server)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&server->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&server->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

int rpc_server_new(const struct rpc_server_options *options, struct rpc_server **ret_server)
{
	struct rpc_server *server;
	sigset_t before;
	int r = rpc_address_check(options->address);

	must(options->method_count <= METHOD_COUNT_MAX);
	if (r < 0)
		return r;
	server = calloc(1, sizeof(*server));
	if (!server)
		return -ENOMEM;
	/* NOLINTBEGIN(concurrency-mt-unsafe): the header asks for it early. */
	(void)mallopt(M_MMAP_THRESHOLD, MALLOC_MMAP_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, MALLOC_TRIM_BYTES);
	/* NOLINTEND(concurrency-mt-unsafe) */
	server->methods = options->methods;
	server->method_count = options->method_count;
	server->stream_count_max =
		options->stream_count_max ? options->stream_count_max : STREAM_COUNT_DEFAULT;
	server->shut_down = (struct rpc_operation){on_shut_down, server};
	init_locks(server);
	rpc_signals_block(&before);
	rpc_library_open();
	r = start_server(server, options);
	rpc_signals_restore(&before);
	if (r < 0) {
		rpc_server_free(server);
		return r;
	}
	*ret_server = server;
	return 0;
}

uint16_t rpc_server_port(const struct rpc_server *server)
{
	return server->port_number;
}

void rpc_server_read_counts(struct rpc_server *server, struct rpc_server_counts *ret_counts)
{
	uint32_t open;

	pthread_mutex_lock(&server->lock);
	open = server->stream_count;
	pthread_mutex_unlock(&server->lock);
	*ret_counts = (struct rpc_server_counts){
		.streams_opened = server->streams_opened,
		.streams_open = open,
		.streams_over_limit = server->streams_over_limit,
		.unknown_methods = server->unknown_methods,
		.foreign_methods = server->foreign_methods,
		.messages_received = server->messages_received,
		.bytes_received = server->bytes_received,
		.messages_sent = server->messages_sent,
		.bytes_sent = server->bytes_sent,
	};
}

void rpc_server_read_connections(
	struct rpc_server *server, uint64_t ret_counts[ACCEPTOR_COUNTER_COUNT])
{
	acceptor_read_counts(server->port.acceptor, ret_counts);
}

/* Waits under the lock until no stream is open. -ETIMEDOUT. */
static int wait_for_streams(struct rpc_server *server, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_monotonic_ns();
	struct timespec until;

	until_ns = timeout_ns > UINT64_MAX / 2 ? UINT64_MAX / 2 : until_ns + timeout_ns;
	until.tv_sec = (time_t)(until_ns / NS_PER_S);
	until.tv_nsec = (long)(until_ns % NS_PER_S);
	while (server->stream_count > 0) {
		if (pthread_cond_timedwait(&server->changed, &server->lock, &until) == ETIMEDOUT)
			return server->stream_count > 0 ? -ETIMEDOUT : 0;
	}
	return 0;
}

/* Ends all that gRPC does for this server: streams, slots, listening. Needs the threads. */
static int drain(struct rpc_server *server, uint64_t timeout_ns)
{
	int r;

	rpc_port_stop(&server->port);
	pthread_mutex_lock(&server->lock);
	server->stopping = true;
	for (struct rpc_stream *stream = server->streams; stream; stream = stream->next)
		rpc_stream_stop(stream);
	r = wait_for_streams(server, timeout_ns);
	pthread_mutex_unlock(&server->lock);
	/* From here on gRPC closes connections. */
	if (r == 0)
		rpc_port_linger(&server->port, LINGER_NS < timeout_ns ? LINGER_NS : timeout_ns);
	pthread_mutex_lock(&server->lock);
	rpc_operation_hand_over();
	grpc_server_shutdown_and_notify(server->core, server->queues[0], &server->shut_down);
	/* Those that are still open by now end: left alone, gRPC would wait 20 s for each client to
	 * agree that it closes an idle connection. */
	grpc_server_cancel_all_calls(server->core);
	while (server->stream_count > 0 || server->request_count > 0 || !server->is_shut_down)
		pthread_cond_wait(&server->changed, &server->lock);
	pthread_mutex_unlock(&server->lock);
	return r;
}

int rpc_server_stop(struct rpc_server *server, uint64_t timeout_ns)
{
	int r;

	if (server->stopped)
		return 0;
	server->stopped = true;
	r = server->core ? drain(server, timeout_ns) : 0;
	for (uint32_t i = 0; i < server->queue_count; i++)
		grpc_completion_queue_shutdown(server->queues[i]);
	for (uint32_t i = 0; i < server->thread_count; i++)
		pthread_join(server->threads[i], NULL);
	return r;
}

void rpc_server_free(struct rpc_server *server)
{
	if (!server)
		return;
	(void)rpc_server_stop(server, 0);
	if (server->core)
		grpc_server_destroy(server->core);
	rpc_port_close(&server->port);
	for (uint32_t i = 0; i < server->queue_count; i++)
		grpc_completion_queue_destroy(server->queues[i]);
	rpc_library_close();
	pthread_cond_destroy(&server->changed);
	pthread_mutex_destroy(&server->lock);
	free(server);
}
