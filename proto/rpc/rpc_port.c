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
#include "store/base/clock.h"

/* A connection that has not said who it is by now is none of ours. */
#define SILENCE_NS_MAX (20 * NS_PER_S)
/* A network of a hundred hosts behind one address is nothing strange. */
#define HOST_SHARE 2
/* Of all connections, for collectors of this machine. */
#define LOOPBACK_SHARE 16
/* What was sent and stays without an answer for so long ends the connection. */
#define UNANSWERED_MS 20000

/* What every client of HTTP/2 sends first. */
static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/* How gRPC calls a connection that it was given. */
static const char peer_prefix[] = "fd:";

#define PREFACE_BYTES (sizeof(preface) - 1)

_Static_assert(PREFACE_BYTES <= ACCEPTOR_FIRST_BYTES_MAX, "it must fit what is looked at");

static int take(
	void *context, int fd, const struct peer *peer, const uint8_t *bytes, size_t byte_count)
{
	struct rpc_port *port = context;

	(void)peer;
	if (byte_count < PREFACE_BYTES || memcmp(bytes, preface, PREFACE_BYTES) != 0) {
		close(fd);
		return -EPROTO;
	}
	/* The operation that its first call ends was begun before this port was. */
	rpc_operation_hand_over();
	grpc_server_add_channel_from_fd(port->core, fd, port->credentials);
	return 0;
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
	const unsigned unanswered_ms = UNANSWERED_MS;
	int r;

	/* Connections inherit it. */
	(void)setsockopt(
		listen_fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof(unanswered_ms));
	port->core = core;
	port->credentials = grpc_insecure_server_credentials_create();
	r = acceptor_new(&options, &port->acceptor);
	if (r == 0)
		r = acceptor_start(port->acceptor);
	if (r < 0)
		rpc_port_close(port);
	return r;
}

void rpc_port_stop(struct rpc_port *port)
{
	if (port->acceptor)
		acceptor_stop(port->acceptor);
}

void rpc_port_linger(struct rpc_port *port, uint64_t longest_ns)
{
	if (port->acceptor)
		(void)acceptor_wait_empty(port->acceptor, longest_ns);
}

void rpc_port_close(struct rpc_port *port)
{
	acceptor_free(port->acceptor);
	if (port->credentials)
		grpc_server_credentials_release(port->credentials);
	*port = (struct rpc_port){.core = NULL};
}

int rpc_port_peer(struct rpc_port *port, grpc_call *call, struct peer *ret_peer)
{
	char *name = grpc_call_get_peer(call);
	int r = -ENOENT;

	if (port->acceptor && strncmp(name, peer_prefix, sizeof(peer_prefix) - 1) == 0)
		r = acceptor_peer(port->acceptor,
			(int)strtol(name + sizeof(peer_prefix) - 1, NULL, 10), ret_peer);
	gpr_free(name);
	return r;
}
