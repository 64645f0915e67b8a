/* SPDX-License-Identifier: Apache-2.0 */
/* Listen address: where the server is to be found.
 *
 * What it is   ADDR:PORT with a numeric address, [ADDR]:PORT for IPv6, or localhost:PORT; and the
 *              listening socket there.
 * Ownership    values; a socket is the caller's.
 * Threads      any.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

/* `[` address `%` interface `]:` port. */
#define LISTEN_ADDRESS_TEXT_MAX 96

struct listen_address {
	struct sockaddr_storage address;
	socklen_t length;
};

/* -EINVAL: not such a text. */
int listen_address_parse(const char *text, struct listen_address *ret_address);
/* Whether only this machine can reach it. */
bool listen_address_is_loopback(const struct listen_address *address);
void listen_address_format(
	const struct listen_address *address, char ret_text[LISTEN_ADDRESS_TEXT_MAX]);
/* Listens, and gives the address with the port that it got. -EADDRINUSE, -EACCES,
 * -EADDRNOTAVAIL, ... */
int listen_address_open(
	const struct listen_address *address, int *ret_fd, struct listen_address *ret_bound);
