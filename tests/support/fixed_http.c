/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fixed_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"

/* False once nobody reads any more. */
static bool send_all(int fd, const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		bytes += sent;
		count -= (size_t)sent;
	}
	return true;
}

static void send_body(int fd, const char *body, size_t byte_count)
{
	char part[65536];
	size_t length = body ? strlen(body) : 0;
	size_t whole = length > 0 ? sizeof(part) / length * length : 0;

	for (size_t i = 0; i < whole; i++)
		part[i] = body[i % length];
	while (whole > 0 && byte_count > 0) {
		size_t count = byte_count < whole ? byte_count : whole;

		if (!send_all(fd, part, count))
			return;
		byte_count -= count;
	}
}

static void answer_one(struct fixed_http *server, int fd)
{
	char question[sizeof(server->asked)];
	ssize_t got = recv(fd, question, sizeof(question) - 1, 0);
	const char *head, *body;
	size_t body_bytes;

	question[got > 0 ? got : 0] = '\0';
	pthread_mutex_lock(&server->lock);
	memcpy(server->asked, question, sizeof(server->asked));
	server->count++;
	head = server->head;
	body = server->body;
	body_bytes = server->body_bytes;
	pthread_mutex_unlock(&server->lock);
	if (head && send_all(fd, head, strlen(head)))
		send_body(fd, body, body_bytes);
	if (head)
		shutdown(fd, SHUT_WR);
	while (recv(fd, question, sizeof(question), 0) > 0)
		continue;
}

static void *serve(void *context)
{
	struct fixed_http *server = context;

	for (;;) {
		SCOPED_FD int fd = accept(server->listening, NULL, NULL);

		if (fd < 0)
			return NULL;
		answer_one(server, fd);
	}
}

void fixed_http_start(struct fixed_http *server)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);

	*server = (struct fixed_http){.head = FIXED_HTTP_NOT_FOUND};
	pthread_mutex_init(&server->lock, NULL);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(server->listening >= 0);
	CHECK(bind(server->listening, (const struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(server->listening, 16) == 0);
	CHECK(getsockname(server->listening, (struct sockaddr *)&address, &length) == 0);
	snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%d", ntohs(address.sin_port));
	CHECK_EQ(pthread_create(&server->thread, NULL, serve, server), 0);
}

void fixed_http_stop(struct fixed_http *server)
{
	shutdown(server->listening, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listening);
	pthread_mutex_destroy(&server->lock);
}

void fixed_http_answer(
	struct fixed_http *server, const char *head, const char *body, size_t body_bytes)
{
	pthread_mutex_lock(&server->lock);
	server->head = head;
	server->body = body;
	server->body_bytes = body_bytes;
	pthread_mutex_unlock(&server->lock);
}

unsigned fixed_http_count(struct fixed_http *server)
{
	unsigned count;

	pthread_mutex_lock(&server->lock);
	count = server->count;
	server->count = 0;
	pthread_mutex_unlock(&server->lock);
	return count;
}

bool fixed_http_was_asked(struct fixed_http *server, const char *words)
{
	bool was;

	pthread_mutex_lock(&server->lock);
	was = strstr(server->asked, words) != NULL;
	pthread_mutex_unlock(&server->lock);
	return was;
}
