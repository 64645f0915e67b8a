/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/call_probe.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#define PATIENCE_NS (UINT64_C(20) * NS_PER_S)
#define STREAM_COUNT 20
#define MESSAGE_COUNT 100

static atomic_int open_count, close_count, half_close_count;

/* /test/Echo sends back what comes. */
static int echo_open(void *context, struct rpc_stream *stream, void **ret_state)
{
	atomic_fetch_add(&open_count, 1);
	*ret_state = context;
	rpc_stream_read(stream);
	return 0;
}

static void echo_message(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	(void)state;
	CHECK(rpc_stream_is_loopback(stream));
	CHECK_EQ(rpc_stream_send(stream, bytes, byte_count), 0);
	rpc_stream_read(stream);
}

static void echo_half_close(void *state, struct rpc_stream *stream)
{
	(void)state;
	atomic_fetch_add(&half_close_count, 1);
	rpc_stream_finish(stream, 0, "all echoed");
}

static void echo_close(void *state, struct rpc_stream *stream)
{
	(void)state;
	(void)stream;
	atomic_fetch_add(&close_count, 1);
}

/* /test/Refuse opens nothing. */
static int refuse_open(void *context, struct rpc_stream *stream, void **ret_state)
{
	(void)context;
	(void)stream;
	(void)ret_state;
	return -EACCES;
}

/* /test/Deaf never reads and does not care that the server stops. */
static int deaf_open(void *context, struct rpc_stream *stream, void **ret_state)
{
	(void)stream;
	atomic_fetch_add(&open_count, 1);
	*ret_state = context;
	return 0;
}

static void deaf_message(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	(void)state;
	(void)stream;
	(void)bytes;
	(void)byte_count;
}

static void deaf_stop(void *state, struct rpc_stream *stream)
{
	(void)state;
	(void)stream;
}

/* /test/Hold gives its stream to the test. */
static _Atomic(struct rpc_stream *) held;

static int hold_open(void *context, struct rpc_stream *stream, void **ret_state)
{
	*ret_state = context;
	rpc_stream_hold(stream);
	held = stream;
	rpc_stream_read(stream);
	return 0;
}

static void hold_wake(void *state, struct rpc_stream *stream)
{
	(void)state;
	CHECK_EQ(rpc_stream_send(stream, "awake", 5), 0);
}

/* Answers only when the server stops, as a handler does that waits for its disk. */
static void hold_stop(void *state, struct rpc_stream *stream)
{
	int r = rpc_stream_send(stream, "at last", 7);

	(void)state;
	CHECK(r == 0 || r == -EPIPE);
	rpc_stream_finish(stream, -ENOTCONN, "stopping");
}

static const struct rpc_method methods[] = {
	{.path = "/test/Echo",
		.on_open = echo_open,
		.on_message = echo_message,
		.on_half_close = echo_half_close,
		.on_close = echo_close},
	{.path = "/test/Refuse", .on_open = refuse_open, .on_message = echo_message},
	{.path = "/test/Deaf",
		.on_open = deaf_open,
		.on_message = deaf_message,
		.on_half_close = deaf_stop,
		.on_stop = deaf_stop,
		.on_close = echo_close},
	{.path = "/test/Hold",
		.on_open = hold_open,
		.on_message = deaf_message,
		.on_wake = hold_wake,
		.on_stop = hold_stop,
		.on_close = echo_close},
};

static struct rpc_server *serve(const char *address, uint32_t stream_count_max)
{
	struct rpc_server_options options = {.address = address,
		.methods = methods,
		.method_count = sizeof(methods) / sizeof(methods[0]),
		.thread_count = 2,
		.stream_count_max = stream_count_max};
	struct rpc_server *server = NULL;

	open_count = close_count = half_close_count = 0;
	held = NULL;
	CHECK_EQ(rpc_server_new(&options, &server), 0);
	CHECK(rpc_server_port(server) > 0);
	return server;
}

static void wait_for(atomic_int *value, int wanted)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (atomic_load(value) < wanted) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(1000);
	}
}

static void messages_come_back_whole_and_in_order(void)
{
	static uint8_t large[3 << 20];
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct rpc_server_counts counts;
	struct call_probe probe;

	memset(large, 7, sizeof(large));
	probe_open(&probe, client, "/test/Echo");
	for (uint32_t i = 0; i < MESSAGE_COUNT; i++)
		probe_send(&probe, &i, sizeof(i));
	probe_send(&probe, large, sizeof(large));
	probe_send(&probe, "", 0);
	rpc_call_half_close(probe.call);
	CHECK_EQ(rpc_call_send(probe.call, "late", 4), -EPIPE);
	CHECK_EQ(probe_wait_closed(&probe), 0);
	CHECK_STR(probe.text, "all echoed");
	CHECK_EQ(probe.message_count, MESSAGE_COUNT + 2);
	for (uint32_t i = 0; i < MESSAGE_COUNT; i++)
		CHECK(memcmp(probe.messages[i].bytes, &i, sizeof(i)) == 0);
	CHECK_EQ(probe.messages[MESSAGE_COUNT].byte_count, sizeof(large));
	CHECK(memcmp(probe.messages[MESSAGE_COUNT].bytes, large, sizeof(large)) == 0);
	CHECK_EQ(probe.messages[MESSAGE_COUNT + 1].byte_count, 0);
	CHECK(rpc_client_is_connected(client));
	probe_close(&probe);
	rpc_client_free(client);
	rpc_server_read_counts(server, &counts);
	CHECK_EQ(counts.streams_opened, 1);
	CHECK_EQ(counts.messages_received, MESSAGE_COUNT + 2);
	CHECK_EQ(counts.bytes_sent, counts.bytes_received);
	CHECK_EQ(rpc_server_stop(server, PATIENCE_NS), 0);
	rpc_server_read_counts(server, &counts);
	CHECK_EQ(counts.streams_open, 0);
	rpc_server_free(server);
	CHECK_EQ(close_count, 1);
}

static void many_streams_go_side_by_side(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *clients[2] = {
		probe_client(rpc_server_port(server)), probe_client(rpc_server_port(server))};
	struct call_probe probes[STREAM_COUNT];

	for (int i = 0; i < STREAM_COUNT; i++)
		probe_open(&probes[i], clients[i % 2], "/test/Echo");
	for (uint32_t i = 0; i < MESSAGE_COUNT; i++) {
		for (int j = 0; j < STREAM_COUNT; j++)
			probe_send(&probes[j], &i, sizeof(i));
	}
	for (int i = 0; i < STREAM_COUNT; i++) {
		probe_wait_messages(&probes[i], MESSAGE_COUNT);
		rpc_call_half_close(probes[i].call);
		CHECK_EQ(probe_wait_closed(&probes[i]), 0);
		CHECK_EQ(probes[i].message_count, MESSAGE_COUNT);
		probe_close(&probes[i]);
	}
	rpc_client_free(clients[0]);
	rpc_client_free(clients[1]);
	rpc_server_free(server);
	CHECK_EQ(close_count, STREAM_COUNT);
}

static void an_unknown_method_is_unimplemented(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct rpc_server_counts counts;
	struct call_probe probe;

	for (int i = 0; i < 5; i++) {
		probe_open(&probe, client, "/test/Nothing");
		CHECK_EQ(probe_wait_closed(&probe), -ENOSYS);
		CHECK_STR(probe.text, "no method /test/Nothing");
		probe_close(&probe);
	}
	rpc_server_read_counts(server, &counts);
	CHECK_EQ(counts.unknown_methods, 5);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void a_handler_may_refuse_a_call(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe probe;

	probe_open(&probe, client, "/test/Refuse");
	CHECK_EQ(probe_wait_closed(&probe), -EACCES);
	probe_close(&probe);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void a_message_over_the_limit_ends_its_call_only(void)
{
	static uint8_t large[RPC_MESSAGE_BYTES_MAX + 1];
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe probe, other;

	probe_open(&other, client, "/test/Echo");
	probe_open(&probe, client, "/test/Echo");
	probe_send(&probe, large, sizeof(large));
	CHECK_EQ(probe_wait_closed(&probe), -ENOBUFS);
	probe_close(&probe);
	probe_send(&other, "still there", 11);
	probe_wait_messages(&other, 1);
	probe_close(&other);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void streams_over_the_limit_are_refused(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 2);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct rpc_server_counts counts;
	struct call_probe first, second, third;

	probe_open(&first, client, "/test/Echo");
	probe_open(&second, client, "/test/Echo");
	probe_send(&first, "a", 1);
	probe_send(&second, "b", 1);
	probe_wait_messages(&first, 1);
	probe_wait_messages(&second, 1);
	probe_open(&third, client, "/test/Echo");
	CHECK_EQ(probe_wait_closed(&third), -ENOBUFS);
	rpc_server_read_counts(server, &counts);
	CHECK_EQ(counts.streams_over_limit, 1);
	probe_close(&third);
	probe_close(&second);
	probe_close(&first);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void a_port_in_use_and_a_bad_address_say_so(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0), *second = NULL;
	char address[32];
	struct rpc_server_options options = {.address = address, .methods = methods};

	snprintf(address, sizeof(address), "127.0.0.1:%u", rpc_server_port(server));
	CHECK_EQ(rpc_server_new(&options, &second), -EADDRINUSE);
	options.address = "127.0.0.1";
	CHECK_EQ(rpc_server_new(&options, &second), -EINVAL);
	options.address = "192.0.2.1:0";
	CHECK_EQ(rpc_server_new(&options, &second), -EADDRNOTAVAIL);
	CHECK(!second);
	rpc_server_free(server);
}

static void stopping_ends_open_streams_without_losing_answers(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe echo, hold;

	probe_open(&echo, client, "/test/Echo");
	probe_open(&hold, client, "/test/Hold");
	probe_send(&echo, "a", 1);
	probe_wait_messages(&echo, 1);
	while (!held)
		usleep(1000);
	CHECK_EQ(rpc_server_stop(server, PATIENCE_NS), 0);
	CHECK_EQ(probe_wait_closed(&echo), -ENOTCONN);
	CHECK_STR(echo.text, "the server is stopping");
	CHECK_EQ(probe_wait_closed(&hold), -ENOTCONN);
	CHECK_EQ(hold.message_count, 1);
	CHECK(memcmp(hold.messages[0].bytes, "at last", 7) == 0);
	/* Whoever still holds the stream cannot do harm with it. */
	CHECK_EQ(rpc_stream_send(held, "late", 4), -EPIPE);
	rpc_stream_read(held);
	rpc_stream_finish(held, 0, NULL);
	rpc_stream_release(held);
	rpc_server_free(server);
	probe_close(&echo);
	probe_close(&hold);
	rpc_client_free(client);
	CHECK_EQ(close_count, 2);
}

static void a_stream_can_be_woken_from_elsewhere(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe probe;

	probe_open(&probe, client, "/test/Hold");
	while (!held)
		usleep(1000);
	for (size_t i = 0; i < 20; i++) {
		rpc_stream_wake(held);
		probe_wait_messages(&probe, i + 1);
	}
	probe_close(&probe);
	wait_for(&close_count, 1);
	rpc_stream_wake(held);
	rpc_stream_release(held);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void a_stream_that_does_not_stop_is_cut_off(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe probe;

	probe_open(&probe, client, "/test/Deaf");
	wait_for(&open_count, 1);
	CHECK_EQ(rpc_server_stop(server, 50 * NS_PER_MS), -ETIMEDOUT);
	CHECK(probe_wait_closed(&probe) < 0);
	CHECK_EQ(close_count, 1);
	rpc_server_free(server);
	probe_close(&probe);
	rpc_client_free(client);
}

static void freeing_a_server_with_open_streams_is_harmless(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe probes[STREAM_COUNT];

	for (int i = 0; i < STREAM_COUNT; i++) {
		probe_open(&probes[i], client, i % 2 ? "/test/Deaf" : "/test/Echo");
		probe_send(&probes[i], "x", 1);
	}
	wait_for(&open_count, STREAM_COUNT / 2);
	rpc_server_free(server);
	for (int i = 0; i < STREAM_COUNT; i++) {
		CHECK(probe_wait_closed(&probes[i]) < 0);
		probe_close(&probes[i]);
	}
	rpc_client_free(client);
	CHECK_EQ(close_count, open_count);
}

static void a_handler_that_does_not_read_holds_its_client_back(void)
{
	static uint8_t large[1 << 20];
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct rpc_server_counts counts;
	struct call_probe probe;
	int r = 0;

	probe_open(&probe, client, "/test/Deaf");
	for (int i = 0; i < 40 && r == 0; i++)
		r = rpc_call_send(probe.call, large, sizeof(large));
	CHECK_EQ(r, -ENOBUFS);
	rpc_server_read_counts(server, &counts);
	CHECK_EQ(counts.messages_received, 0);
	probe_close(&probe);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void a_client_that_does_not_read_fills_its_own_queue_only(void)
{
	static uint8_t large[RPC_STREAM_QUEUE_BYTES_MAX + 1];
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe probe;

	probe_open(&probe, client, "/test/Hold");
	while (!held)
		usleep(1000);
	CHECK_EQ(rpc_stream_send(held, large, 1 << 20), 0);
	CHECK_EQ(rpc_stream_send(held, large, sizeof(large)), -ENOBUFS);
	rpc_stream_release(held);
	probe_close(&probe);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void a_deadline_and_a_cancel_end_a_call(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct call_probe late, cancelled;

	probe_open_for(&late, client, "/test/Deaf", 50 * NS_PER_MS);
	CHECK_EQ(probe_wait_closed(&late), -ETIMEDOUT);
	probe_open(&cancelled, client, "/test/Echo");
	probe_send(&cancelled, "a", 1);
	probe_wait_messages(&cancelled, 1);
	rpc_call_cancel(cancelled.call);
	CHECK_EQ(probe_wait_closed(&cancelled), -ECANCELED);
	/* The late one may have ended before the server heard of it. */
	wait_for(&close_count, atomic_load(&open_count));
	probe_close(&late);
	probe_close(&cancelled);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void nobody_there_is_not_connected(void)
{
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	uint16_t port = rpc_server_port(server);
	struct rpc_client *client;
	struct call_probe probe;
	char address[32];

	rpc_server_free(server);
	client = probe_client(port);
	probe_open(&probe, client, "/test/Echo");
	CHECK_EQ(probe_wait_closed(&probe), -ENOTCONN);
	probe_close(&probe);
	rpc_client_free(client);

	/* The same port again, as after a restart. */
	snprintf(address, sizeof(address), "127.0.0.1:%u", port);
	server = serve(address, 0);
	client = probe_client(port);
	probe_open(&probe, client, "/test/Echo");
	probe_send(&probe, "again", 5);
	probe_wait_messages(&probe, 1);
	probe_close(&probe);
	rpc_client_free(client);
	rpc_server_free(server);
}

static void send_noise(uint16_t port, const void *bytes, size_t byte_count)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct timeval patience = {.tv_usec = 20000};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char answer[256];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	/* The server may hang up at any byte. */
	(void)!send(fd, bytes, byte_count, MSG_NOSIGNAL);
	while (recv(fd, answer, sizeof(answer), 0) > 0)
		;
	close(fd);
}

static void noise_on_the_port_harms_nobody(void)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	struct rpc_server *server = serve("127.0.0.1:0", 0);
	struct rpc_client *client = probe_client(rpc_server_port(server));
	struct random random = {42};
	struct call_probe probe;

	probe_open(&probe, client, "/test/Echo");
	send_noise(rpc_server_port(server), "GET / HTTP/1.1\r\n\r\n", 18);
	send_noise(rpc_server_port(server), preface, sizeof(preface) - 1);
	for (int i = 0; i < 60; i++) {
		uint8_t bytes[600];
		size_t begin = i % 2 ? sizeof(preface) - 1 : 0;

		memcpy(bytes, preface, sizeof(preface) - 1);
		for (size_t j = begin; j < sizeof(bytes); j++)
			bytes[j] = (uint8_t)random_skewed(&random, 256);
		send_noise(rpc_server_port(server), bytes, sizeof(bytes));
	}
	probe_send(&probe, "still there", 11);
	probe_wait_messages(&probe, 1);
	probe_close(&probe);
	rpc_client_free(client);
	rpc_server_free(server);
}

int main(void)
{
	RUN(messages_come_back_whole_and_in_order);
	RUN(many_streams_go_side_by_side);
	RUN(an_unknown_method_is_unimplemented);
	RUN(a_handler_may_refuse_a_call);
	RUN(a_message_over_the_limit_ends_its_call_only);
	RUN(streams_over_the_limit_are_refused);
	RUN(a_port_in_use_and_a_bad_address_say_so);
	RUN(stopping_ends_open_streams_without_losing_answers);
	RUN(a_stream_can_be_woken_from_elsewhere);
	RUN(a_stream_that_does_not_stop_is_cut_off);
	RUN(freeing_a_server_with_open_streams_is_harmless);
	RUN(a_handler_that_does_not_read_holds_its_client_back);
	RUN(a_client_that_does_not_read_fills_its_own_queue_only);
	RUN(a_deadline_and_a_cancel_end_a_call);
	RUN(nobody_there_is_not_connected);
	RUN(noise_on_the_port_harms_nobody);
	return 0;
}
