/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/http_guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

/* A host name is at most 253 characters long. */
#define NAME_BYTES_MAX 256

/* The part of `name:port` or `[address]:port` without the port. False: neither. */
static bool split_port(const char *authority, size_t *ret_length)
{
	const char *end = authority + strlen(authority), *port;

	if (authority[0] == '[') {
		const char *bracket = strchr(authority, ']');

		if (!bracket)
			return false;
		port = bracket + 1;
	} else {
		port = strchr(authority, ':');
		port = port ? port : end;
	}
	if (port < end && (port[0] != ':' || strspn(port + 1, "0123456789") != strlen(port + 1)))
		return false;
	*ret_length = (size_t)(port - authority);
	return *ret_length > 0;
}

/* Without brackets and without the dot that a name may end with. */
static bool plain_name(const char *name, size_t length, char ret_name[NAME_BYTES_MAX])
{
	if (length >= 2 && name[0] == '[' && name[length - 1] == ']') {
		name++;
		length -= 2;
	} else if (length > 1 && name[length - 1] == '.') {
		length--;
	}
	if (length == 0 || length >= NAME_BYTES_MAX)
		return false;
	memcpy(ret_name, name, length);
	ret_name[length] = '\0';
	return true;
}

bool http_guard_is_loopback(const char *name, size_t length)
{
	char text[NAME_BYTES_MAX];
	struct in6_addr six;
	struct in_addr four;

	if (!plain_name(name, length, text))
		return false;
	if (inet_pton(AF_INET, text, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, text, &six) == 1)
		return IN6_IS_ADDR_LOOPBACK(&six) ||
			(IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
	return strcasecmp(text, "localhost") == 0;
}

/* Whether both are one address, however it is written, or one name. */
static bool same_host(const char *one, const char *other)
{
	struct in6_addr a, b;

	if (inet_pton(AF_INET6, one, &a) == 1 && inet_pton(AF_INET6, other, &b) == 1)
		return memcmp(&a, &b, sizeof(a)) == 0;
	return strcasecmp(one, other) == 0;
}

static bool leads_here(
	const struct http_guard *guard, const struct http_request *request, const char *authority)
{
	char name[NAME_BYTES_MAX];
	size_t length;

	if (!split_port(authority, &length) || !plain_name(authority, length, name))
		return false;
	if (http_guard_is_loopback(authority, length))
		return true;
	if (request->local_address && same_host(name, request->local_address))
		return true;
	for (size_t i = 0; i < guard->name_count; i++) {
		if (same_host(name, guard->names[i]))
			return true;
	}
	return false;
}

static bool changes_nothing(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
		strcmp(method, "OPTIONS") == 0;
}

/* A page of this server says the same authority in both headers. `null` is foreign. */
static bool same_origin(const char *origin, const char *host)
{
	const char *authority = strstr(origin, "://");

	return authority && host && strcasecmp(authority + 3, host) == 0;
}

enum http_guard_verdict http_guard_judge(
	const struct http_guard *guard, const struct http_request *request)
{
	/* Programs that still speak 1.0 send none, and browsers do not speak 1.0. */
	if (request->host_count > 1 || (request->host_count == 0 && !request->http_1_0))
		return HTTP_GUARD_NO_HOST;
	if (request->host && !leads_here(guard, request, request->host))
		return HTTP_GUARD_FOREIGN_HOST;
	if (!changes_nothing(request->method) && request->origin &&
		!same_origin(request->origin, request->host))
		return HTTP_GUARD_FOREIGN_ORIGIN;
	return HTTP_GUARD_PASS;
}
