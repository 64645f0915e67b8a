/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define NETWORK_BYTES 8

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};
static const uint8_t loopback6[16] = {[15] = 1};

int peer_read(const struct sockaddr *address, struct peer *ret_peer)
{
	struct peer peer = {.family = address->sa_family};

	if (address->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, address, sizeof(in));
		memcpy(peer.address, &in.sin_addr, sizeof(in.sin_addr));
		peer.port = ntohs(in.sin_port);
	} else if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;
		const uint8_t *bytes = in6.sin6_addr.s6_addr;

		memcpy(&in6, address, sizeof(in6));
		peer.port = ntohs(in6.sin6_port);
		if (memcmp(bytes, mapped_prefix, sizeof(mapped_prefix)) == 0) {
			peer.family = AF_INET;
			memcpy(peer.address, bytes + sizeof(mapped_prefix), 4);
		} else {
			memcpy(peer.address, bytes, sizeof(peer.address));
		}
	} else {
		return -EAFNOSUPPORT;
	}
	*ret_peer = peer;
	return 0;
}

bool peer_is_loopback(const struct peer *peer)
{
	if (peer->family == AF_INET)
		return peer->address[0] == 127;
	return peer->family == AF_INET6 && memcmp(peer->address, loopback6, sizeof(loopback6)) == 0;
}

bool peer_is_same_host(const struct peer *one, const struct peer *other)
{
	return one->family == other->family &&
		memcmp(one->address, other->address, NETWORK_BYTES) == 0;
}

void peer_format(const struct peer *peer, char ret_text[PEER_TEXT_MAX])
{
	char address[INET6_ADDRSTRLEN] = "?";

	(void)inet_ntop(peer->family, peer->address, address, sizeof(address));
	if (peer->family == AF_INET6)
		snprintf(ret_text, PEER_TEXT_MAX, "ipv6:[%s]:%u", address, peer->port);
	else
		snprintf(ret_text, PEER_TEXT_MAX, "ipv4:%s:%u", address, peer->port);
}
