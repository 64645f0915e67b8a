/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   event thread (the library's)                     workers: a crew for queries, one for bodies
 *     request headers -> exchange
 *     request body: to its receiver, piece by piece, by the same way; else thrown away
 *     plan: answers, or suspends the connection ---> queue ---> handler fills the answer
 *     sends the answer <------------------------------------------- resumes the connection,
 *                                                                   or whoever fills it later
 *
 * An exchange belongs to the event thread, but from its way into the queue until the resume to the
 * worker: the library does not touch a suspended connection.
 */
#include "symbolizer-server/http/http_server.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <microhttpd.h>

#include "store/base/clock.h"
#include "store/base/must.h"
#include "store/base/peer.h"
#include "store/base/queue.h"
#include "store/log/log.h"
#include "symbolizer-server/http/http_exchange.h"

/* Browsers open six; a fleet's dashboards a few hundred. */
#define CONNECTION_COUNT_MAX 1024u
/* One host alone does not get them all; many people may sit behind one address. */
#define HOST_SHARE 4
/* For this machine alone, so that it can always look at the server. */
#define LOOPBACK_SHARE 16
/* A new connection that does not begin its request for this long is closed. Browsers open some ahead
 * of need, and open them again. */
#define SILENCE_NS_MAX (10 * NS_PER_S)
/* A connection that says nothing for this long is closed. */
#define CONNECTION_IDLE_SECONDS 60
/* Request line and headers, and what is being sent. The library maps larger pools anew for every
 * connection, which costs twenty times the request. */
#define CONNECTION_MEMORY_BYTES (32u << 10)
/* What is read of a body that no route takes, before the client is cut off. */
#define REQUEST_BODY_BYTES_MAX (UINT64_C(1) << 20)
/* Queries that wait for a worker. A person's page asks for four at a time. */
#define QUERY_COUNT_MAX 256
#define WORKER_COUNT_MAX 64
/* Uploads come by themselves, and people wait for queries: those go first where both want the CPU. */
#define BODY_NICENESS 5

/* Workers and what waits for them. Bodies have their own: a fleet that uploads keeps no query waiting. */
struct crew {
	struct queue waiting; /* struct http_exchange */
	bool has_queue;
	pthread_t workers[WORKER_COUNT_MAX];
	uint32_t worker_count;
};

struct http_server {
	struct http_server_options options;
	struct MHD_Daemon *daemon;
	struct acceptor *acceptor;
	struct crew queries, bodies;
	atomic_bool stopping;
	pthread_mutex_t later_lock;
	pthread_cond_t later_changed;
	uint32_t later_count; /* exchanges whose answer comes later */
};

static void count_request(struct http_exchange *exchange)
{
	struct http_counters *counters = exchange->server->options.counters;

	exchange->counted = true;
	http_count(counters, HTTP_COUNTER_REQUESTS, 1);
	http_count(counters, HTTP_COUNTER_REQUESTS_OPEN, 1);
}

static void count_gone(struct http_exchange *exchange)
{
	struct http_counters *counters = exchange->server->options.counters;

	if (!exchange->counted)
		return;
	http_count(counters, HTTP_COUNTER_GONE, 1);
	http_count_less(counters, HTTP_COUNTER_REQUESTS_OPEN, 1);
}

static void count_answer(struct http_exchange *exchange, int status, size_t byte_count)
{
	struct http_counters *counters = exchange->server->options.counters;

	exchange->counted = false;
	http_count_less(counters, HTTP_COUNTER_REQUESTS_OPEN, 1);
	http_count(counters,
		status < 400	       ? HTTP_COUNTER_ANSWERS_GOOD
			: status < 500 ? HTTP_COUNTER_ANSWERS_REFUSED
				       : HTTP_COUNTER_ANSWERS_FAILED,
		1);
	http_count(counters, HTTP_COUNTER_BODY_BYTES, byte_count);
}

static enum MHD_Result send_answer(struct http_exchange *exchange)
{
	int status = exchange->answer.status;
	size_t byte_count = 0;
	struct MHD_Response *response = http_exchange_response(exchange, &byte_count);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	count_answer(exchange, status, byte_count);
	log_debug("%s %s: %d, %zu bytes", exchange->request.method, exchange->request.path, status,
		byte_count);
	result = MHD_queue_response(exchange->connection, (unsigned)status, response);
	MHD_destroy_response(response);
	return result;
}

/* Puts the connection to sleep until a worker has filled the answer. */
static enum MHD_Result hand_to_worker(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	struct crew *crew = exchange->intake.receiver ? &server->bodies : &server->queries;

	MHD_suspend_connection(exchange->connection);
	if (queue_push(&crew->waiting, exchange) == 0)
		return MHD_YES;
	http_count(server->options.counters, HTTP_COUNTER_BUSY, 1);
	http_answer_error(&exchange->answer, 503, "%d queries wait already; try again in a moment",
		QUERY_COUNT_MAX);
	exchange->answer.retry_after_seconds = 1;
	http_exchange_finish(exchange);
	MHD_resume_connection(exchange->connection);
	return MHD_YES;
}

static enum MHD_Result refuse_body(struct http_exchange *exchange)
{
	http_answer_error(&exchange->answer, 413,
		"the body is larger than %" PRIu64 " bytes; nothing here takes one",
		REQUEST_BODY_BYTES_MAX);
	http_exchange_finish(exchange);
	return send_answer(exchange);
}

static struct http_exchange *new_exchange(struct http_server *server,
	struct MHD_Connection *connection, const char *path, const char *method,
	const char *version)
{
	struct http_exchange *exchange = http_exchange_new(connection, path, method, version);

	if (!exchange)
		return NULL;
	exchange->server = server;
	exchange->stopping = &server->stopping;
	return exchange;
}

static enum MHD_Result begin_exchange(struct http_exchange *exchange, void **state)
{
	struct http_server *server;
	const struct http_receiver *receiver = NULL;
	bool refused, has_length;

	if (!exchange)
		return MHD_NO;
	*state = exchange;
	server = exchange->server;
	has_length = exchange->request.content_length != UINT64_MAX;
	refused = server->options.receive &&
		server->options.receive(
			server->options.context, &exchange->request, &exchange->answer, &receiver);
	if (!refused && !receiver &&
		(!has_length || exchange->request.content_length <= REQUEST_BODY_BYTES_MAX))
		return MHD_YES;
	/* What is refused is refused unread. Any other answer has to wait for the next call: given
	 * now, it would cost the client its connection. */
	count_request(exchange);
	if (receiver) {
		acceptor_set_idle(server->acceptor, exchange->fd, false);
		intake_init(&exchange->intake, receiver);
		return MHD_YES;
	}
	if (!refused)
		return refuse_body(exchange);
	http_exchange_finish(exchange);
	return send_answer(exchange);
}

static enum MHD_Result take_body(
	struct http_exchange *exchange, const char *bytes, size_t byte_count)
{
	exchange->body_byte_count += byte_count;
	if (exchange->intake.receiver && !exchange->answered)
		return intake_fill(&exchange->intake, bytes, byte_count) ? hand_to_worker(exchange)
									 : MHD_YES;
	/* Without a length there is no telling when it would end. */
	if (exchange->request.content_length != UINT64_MAX)
		return MHD_YES;
	return exchange->body_byte_count > REQUEST_BODY_BYTES_MAX ? MHD_NO : MHD_YES;
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd has fixed what it passes. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
	const char *path, const char *method, const char *version, const char *upload,
	size_t *upload_byte_count, void **state)
{
	struct http_server *server = context;
	struct http_exchange *exchange = *state;
	size_t byte_count = *upload_byte_count;

	if (!exchange)
		return begin_exchange(
			new_exchange(server, connection, path, method, version), state);
	*upload_byte_count = 0;
	if (byte_count > 0)
		return take_body(exchange, upload, byte_count);
	if (exchange->answered)
		return send_answer(exchange);
	if (exchange->intake.receiver) {
		exchange->intake.ended = true;
		return hand_to_worker(exchange);
	}
	count_request(exchange);
	/* Until it has its answer nobody displaces it. */
	acceptor_set_idle(server->acceptor, exchange->fd, false);
	exchange->handle = server->options.plan(
		server->options.context, &exchange->request, &exchange->answer);
	if (exchange->handle)
		return hand_to_worker(exchange);
	http_exchange_finish(exchange);
	return send_answer(exchange);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode code)
{
	struct http_server *server = context;

	(void)code;
	if (*state)
		count_gone(*state);
	http_exchange_free(*state);
	*state = NULL;
	acceptor_set_idle(server->acceptor, http_exchange_fd(connection), true);
}

/* From here on FD is not ours. */
static void on_connection(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = context;

	(void)state;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED)
		acceptor_closed(server->acceptor, http_exchange_fd(connection));
	else
		acceptor_set_idle(server->acceptor, http_exchange_fd(connection), true);
}

/* A method is made of printable characters, and an empty line may stand before it. What begins with
 * another byte (TLS does) would only wait for an answer. */
static bool may_be_http(uint8_t first)
{
	return (first > ' ' && first < 0x7f) || first == '\r' || first == '\n';
}

static int take(
	void *context, int fd, const struct peer *peer, const uint8_t *bytes, size_t byte_count)
{
	struct http_server *server = context;
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	(void)peer;
	(void)byte_count;
	if (!may_be_http(bytes[0])) {
		close(fd);
		return -EPROTO;
	}
	if (getpeername(fd, (struct sockaddr *)&address, &length) < 0) {
		close(fd);
		return -ENOTCONN;
	}
	/* It closes the descriptor where it fails. */
	return MHD_add_connection(server->daemon, fd, (struct sockaddr *)&address, length) ==
			MHD_YES
		? 0
		: -ENOBUFS;
}

static void on_library_log(void *context, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Mostly clients that went away in the middle of something. */
static void on_library_log(void *context, const char *format, va_list arguments)
{
	char line[512];

	(void)context;
	vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = '\0';
	log_debug("http: %s", line);
}

static void work_on_query(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	struct http_counters *counters = server->options.counters;

	http_count(counters, HTTP_COUNTER_QUERIES, 1);
	http_count(counters, HTTP_COUNTER_QUERIES_RUNNING, 1);
	exchange->handle(server->options.context, &exchange->request, &exchange->answer);
	http_count_less(counters, HTTP_COUNTER_QUERIES_RUNNING, 1);
	http_count(counters,
		exchange->answer.status == HTTP_STATUS_CLIENT_GONE ? HTTP_COUNTER_CANCELLED
								   : HTTP_COUNTER_QUERIES_ANSWERED,
		1);
	http_exchange_finish(exchange);
}

static void count_later(struct http_server *server, int32_t change)
{
	pthread_mutex_lock(&server->later_lock);
	server->later_count += (uint32_t)change;
	pthread_cond_signal(&server->later_changed);
	pthread_mutex_unlock(&server->later_lock);
}

/* Whoever of the two comes last owns the exchange, and sends the answer. */
static void settle(void *context)
{
	struct http_exchange *exchange = context;
	struct http_server *server = exchange->server;

	if (atomic_fetch_add(&exchange->settled, 1) == 0)
		return;
	http_exchange_finish(exchange);
	MHD_resume_connection(exchange->connection);
	count_later(server, -1);
}

static void work_on_body(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	struct intake *intake = &exchange->intake;
	const struct intake_place place = {
		server->options.context, &exchange->request, {settle, exchange}};

	/* Before anybody can settle it. */
	count_later(server, 1);
	intake_step(intake, &place, &exchange->answer);
	if (intake->waiting) {
		settle(exchange);
		return;
	}
	if (intake->over)
		http_exchange_finish(exchange);
	MHD_resume_connection(exchange->connection);
	count_later(server, -1);
}

static void *work_on_queries(void *context)
{
	struct http_server *server = context;
	void *item;

	while (queue_pop(&server->queries.waiting, UINT64_MAX, &item) == 0) {
		struct http_exchange *exchange = item;

		work_on_query(exchange);
		MHD_resume_connection(exchange->connection);
	}
	return NULL;
}

static void *work_on_bodies(void *context)
{
	struct http_server *server = context;
	int thread = (int)syscall(SYS_gettid);
	void *item;

	/* On Linux it is of this thread alone. */
	(void)setpriority(PRIO_PROCESS, (id_t)thread,
		getpriority(PRIO_PROCESS, (id_t)thread) + BODY_NICENESS);
	while (queue_pop(&server->bodies.waiting, UINT64_MAX, &item) == 0)
		work_on_body(item);
	return NULL;
}

/* The store answers all that it took, so that this ends. */
static void wait_for_later(struct http_server *server)
{
	pthread_mutex_lock(&server->later_lock);
	while (server->later_count > 0)
		pthread_cond_wait(&server->later_changed, &server->later_lock);
	pthread_mutex_unlock(&server->later_lock);
}

static int start_crew(struct http_server *server, struct crew *crew, size_t waiting_max,
	void *(*work)(void *context))
{
	long cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t wanted = server->options.worker_count;
	int r;

	if (wanted == 0)
		wanted = cpu_count < 2 ? 2 : cpu_count > 8 ? 8 : (uint32_t)cpu_count;
	if (wanted > WORKER_COUNT_MAX)
		wanted = WORKER_COUNT_MAX;
	r = queue_init(&crew->waiting, waiting_max);
	crew->has_queue = r == 0;
	while (r == 0 && crew->worker_count < wanted) {
		r = -pthread_create(&crew->workers[crew->worker_count], NULL, work, server);
		crew->worker_count += r == 0;
	}
	return r;
}

/* What waits is still worked on. */
static void end_crew(struct crew *crew)
{
	if (crew->has_queue)
		queue_close(&crew->waiting);
	for (uint32_t i = 0; i < crew->worker_count; i++)
		pthread_join(crew->workers[i], NULL);
}

static int start_daemon(struct http_server *server, uint32_t connection_count_max)
{
	const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
		MHD_USE_ITC | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET;

	/* Its own limit leaves room for those that were told to go. */
	server->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, server,
		MHD_OPTION_EXTERNAL_LOGGER, on_library_log, NULL, MHD_OPTION_CONNECTION_LIMIT,
		2 * connection_count_max, MHD_OPTION_CONNECTION_TIMEOUT, CONNECTION_IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY_BYTES,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, server, MHD_OPTION_UNESCAPE_CALLBACK, http_exchange_unescape, NULL,
		MHD_OPTION_END);
	return server->daemon ? 0 : -EIO;
}

static int open_port(struct http_server *server, uint32_t connection_count_max)
{
	struct acceptor_options options = {
		.listen_fd = server->options.listen_fd,
		.limits = {.count_max = connection_count_max,
			.host_count_max = connection_count_max / HOST_SHARE,
			.loopback_count = connection_count_max / LOOPBACK_SHARE},
		.first_byte_count = 1,
		.silence_ns_max = SILENCE_NS_MAX,
		.take = take,
		.context = server,
		.other_words = server->options.other_words,
		.pass = server->options.pass,
		.pass_context = server->options.pass_context,
		.tells = true,
	};

	server->options.listen_fd = -1;
	return acceptor_new(&options, &server->acceptor);
}

static int start_parts(struct http_server *server)
{
	uint32_t connection_count_max = server->options.connection_count_max
		? server->options.connection_count_max
		: CONNECTION_COUNT_MAX;
	int r = open_port(server, connection_count_max);

	if (r == 0)
		r = start_crew(server, &server->queries, QUERY_COUNT_MAX, work_on_queries);
	/* There may be one of each connection, those that are leaving included. */
	if (r == 0)
		r = start_crew(
			server, &server->bodies, 2 * (size_t)connection_count_max, work_on_bodies);
	if (r == 0)
		r = start_daemon(server, connection_count_max);
	return r < 0 ? r : acceptor_start(server->acceptor);
}

int http_server_new(const struct http_server_options *options, struct http_server **ret_server)
{
	struct http_server *server = calloc(1, sizeof(*server));
	int r;

	if (!server) {
		close(options->listen_fd);
		return -ENOMEM;
	}
	server->options = *options;
	pthread_mutex_init(&server->later_lock, NULL);
	pthread_cond_init(&server->later_changed, NULL);
	r = start_parts(server);
	if (r < 0) {
		http_server_free(server);
		return r;
	}
	*ret_server = server;
	return 0;
}

void http_server_free(struct http_server *server)
{
	if (!server)
		return;
	if (server->acceptor)
		acceptor_stop(server->acceptor);
	atomic_store(&server->stopping, true);
	end_crew(&server->queries);
	end_crew(&server->bodies);
	wait_for_later(server);
	/* Every connection is awake again: what was pushed was popped before the workers ended. */
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	acceptor_free(server->acceptor);
	if (server->options.listen_fd >= 0)
		close(server->options.listen_fd);
	if (server->queries.has_queue)
		queue_done(&server->queries.waiting);
	if (server->bodies.has_queue)
		queue_done(&server->bodies.waiting);
	pthread_cond_destroy(&server->later_changed);
	pthread_mutex_destroy(&server->later_lock);
	free(server);
}

void http_server_read_connections(
	struct http_server *server, uint64_t ret_counts[ACCEPTOR_COUNTER_COUNT])
{
	acceptor_read_counts(server->acceptor, ret_counts);
}
