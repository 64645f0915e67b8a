/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   event thread (the library's)                     workers
 *     request headers -> exchange
 *     request body: to its receiver, piece by piece, by the same way; else thrown away
 *     plan: answers, or suspends the connection ---> queue ---> handler fills the answer
 *     sends the answer <------------------------------------------- resumes the connection
 *
 * An exchange belongs to the event thread, but from its way into the queue until the resume to the
 * worker: the library does not touch a suspended connection.
 */
#include "symbolizer-server/http/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "store/base/clock.h"
#include "store/base/deflate.h"
#include "store/base/must.h"
#include "store/base/peer.h"
#include "store/base/queue.h"
#include "store/log/log.h"
#include "symbolizer-server/http/accept.h"
#include "symbolizer-server/http/intake.h"

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
/* Smaller answers do not get shorter in packets. */
#define GZIP_BYTES_MIN 1024

struct http_server {
	struct http_server_options options;
	struct MHD_Daemon *daemon;
	struct acceptor *acceptor;
	struct queue queries; /* struct exchange */
	bool has_queue;
	pthread_t workers[WORKER_COUNT_MAX];
	uint32_t worker_count;
	atomic_bool stopping;
};

struct exchange {
	struct http_request request; /* first: is_gone gets back from here */
	struct http_answer answer;
	struct http_server *server;
	struct MHD_Connection *connection;
	int fd;
	uint64_t body_byte_count;
	struct intake intake;
	http_handle_fn handle;
	bool counted; /* as a request that waits for its answer */
	bool answered;
	char local_address[INET6_ADDRSTRLEN];
};

static bool exchange_is_gone(const struct http_request *request)
{
	const struct exchange *exchange = (const struct exchange *)(const void *)request;
	struct pollfd poll_fd = {.fd = exchange->fd, .events = POLLRDHUP};

	if (atomic_load(&exchange->server->stopping))
		return true;
	return poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static enum MHD_Result add_param(
	void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct http_request *request = context;

	(void)kind;
	if (request->param_count == HTTP_PARAM_COUNT_MAX) {
		request->too_many_params = true;
		return MHD_NO;
	}
	request->params[request->param_count++] = (struct http_param){name, value ? value : ""};
	return MHD_YES;
}

static enum MHD_Result count_host(
	void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct http_request *request = context;

	(void)kind;
	(void)value;
	request->host_count += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
	return MHD_YES;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void read_local_address(struct exchange *exchange)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	const void *bytes = NULL;

	if (getsockname(exchange->fd, (struct sockaddr *)&address, &length) < 0)
		return;
	if (address.ss_family == AF_INET)
		bytes = &((const struct sockaddr_in *)(const void *)&address)->sin_addr;
	else if (address.ss_family == AF_INET6)
		bytes = &((const struct sockaddr_in6 *)(const void *)&address)->sin6_addr;
	if (bytes &&
		inet_ntop(address.ss_family, bytes, exchange->local_address,
			sizeof(exchange->local_address)))
		exchange->request.local_address = exchange->local_address;
}

static void read_peer(struct exchange *exchange)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	struct peer peer;

	exchange->request.from_this_machine =
		getpeername(exchange->fd, (struct sockaddr *)&address, &length) == 0 &&
		peer_read((const struct sockaddr *)&address, &peer) == 0 && peer_is_loopback(&peer);
}

static uint64_t content_length(struct MHD_Connection *connection)
{
	const char *text = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);

	/* The library has refused what is no number. */
	return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static int fd_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static struct exchange *exchange_new(struct http_server *server, struct MHD_Connection *connection,
	const char *path, const char *method, const char *version)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		return NULL;
	exchange->server = server;
	exchange->connection = connection;
	exchange->fd = fd_of(connection);
	exchange->request = (struct http_request){
		.method = method,
		.path = path,
		.http_1_0 = strcmp(version, MHD_HTTP_VERSION_1_0) == 0,
		.host = header(connection, MHD_HTTP_HEADER_HOST),
		.origin = header(connection, MHD_HTTP_HEADER_ORIGIN),
		.accept = header(connection, MHD_HTTP_HEADER_ACCEPT),
		.accept_encoding = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
		.if_none_match = header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH),
		.content_range = header(connection, MHD_HTTP_HEADER_CONTENT_RANGE),
		.content_length = content_length(connection),
		.is_gone = exchange_is_gone,
	};
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_param, &exchange->request);
	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &exchange->request);
	read_local_address(exchange);
	read_peer(exchange);
	http_answer_init(&exchange->answer);
	return exchange;
}

static void exchange_free(struct exchange *exchange)
{
	if (!exchange)
		return;
	intake_done(&exchange->intake);
	http_answer_done(&exchange->answer);
	free(exchange);
}

/* An answer that cannot be made smaller goes out as it is. */
static void compress(struct exchange *exchange)
{
	struct http_answer *answer = &exchange->answer;
	struct bytes_writer small;

	if (answer->fixed_body || answer->has_file || answer->gzipped ||
		answer->body.byte_count < GZIP_BYTES_MIN)
		return;
	answer->varies = true;
	if (!accept_allows_gzip(exchange->request.accept_encoding))
		return;
	bytes_writer_init(&small, answer->body.byte_count);
	if (deflate_write_gzip(&small, answer->body.bytes, answer->body.byte_count) < 0) {
		bytes_writer_done(&small);
		return;
	}
	bytes_writer_done(&answer->body);
	answer->body = small;
	answer->gzipped = true;
}

static void finish_answer(struct exchange *exchange)
{
	http_answer_check(&exchange->answer);
	compress(exchange);
	exchange->answered = true;
}

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
	if (value && MHD_add_response_header(response, name, value) != MHD_YES)
		log_warning(0, "ignoring that header %s could not be added to an answer", name);
}

static void add_headers(struct MHD_Response *response, const struct http_answer *answer)
{
	add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->content_type);
	add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
		answer->cache_control ? answer->cache_control : "no-store");
	add_header(response, MHD_HTTP_HEADER_ETAG, answer->etag);
	if (answer->allow[0])
		add_header(response, MHD_HTTP_HEADER_ALLOW, answer->allow);
	if (answer->gzipped)
		add_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (answer->varies)
		add_header(response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	/* Names of functions come from anywhere: nothing here is ever run or shown elsewhere. */
	add_header(response, "Content-Security-Policy",
		"default-src 'self'; object-src 'none'; frame-ancestors 'self'; "
		"base-uri 'none'; form-action 'self'");
	add_header(response, "X-Content-Type-Options", "nosniff");
	add_header(response, "Referrer-Policy", "same-origin");
	add_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

static struct MHD_Response *make_response(struct http_answer *answer, size_t *ret_byte_count)
{
	struct MHD_Response *response;
	size_t byte_count = answer->fixed_byte_count;

	if (answer->has_file) {
		response = MHD_create_response_from_fd64(answer->file_byte_count, answer->file_fd);
		/* It closes the descriptor with the answer. */
		answer->has_file = !response;
		*ret_byte_count = answer->file_byte_count;
		return response;
	}

	/* The library does not write to what stays with us. */
	if (answer->fixed_body) {
		*ret_byte_count = byte_count;
		return MHD_create_response_from_buffer(
			byte_count, (void *)(uintptr_t)answer->fixed_body, MHD_RESPMEM_PERSISTENT);
	}

	uint8_t *bytes = bytes_writer_take(&answer->body, &byte_count);

	response = MHD_create_response_from_buffer(byte_count, bytes, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(bytes);
	*ret_byte_count = byte_count;
	return response;
}

static void count_request(struct exchange *exchange)
{
	struct http_counters *counters = exchange->server->options.counters;

	exchange->counted = true;
	http_count(counters, HTTP_COUNTER_REQUESTS, 1);
	http_count(counters, HTTP_COUNTER_REQUESTS_OPEN, 1);
}

static void count_gone(struct exchange *exchange)
{
	struct http_counters *counters = exchange->server->options.counters;

	if (!exchange->counted)
		return;
	http_count(counters, HTTP_COUNTER_GONE, 1);
	http_count_less(counters, HTTP_COUNTER_REQUESTS_OPEN, 1);
}

static void count_answer(struct exchange *exchange, int status, size_t byte_count)
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

static enum MHD_Result send_answer(struct exchange *exchange)
{
	int status = exchange->answer.status;
	size_t byte_count = 0;
	struct MHD_Response *response = make_response(&exchange->answer, &byte_count);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	add_headers(response, &exchange->answer);
	count_answer(exchange, status, byte_count);
	log_debug("%s %s: %d, %zu bytes", exchange->request.method, exchange->request.path, status,
		byte_count);
	result = MHD_queue_response(exchange->connection, (unsigned)status, response);
	MHD_destroy_response(response);
	return result;
}

/* Puts the connection to sleep until a worker has filled the answer. */
static enum MHD_Result hand_to_worker(struct exchange *exchange)
{
	struct http_server *server = exchange->server;

	MHD_suspend_connection(exchange->connection);
	if (queue_push(&server->queries, exchange) == 0)
		return MHD_YES;
	http_count(server->options.counters, HTTP_COUNTER_BUSY, 1);
	http_answer_error(&exchange->answer, 503, "%d queries wait already; try again in a moment",
		QUERY_COUNT_MAX);
	finish_answer(exchange);
	MHD_resume_connection(exchange->connection);
	return MHD_YES;
}

static enum MHD_Result refuse_body(struct exchange *exchange)
{
	http_answer_error(&exchange->answer, 413,
		"the body is larger than %" PRIu64 " bytes; nothing here takes one",
		REQUEST_BODY_BYTES_MAX);
	finish_answer(exchange);
	return send_answer(exchange);
}

static enum MHD_Result begin_exchange(struct exchange *exchange, void **state)
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
	finish_answer(exchange);
	return send_answer(exchange);
}

static enum MHD_Result take_body(struct exchange *exchange, const char *bytes, size_t byte_count)
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
	struct exchange *exchange = *state;
	size_t byte_count = *upload_byte_count;

	if (!exchange)
		return begin_exchange(
			exchange_new(server, connection, path, method, version), state);
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
	finish_answer(exchange);
	return send_answer(exchange);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode code)
{
	struct http_server *server = context;

	(void)code;
	if (*state)
		count_gone(*state);
	exchange_free(*state);
	*state = NULL;
	acceptor_set_idle(server->acceptor, fd_of(connection), true);
}

/* From here on FD is not ours. */
static void on_connection(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = context;

	(void)state;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED)
		acceptor_closed(server->acceptor, fd_of(connection));
	else
		acceptor_set_idle(server->acceptor, fd_of(connection), true);
}

static int take(
	void *context, int fd, const struct peer *peer, const uint8_t *bytes, size_t byte_count)
{
	struct http_server *server = context;
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	(void)peer;
	(void)bytes;
	(void)byte_count;
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

/* Decodes %XX in place, but leaves %00 as it stands: a NUL would hide what follows it. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
	char *from = text, *to = text;

	(void)context;
	(void)connection;
	while (*from) {
		unsigned value;
		char digits[3] = "";

		if (from[0] == '%' && from[1] && from[2])
			memcpy(digits, from + 1, 2);
		if (strspn(digits, "0123456789abcdefABCDEF") == 2 &&
			(value = (unsigned)strtoul(digits, NULL, 16)) != 0) {
			*to++ = (char)value;
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return (size_t)(to - text);
}

static void work_on_query(struct exchange *exchange)
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
	finish_answer(exchange);
}

static void work_on_body(struct exchange *exchange)
{
	intake_step(&exchange->intake, exchange->server->options.context, &exchange->request,
		&exchange->answer);
	if (exchange->intake.over)
		finish_answer(exchange);
}

static void *work(void *context)
{
	struct http_server *server = context;
	void *item;

	while (queue_pop(&server->queries, UINT64_MAX, &item) == 0) {
		struct exchange *exchange = item;

		if (exchange->intake.receiver)
			work_on_body(exchange);
		else
			work_on_query(exchange);
		MHD_resume_connection(exchange->connection);
	}
	return NULL;
}

static int start_workers(struct http_server *server)
{
	long cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t wanted = server->options.worker_count;

	if (wanted == 0)
		wanted = cpu_count < 2 ? 2 : cpu_count > 8 ? 8 : (uint32_t)cpu_count;
	if (wanted > WORKER_COUNT_MAX)
		wanted = WORKER_COUNT_MAX;
	while (server->worker_count < wanted) {
		int error =
			pthread_create(&server->workers[server->worker_count], NULL, work, server);

		if (error)
			return -error;
		server->worker_count++;
	}
	return 0;
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
		on_connection, server, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
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
	int r = queue_init(&server->queries, QUERY_COUNT_MAX);

	server->has_queue = r == 0;
	if (r == 0)
		r = open_port(server, connection_count_max);
	if (r == 0)
		r = start_workers(server);
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
	if (server->has_queue)
		queue_close(&server->queries);
	for (uint32_t i = 0; i < server->worker_count; i++)
		pthread_join(server->workers[i], NULL);
	/* Every connection is awake again: what was pushed was popped before the workers ended. */
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	acceptor_free(server->acceptor);
	if (server->options.listen_fd >= 0)
		close(server->options.listen_fd);
	if (server->has_queue)
		queue_done(&server->queries);
	free(server);
}

void http_server_read_connections(
	struct http_server *server, uint64_t ret_counts[ACCEPTOR_COUNTER_COUNT])
{
	acceptor_read_counts(server->acceptor, ret_counts);
}
