/* SPDX-License-Identifier: Apache-2.0 */
/* RPC address: HOST:PORT as people write it.
 *
 * What it is   checks before gRPC sees an address, and the reason afterwards that gRPC does not
 *              give: why a port could not be had.
 * Ownership    nothing is kept.
 * Threads      any. Names are looked up, which may wait for the network.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>

/* Longest HOST: a name of DNS. */
#define RPC_HOST_BYTES_MAX 255

/* -EINVAL: not HOST:PORT or [HOST]:PORT with a port of 0 to 65535. */
int rpc_address_check(const char *address);
/* Why nobody can listen on ADDRESS now: -EADDRINUSE, -EACCES, -EADDRNOTAVAIL; -EIO if it seems to
 * be free. */
int rpc_address_fault(const char *address);
/* Whether HOST stands for this machine alone: 127.x.x.x, ::1, localhost. */
bool rpc_address_is_loopback(const char *address);
