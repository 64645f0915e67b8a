/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/listen_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"

/* Connections that wait to be taken. */
#define BACKLOG 511

static bool parse_port(const char *text, in_port_t *ret_port)
{
	unsigned long port = strtoul(text, NULL, 10);

	if (!*text || strlen(text) > 5 || strspn(text, "0123456789") != strlen(text) ||
		port > 65535)
		return false;
	*ret_port = htons((uint16_t)port);
	return true;
}

/* HOST without brackets. */
static bool parse_host(const char *host, in_port_t port, struct listen_address *ret_address)
{
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = port};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = port};

	if (strcmp(host, "localhost") == 0)
		host = "127.0.0.1";
	*ret_address = (struct listen_address){0};
	if (inet_pton(AF_INET, host, &four.sin_addr) == 1) {
		memcpy(&ret_address->address, &four, sizeof(four));
		ret_address->length = sizeof(four);
		return true;
	}
	if (inet_pton(AF_INET6, host, &six.sin6_addr) == 1) {
		memcpy(&ret_address->address, &six, sizeof(six));
		ret_address->length = sizeof(six);
		return true;
	}
	return false;
}

int listen_address_parse(const char *text, struct listen_address *ret_address)
{
	const char *colon = strrchr(text, ':');
	struct listen_address address;
	char host[LISTEN_ADDRESS_TEXT_MAX];
	const char *from = text, *end = colon;
	in_port_t port;

	if (!colon || !parse_port(colon + 1, &port))
		return -EINVAL;
	if (*text == '[') {
		if (colon == text || colon[-1] != ']')
			return -EINVAL;
		from++;
		end--;
	} else if (memchr(text, ':', (size_t)(colon - text))) {
		/* An IPv6 address without brackets: its last group would pass for a port. */
		return -EINVAL;
	}
	if (end <= from || (size_t)(end - from) >= sizeof(host))
		return -EINVAL;
	memcpy(host, from, (size_t)(end - from));
	host[end - from] = '\0';
	if (!parse_host(host, port, &address))
		return -EINVAL;
	*ret_address = address;
	return 0;
}

static struct sockaddr_in as_four(const struct listen_address *address)
{
	struct sockaddr_in four;

	memcpy(&four, &address->address, sizeof(four));
	return four;
}

static struct sockaddr_in6 as_six(const struct listen_address *address)
{
	struct sockaddr_in6 six;

	memcpy(&six, &address->address, sizeof(six));
	return six;
}

bool listen_address_is_loopback(const struct listen_address *address)
{
	if (address->address.ss_family == AF_INET)
		return ntohl(as_four(address).sin_addr.s_addr) >> 24 == 127;

	struct sockaddr_in6 six = as_six(address);

	return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr) ||
		(IN6_IS_ADDR_V4MAPPED(&six.sin6_addr) && six.sin6_addr.s6_addr[12] == 127);
}

void listen_address_format(
	const struct listen_address *address, char ret_text[LISTEN_ADDRESS_TEXT_MAX])
{
	char host[INET6_ADDRSTRLEN] = "?";

	if (address->address.ss_family == AF_INET) {
		struct sockaddr_in four = as_four(address);

		inet_ntop(AF_INET, &four.sin_addr, host, sizeof(host));
		snprintf(ret_text, LISTEN_ADDRESS_TEXT_MAX, "%s:%d", host, ntohs(four.sin_port));
	} else {
		struct sockaddr_in6 six = as_six(address);

		inet_ntop(AF_INET6, &six.sin6_addr, host, sizeof(host));
		snprintf(ret_text, LISTEN_ADDRESS_TEXT_MAX, "[%s]:%d", host, ntohs(six.sin6_port));
	}
}

int listen_address_open(
	const struct listen_address *address, int *ret_fd, struct listen_address *ret_bound)
{
	const int on = 1;
	SCOPED_FD int fd =
		socket(address->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct listen_address bound = {.length = sizeof(bound.address)};

	/* So that a restart need not wait for connections of the last run to be forgotten. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
		bind(fd, (const struct sockaddr *)&address->address, address->length) < 0 ||
		listen(fd, BACKLOG) < 0 ||
		getsockname(fd, (struct sockaddr *)&bound.address, &bound.length) < 0)
		return -errno;
	*ret_bound = bound;
	*ret_fd = TAKE_FD(fd);
	return 0;
}
