/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_port.h"

#include <errno.h>
#include <grpc/grpc_posix.h>
#include <grpc/support/alloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/rpc/rpc_operation.h"
#include "proto/rpc/rpc_server.h"
#include "store/base/clock.h"

/* A connection that has not said who it is by now is none of ours. */
#define SILENCE_NS_MAX (20 * NS_PER_S)
/* A network of a hundred hosts behind one address is nothing strange. */
#define HOST_SHARE 2
/* Of all connections, for collectors of this machine. */
#define LOOPBACK_SHARE 16
/* What was sent and stays without an answer for so long ends the connection. */
#define UNANSWERED_MS 20000

static const char preface[] = RPC_PREFACE;
/* How gRPC calls a connection that it was given. */
static const char peer_prefix[] = "fd:";

#define PREFACE_BYTES (sizeof(preface) - 1)

_Static_assert(PREFACE_BYTES <= ACCEPTOR_FIRST_BYTES_MAX, "it must fit what is looked at");

/* The operation that its first call ends was begun before this port was. */
static void give(struct rpc_port *port, int fd)
{
	rpc_operation_hand_over();
	grpc_server_add_channel_from_fd(port->core, fd, port->credentials);
}

static int take(
	void *context, int fd, const struct peer *peer, const uint8_t *bytes, size_t byte_count)
{
	struct rpc_port *port = context;

	(void)peer;
	if (byte_count < PREFACE_BYTES || memcmp(bytes, preface, PREFACE_BYTES) != 0) {
		close(fd);
		return -EPROTO;
	}
	give(port, fd);
	return 0;
}

static void limit_silence(int fd)
{
	const unsigned unanswered_ms = UNANSWERED_MS;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof(unanswered_ms));
}

int rpc_port_open(
	struct rpc_port *port, grpc_server *core, int listen_fd, uint32_t connection_count_max)
{
	struct acceptor_options options = {
		.listen_fd = listen_fd,
		.limits = {.count_max = connection_count_max,
			.host_count_max = connection_count_max / HOST_SHARE,
			.loopback_count = connection_count_max / LOOPBACK_SHARE},
		.first_byte_count = PREFACE_BYTES,
		.silence_ns_max = SILENCE_NS_MAX,
		.take = take,
		.context = port,
	};
	int r;

	/* Connections inherit it. */
	limit_silence(listen_fd);
	port->core = core;
	pthread_mutex_init(&port->adopting, NULL);
	port->credentials = grpc_insecure_server_credentials_create();
	r = acceptor_new(&options, &port->acceptor);
	if (r == 0)
		r = acceptor_start(port->acceptor);
	if (r < 0)
		rpc_port_close(port);
	return r;
}

int rpc_port_adopt(struct rpc_port *port, int fd, const struct peer *peer)
{
	int r;

	limit_silence(fd);
	/* Once the port has stopped, nothing may reach a server that shuts down. */
	pthread_mutex_lock(&port->adopting);
	r = acceptor_adopt(port->acceptor, fd, peer, &fd);
	if (r == 0)
		give(port, fd);
	pthread_mutex_unlock(&port->adopting);
	return r;
}

void rpc_port_stop(struct rpc_port *port)
{
	if (!port->acceptor)
		return;
	acceptor_stop(port->acceptor);
	/* Whoever was being adopted is gRPC's now. */
	pthread_mutex_lock(&port->adopting);
	pthread_mutex_unlock(&port->adopting);
}

void rpc_port_linger(struct rpc_port *port, uint64_t longest_ns)
{
	if (port->acceptor)
		(void)acceptor_wait_empty(port->acceptor, longest_ns);
}

void rpc_port_close(struct rpc_port *port)
{
	acceptor_free(port->acceptor);
	if (port->credentials) {
		grpc_server_credentials_release(port->credentials);
		pthread_mutex_destroy(&port->adopting);
	}
	*port = (struct rpc_port){.core = NULL};
}

int rpc_port_peer(struct rpc_port *port, grpc_call *call, struct peer *ret_peer, bool *ret_adopted)
{
	char *name = grpc_call_get_peer(call);
	int r = -ENOENT;

	if (port->acceptor && strncmp(name, peer_prefix, sizeof(peer_prefix) - 1) == 0) {
		r = acceptor_peer(port->acceptor,
			(int)strtol(name + sizeof(peer_prefix) - 1, NULL, 10), ret_peer,
			ret_adopted);
	}
	gpr_free(name);
	return r;
}
