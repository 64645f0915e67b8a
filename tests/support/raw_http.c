/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/raw_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/support/check.h"

#define ANSWER_SECONDS_MAX 30

int raw_http_connect(const char *address)
{
	const char *colon = strrchr(address, ':');
	struct timeval patience = {.tv_sec = ANSWER_SECONDS_MAX};
	struct sockaddr_in where = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(colon && fd >= 0);
	where.sin_port = htons((in_port_t)strtoul(colon + 1, NULL, 10));
	where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
	CHECK_EQ(connect(fd, (const struct sockaddr *)&where, sizeof(where)), 0);
	return fd;
}

static void receive_all(int fd, struct raw_http *answer)
{
	size_t capacity = 1 << 16;
	ssize_t got;

	answer->bytes = malloc(capacity + 1);
	CHECK(answer->bytes);
	while ((got = recv(fd, answer->bytes + answer->byte_count, capacity - answer->byte_count,
			0)) > 0) {
		answer->byte_count += (size_t)got;
		if (answer->byte_count < capacity)
			continue;
		capacity *= 2;
		answer->bytes = realloc(answer->bytes, capacity + 1);
		CHECK(answer->bytes);
	}
	answer->bytes[answer->byte_count] = '\0';
}

struct raw_http raw_http_send(const char *address, const void *bytes, size_t byte_count)
{
	struct raw_http answer = {0};
	int fd = raw_http_connect(address);
	const char *end;

	/* A server may refuse before it has read everything. */
	(void)!send(fd, bytes, byte_count, MSG_NOSIGNAL);
	receive_all(fd, &answer);
	close(fd);
	if (strncmp(answer.bytes, "HTTP/1.", 7) == 0 && answer.byte_count > 12)
		answer.status = (int)strtol(answer.bytes + 9, NULL, 10);
	end = strstr(answer.bytes, "\r\n\r\n");
	answer.body = end ? end + 4 : answer.bytes + answer.byte_count;
	answer.body_byte_count = answer.byte_count - (size_t)(answer.body - answer.bytes);
	return answer;
}

struct raw_http raw_http_get(const char *address, const char *target, const char *more)
{
	char *request;
	struct raw_http answer;
	int length =
		asprintf(&request, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n",
			target, address, more);

	CHECK(length > 0);
	answer = raw_http_send(address, request, (size_t)length);
	free(request);
	return answer;
}

char *raw_http_header(const struct raw_http *answer, const char *name)
{
	const char *line = answer->bytes;

	while (line + 2 < answer->body) {
		size_t length = strcspn(line, "\r");

		if (strncasecmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
			return strndup(line + strlen(name) + 2, length - strlen(name) - 2);
		line += length + 2;
	}
	return NULL;
}

void raw_http_done(struct raw_http *answer)
{
	free(answer->bytes);
	*answer = (struct raw_http){0};
}
