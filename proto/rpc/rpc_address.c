/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/base/cleanup.h"

#define PORT_MAX 65535

struct parts {
	char host[RPC_HOST_BYTES_MAX + 1];
	const char *port; /* in the address */
};

/* A colon more than one is a part of an IPv6 address, which needs its brackets. */
static int split(const char *address, struct parts *ret_parts)
{
	const char *colon = strrchr(address, ':'), *host = address;
	size_t length;

	if (!colon)
		return -EINVAL;
	length = (size_t)(colon - address);
	if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
		host++;
		length -= 2;
	} else if (memchr(host, ':', length)) {
		return -EINVAL;
	}
	if (length == 0 || length > RPC_HOST_BYTES_MAX)
		return -EINVAL;
	memcpy(ret_parts->host, host, length);
	ret_parts->host[length] = '\0';
	ret_parts->port = colon + 1;
	return 0;
}

int rpc_address_check(const char *address)
{
	struct parts parts;
	int r = split(address, &parts);
	size_t digits;

	if (r < 0)
		return r;
	digits = strspn(parts.port, "0123456789");
	if (digits == 0 || digits > 5 || parts.port[digits] != '\0' ||
		strtoul(parts.port, NULL, 10) > PORT_MAX)
		return -EINVAL;
	return 0;
}

static int listen_at(const struct addrinfo *found, int *ret_fd)
{
	SCOPED_FD int fd =
		socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
	int yes = 1;

	if (fd < 0)
		return -errno;
	/* Connections that linger from an earlier process are in nobody's way. */
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, SOMAXCONN) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int read_port(int fd, uint16_t *ret_port)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} address = {.in6 = {.sin6_port = 0}};
	socklen_t length = sizeof(address);

	if (getsockname(fd, &address.any, &length) < 0)
		return -errno;
	*ret_port = ntohs(
		address.any.sa_family == AF_INET6 ? address.in6.sin6_port : address.in.sin_port);
	return 0;
}

int rpc_address_listen(const char *address, int *ret_fd, uint16_t *ret_port)
{
	struct addrinfo hints = {
		.ai_flags = AI_PASSIVE, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	SCOPED_FD int fd = -1;
	struct parts parts;
	int r = split(address, &parts);

	if (r < 0)
		return r;
	if (getaddrinfo(parts.host, parts.port, &hints, &found) != 0)
		return -EADDRNOTAVAIL;
	r = -EADDRNOTAVAIL;
	for (struct addrinfo *at = found; r < 0 && at; at = at->ai_next)
		r = listen_at(at, &fd);
	freeaddrinfo(found);
	if (r == 0)
		r = read_port(fd, ret_port);
	if (r < 0)
		return r;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

bool rpc_address_is_loopback(const char *address)
{
	struct parts parts;

	if (rpc_address_check(address) < 0 || split(address, &parts) < 0)
		return false;
	return strncmp(parts.host, "127.", 4) == 0 || strcmp(parts.host, "::1") == 0 ||
		strcmp(parts.host, "localhost") == 0;
}
