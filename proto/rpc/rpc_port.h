/* SPDX-License-Identifier: Apache-2.0 */
/* RPC port: where the connections of an RPC server come in.
 *
 * What it is   our own acceptor in front of gRPC, which gets each connection as a descriptor once it
 *              has begun to speak HTTP/2. gRPC's listener would end for good when a descriptor is
 *              missing; docs/decisions/0064. Inside this folder only.
 * Ownership    owns the acceptor; gRPC's server is borrowed.
 * Threads      open, stop and close: one owner. Everything else: any.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/base/acceptor.h"

struct rpc_port {
	grpc_server *core;
	grpc_server_credentials *credentials;
	struct acceptor *acceptor; /* NULL: not open */
	pthread_mutex_t
		adopting; /* held while a connection of elsewhere becomes gRPC's; there while open */
};

/* Takes LISTEN_FD, also if it fails. CORE must have been started. */
int rpc_port_open(
	struct rpc_port *port, grpc_server *core, int listen_fd, uint32_t connection_count_max);
/* Takes FD, which has come in elsewhere and whose preface is still to be read. Not after stop. */
int rpc_port_adopt(struct rpc_port *port, int fd, const struct peer *peer);
/* Nobody new; those who are there stay. */
void rpc_port_stop(struct rpc_port *port);
/* Waits for clients to hang up, so that they can read what was sent to them: gRPC closes a connection
 * at once, and where something is still unread then, TCP takes back what the client has not read. */
void rpc_port_linger(struct rpc_port *port, uint64_t longest_ns);
/* After gRPC's server is gone. */
void rpc_port_close(struct rpc_port *port);

/* Who CALL comes from, and whether by a connection that was adopted. -ENOENT: gRPC does not tell. */
int rpc_port_peer(struct rpc_port *port, grpc_call *call, struct peer *ret_peer, bool *ret_adopted);
