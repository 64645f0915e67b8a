/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/rpc/rpc_server.h"
#include "store/base/clock.h"
#include "tests/support/call_probe.h"
#include "tests/support/check.h"

#define PATIENCE_NS (20 * NS_PER_S)
#define CONNECTION_COUNT 4

/* What a client of HTTP/2 sends first, and its settings, of which there are none. */
static const char hello[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";

static int refuse(void *context, struct rpc_stream *stream, void **ret_state)
{
	(void)context;
	(void)stream;
	(void)ret_state;
	return -EACCES;
}

static void ignore(void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	(void)state;
	(void)stream;
	(void)bytes;
	(void)byte_count;
}

static const struct rpc_method methods[] = {
	{.path = "/test/Nothing", .on_open = refuse, .on_message = ignore},
	{.path = "/test/Own", .own_port_only = true, .on_open = refuse, .on_message = ignore},
};

static struct rpc_server *serve(void)
{
	struct rpc_server_options options = {
		.address = "127.0.0.1:0",
		.methods = methods,
		.method_count = sizeof(methods) / sizeof(methods[0]),
		.connection_count_max = CONNECTION_COUNT,
	};
	struct rpc_server *server;

	CHECK_EQ(rpc_server_new(&options, &server), 0);
	return server;
}

static uint64_t counted(struct rpc_server *server, enum acceptor_counter counter)
{
	uint64_t counts[ACCEPTOR_COUNTER_COUNT];

	rpc_server_read_connections(server, counts);
	return counts[counter];
}

static void wait_for_count(
	struct rpc_server *server, enum acceptor_counter counter, uint64_t wanted)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (counted(server, counter) != wanted) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(1000);
	}
}

static int say(const struct rpc_server *server, const void *words, size_t byte_count)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(rpc_server_port(server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_EQ(send(fd, words, byte_count, MSG_NOSIGNAL), (ssize_t)byte_count);
	return fd;
}

/* Whether gRPC answers, rather than anybody closing. */
static bool is_answered(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char byte;

	CHECK_EQ(poll(&poll_fd, 1, (int)(PATIENCE_NS / NS_PER_MS)), 1);
	return recv(fd, &byte, 1, 0) == 1;
}

static void a_connection_is_grpcs_once_it_speaks_http2(void)
{
	struct rpc_server *server = serve();
	int fd = say(server, hello, sizeof(hello));

	CHECK(is_answered(fd));
	CHECK_EQ(counted(server, ACCEPTOR_COUNTER_connections_open), 1);
	/* Nobody tells that gRPC has closed it; it is found out. */
	close(fd);
	wait_for_count(server, ACCEPTOR_COUNTER_connections_open, 0);
	rpc_server_free(server);
}

static void who_speaks_anything_else_is_closed_and_counted(void)
{
	static const char words[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct rpc_server *server = serve();
	int fd = say(server, words, sizeof(words));

	CHECK(!is_answered(fd));
	wait_for_count(server, ACCEPTOR_COUNTER_connections_refused_protocol, 1);
	close(fd);
	rpc_server_free(server);
}

static void those_beyond_the_limit_are_closed_until_one_goes(void)
{
	struct rpc_server *server = serve();
	int fds[CONNECTION_COUNT], fd;

	for (int i = 0; i < CONNECTION_COUNT; i++) {
		fds[i] = say(server, hello, sizeof(hello));
		CHECK(is_answered(fds[i]));
	}
	fd = say(server, hello, sizeof(hello));
	CHECK(!is_answered(fd));
	close(fd);
	CHECK_EQ(counted(server, ACCEPTOR_COUNTER_connections_refused_full), 1);
	close(fds[2]);
	wait_for_count(server, ACCEPTOR_COUNTER_connections_open, CONNECTION_COUNT - 1);
	fds[2] = say(server, hello, sizeof(hello));
	CHECK(is_answered(fds[2]));
	for (int i = 0; i < CONNECTION_COUNT; i++)
		close(fds[i]);
	rpc_server_free(server);
}

static void stopping_waits_for_clients_to_hang_up(void)
{
	struct rpc_server *server = serve();
	int fd = say(server, hello, sizeof(hello));
	uint64_t began_ns;

	CHECK(is_answered(fd));
	close(fd);
	wait_for_count(server, ACCEPTOR_COUNTER_connections_open, 0);
	fd = say(server, hello, sizeof(hello));
	CHECK(is_answered(fd));
	began_ns = clock_monotonic_ns();
	/* This one stays, and is not waited for for long. */
	CHECK_EQ(rpc_server_stop(server, PATIENCE_NS), 0);
	CHECK(clock_monotonic_ns() - began_ns >= 100 * NS_PER_MS);
	CHECK(clock_monotonic_ns() - began_ns < 10 * NS_PER_S);
	close(fd);
	rpc_server_free(server);
}

/* A port of somebody else. */
struct elsewhere {
	int listen_fd;
	uint16_t port;
};

static void elsewhere_init(struct elsewhere *elsewhere)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);

	elsewhere->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK_EQ(bind(elsewhere->listen_fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_EQ(listen(elsewhere->listen_fd, 4), 0);
	CHECK_EQ(getsockname(elsewhere->listen_fd, (struct sockaddr *)&address, &length), 0);
	elsewhere->port = ntohs(address.sin_port);
}

/* What comes in there next is the server's. */
static int move_one(struct elsewhere *elsewhere, struct rpc_server *server)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	struct peer peer;
	int fd = accept4(elsewhere->listen_fd, (struct sockaddr *)&address, &length,
		SOCK_NONBLOCK | SOCK_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(peer_read((struct sockaddr *)&address, &peer), 0);
	return rpc_server_adopt(server, fd, &peer);
}

static void a_connection_of_elsewhere_is_served(void)
{
	struct rpc_server *server = serve();
	struct elsewhere elsewhere;
	struct rpc_server_counts counts;
	struct rpc_client *client;
	struct call_probe probes[2];

	elsewhere_init(&elsewhere);
	client = probe_client(elsewhere.port);
	probe_open(&probes[0], client, "/test/Nothing");
	CHECK_EQ(move_one(&elsewhere, server), 0);
	CHECK_EQ(probe_wait_closed(&probes[0]), -EACCES);
	CHECK_EQ(counted(server, ACCEPTOR_COUNTER_connections_moved), 1);
	CHECK_EQ(counted(server, ACCEPTOR_COUNTER_connections_open), 1);
	CHECK_EQ(counted(server, ACCEPTOR_COUNTER_connections), 0);
	/* Some methods are for those who came in here. */
	probe_open(&probes[1], client, "/test/Own");
	CHECK_EQ(probe_wait_closed(&probes[1]), -ENOSYS);
	CHECK(strstr(probes[1].text, "gRPC port only"));
	rpc_server_read_counts(server, &counts);
	CHECK_EQ(counts.foreign_methods, 1);
	for (int i = 0; i < 2; i++)
		probe_close(&probes[i]);
	rpc_client_free(client);
	wait_for_count(server, ACCEPTOR_COUNTER_connections_open, 0);
	client = probe_client(rpc_server_port(server));
	probe_open(&probes[1], client, "/test/Own");
	CHECK_EQ(probe_wait_closed(&probes[1]), -EACCES);
	probe_close(&probes[1]);
	rpc_client_free(client);
	close(elsewhere.listen_fd);
	rpc_server_free(server);
}

static void a_server_that_stops_adopts_nobody(void)
{
	struct rpc_server *server = serve();
	struct elsewhere elsewhere;
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	elsewhere_init(&elsewhere);
	address.sin_port = htons(elsewhere.port);
	CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_EQ(rpc_server_stop(server, PATIENCE_NS), 0);
	CHECK_EQ(move_one(&elsewhere, server), -ESHUTDOWN);
	CHECK(!is_answered(fd));
	close(fd);
	close(elsewhere.listen_fd);
	rpc_server_free(server);
}

int main(void)
{
	RUN(a_connection_is_grpcs_once_it_speaks_http2);
	RUN(who_speaks_anything_else_is_closed_and_counted);
	RUN(those_beyond_the_limit_are_closed_until_one_goes);
	RUN(stopping_waits_for_clients_to_hang_up);
	RUN(a_connection_of_elsewhere_is_served);
	RUN(a_server_that_stops_adopts_nobody);
	return 0;
}
