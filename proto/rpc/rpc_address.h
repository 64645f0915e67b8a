/* SPDX-License-Identifier: Apache-2.0 */
/* RPC address: HOST:PORT as people write it.
 *
 * What it is   checks before gRPC sees an address, and the listening socket at one.
 * Ownership    nothing is kept.
 * Threads      any. Names are looked up, which may wait for the network.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Longest HOST: a name of DNS. */
#define RPC_HOST_BYTES_MAX 255

/* -EINVAL: not HOST:PORT or [HOST]:PORT with a port of 0 to 65535. */
int rpc_address_check(const char *address);
/* Listens at the first of the addresses that HOST stands for and that can be had. -EADDRINUSE, -EACCES,
 * -EADDRNOTAVAIL: none can.  -EINVAL: no such address. */
int rpc_address_listen(const char *address, int *ret_fd, uint16_t *ret_port);
/* Whether HOST stands for this machine alone: 127.x.x.x, ::1, localhost. */
bool rpc_address_is_loopback(const char *address);
