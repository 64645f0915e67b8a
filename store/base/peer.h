/* SPDX-License-Identifier: Apache-2.0 */
/* Peer: who is at the other end of a connection.
 *
 * What it is   an IP address and a port by value; an IPv4 address in IPv6's clothes is IPv4.
 * Ownership    values only.
 * Threads      any.
 * Errors       -EAFNOSUPPORT: neither IPv4 nor IPv6.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

/* `ipv6:[` address `]:` port. */
#define PEER_TEXT_MAX 64

struct peer {
	uint16_t family; /* AF_INET, AF_INET6 */
	uint16_t port;
	uint8_t address[16]; /* IPv4: the first four, the others zero */
};

int peer_read(const struct sockaddr *address, struct peer *ret_peer);
bool peer_is_loopback(const struct peer *peer);
/* Whether both are the same host: the same IPv4 address, or the same /64 of IPv6, which is what one
 * host gets. */
bool peer_is_same_host(const struct peer *one, const struct peer *other);
/* `ipv4:127.0.0.1:40112`, `ipv6:[::1]:40112`. */
void peer_format(const struct peer *peer, char ret_text[PEER_TEXT_MAX]);
