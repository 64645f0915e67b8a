/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/control_request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HOST_BYTES_MAX 64

struct answer_line {
	int status;
	const char *phrase;
	const char *body;
};

static const struct answer_line answers[] = {
	{200, "OK", ""},
	{400, "Bad Request", "{\"code\":\"invalid_argument\",\"message\":\"not an HTTP request\"}"},
	{403, "Forbidden",
		"{\"code\":\"permission_denied\",\"message\":\"the Host header must name "
		"loopback\"}"},
	{404, "Not Found", "{\"code\":\"not_found\",\"message\":\"there is only GET /status\"}"},
	{405, "Method Not Allowed",
		"{\"code\":\"unimplemented\",\"message\":\"there is only GET /status\"}"},
	{431, "Request Header Fields Too Large",
		"{\"code\":\"invalid_argument\",\"message\":\"the request's head is too long\"}"},
	{500, "Internal Server Error", ""},
};

/* The value of header NAME (with its colon), without blanks around it; NULL if there is none. */
static const char *find_header(
	const char *head, size_t length, const char *name, size_t *ret_length)
{
	size_t name_length = strlen(name);
	const char *end = head + length;
	const char *line = memmem(head, length, "\r\n", 2);

	while (line && (size_t)(end - line) > name_length + 2) {
		const char *next;

		line += 2;
		next = memmem(line, (size_t)(end - line), "\r\n", 2);
		if (next && (size_t)(next - line) >= name_length &&
			strncasecmp(line, name, name_length) == 0) {
			line += name_length;
			while (line < next && *line == ' ')
				line++;
			*ret_length = (size_t)(next - line);
			return line;
		}
		line = next;
	}
	return NULL;
}

static bool is_loopback_host(const char *value, size_t length)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t name_length = strlen(names[i]);

		if (length >= name_length && strncasecmp(value, names[i], name_length) == 0 &&
			(length == name_length || value[name_length] == ':'))
			return true;
	}
	return false;
}

static bool begins_with(const char *text, size_t length, const char *prefix)
{
	return length >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

int control_judge_request(const char *request, size_t byte_count, bool is_tcp)
{
	const char *end = memmem(request, byte_count, "\r\n\r\n", 4);
	const char *line_end, *host;
	size_t host_length;

	if (!end)
		return byte_count >= CONTROL_REQUEST_BYTES_MAX ? 431 : 0;
	byte_count = (size_t)(end - request) + 2;
	line_end = memmem(request, byte_count, "\r\n", 2);
	if (!memmem(request, (size_t)(line_end - request), " HTTP/1.", 8))
		return 400;
	host = find_header(request, byte_count, "Host:", &host_length);
	if (is_tcp && (!host || !is_loopback_host(host, host_length)))
		return 403;
	if (!begins_with(request, byte_count, "GET "))
		return 405;
	if (begins_with(request, byte_count, "GET /status ") ||
		begins_with(request, byte_count, "GET /status?"))
		return 200;
	return 404;
}

void control_write_answer(
	struct bytes_writer *answer, int status, const char *body, size_t body_bytes)
{
	const char *phrase = "";
	char head[256];
	int length;

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (answers[i].status == status)
			phrase = answers[i].phrase;
	}
	length = snprintf(head, sizeof(head),
		"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
		"X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
		status, phrase, body_bytes);
	bytes_write_span(answer, head, (size_t)length);
	bytes_write_span(answer, body, body_bytes);
}

void control_write_refusal(struct bytes_writer *answer, int status)
{
	const char *body = "";

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (answers[i].status == status)
			body = answers[i].body;
	}
	control_write_answer(answer, status, body, strlen(body));
}

static bool is_loopback_v4(const struct in_addr *address)
{
	return ntohl(address->s_addr) >> 24 == 127;
}

int control_parse_address(const char *text, struct sockaddr_in *ret_v4, struct sockaddr_in6 *ret_v6)
{
	const char *colon = strrchr(text, ':');
	char host[HOST_BYTES_MAX];
	struct in6_addr v6;
	struct in_addr v4;
	unsigned long port;
	size_t length;
	char *end;

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return -EINVAL;
	port = strtoul(colon + 1, &end, 10);
	length = (size_t)(colon - text);
	if (*end != '\0' || port > UINT16_MAX || length >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, length);
	host[length] = '\0';
	if (inet_pton(AF_INET, host, &v4) == 1) {
		if (!is_loopback_v4(&v4))
			return -EPERM;
		*ret_v4 = (struct sockaddr_in){
			.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = v4};
		return 0;
	}
	if (length < 3 || host[0] != '[' || host[length - 1] != ']')
		return -EINVAL;
	host[length - 1] = '\0';
	if (inet_pton(AF_INET6, host + 1, &v6) != 1)
		return -EINVAL;
	if (!IN6_IS_ADDR_LOOPBACK(&v6))
		return -EPERM;
	*ret_v6 = (struct sockaddr_in6){
		.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = v6};
	return 0;
}
