/* SPDX-License-Identifier: Apache-2.0 */
/* Against a server of one text on the loopback device. */
#include "symbolizer-server/symbol/source_fetch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/symbol/debuginfod_source.h"
#include "symbolizer-server/symbol/source_text.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static const struct build_id id = {.bytes = {0xab, 0x01}, .byte_count = 2};

/* What the next question is answered with, and what was asked. LOCK guards them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *answer_head;
static size_t answer_bytes;
static char asked[4096];
static char folder[512];

static void send_all(int fd, const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		bytes += sent;
		count -= (size_t)sent;
	}
}

static void answer_with(const char *head, size_t byte_count)
{
	pthread_mutex_lock(&lock);
	answer_head = head;
	answer_bytes = byte_count;
	pthread_mutex_unlock(&lock);
}

static bool was_asked(const char *words)
{
	bool was;

	pthread_mutex_lock(&lock);
	was = strstr(asked, words) != NULL;
	pthread_mutex_unlock(&lock);
	return was;
}

/* Takes down what is asked; gives what it is to be answered with. */
static const char *read_question(int fd, size_t *ret_bytes)
{
	char question[sizeof(asked)];
	ssize_t got = recv(fd, question, sizeof(question) - 1, 0);
	const char *head;

	question[got > 0 ? got : 0] = '\0';
	pthread_mutex_lock(&lock);
	memcpy(asked, question, sizeof(asked));
	head = answer_head;
	*ret_bytes = answer_bytes;
	pthread_mutex_unlock(&lock);
	return head;
}

static void *serve(void *context)
{
	const int *listening = context;
	static char body[65536];

	memset(body, 'x', sizeof(body));
	for (;;) {
		SCOPED_FD int fd = accept(*listening, NULL, NULL);
		const char *head;
		size_t left;

		if (fd < 0)
			return NULL;
		head = read_question(fd, &left);
		send_all(fd, head, strlen(head));
		while (left > 0) {
			size_t part = left < sizeof(body) ? left : sizeof(body);

			send_all(fd, body, part);
			left -= part;
		}
		shutdown(fd, SHUT_WR);
		while (recv(fd, body, 1, 0) > 0)
			;
	}
}

static int start(int *ret_listening, pthread_t *ret_thread, char *ret_url, size_t url_bytes)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*ret_listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(bind(*ret_listening, (const struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(*ret_listening, 4) == 0);
	CHECK(getsockname(*ret_listening, (struct sockaddr *)&address, &length) == 0);
	snprintf(ret_url, url_bytes, "http://127.0.0.1:%d", ntohs(address.sin_port));
	return pthread_create(ret_thread, NULL, serve, ret_listening);
}

static void a_text_is_had_by_build_and_path(void)
{
	char *text = NULL;
	size_t byte_count = 0;

	answer_with("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n", 1000);
	CHECK_EQ(source_fetch(folder, &id, "/src/a.c", &text, &byte_count), 0);
	CHECK_EQ(byte_count, 1000);
	CHECK(text[0] == 'x' && text[999] == 'x');
	free(text);
	CHECK(was_asked("GET /buildid/ab01/source"));
	CHECK(was_asked("a.c HTTP/1.1"));
	/* Nothing of it stays on the disk. */
	work_run("test -z \"$(find cache -type f -size +0 -name 'source*')\"");
}

static void what_is_not_there_or_too_long_is_told_apart(void)
{
	char *text = NULL;
	size_t byte_count;

	answer_with("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 0);
	CHECK_EQ(source_fetch(folder, &id, "/src/b.c", &text, &byte_count), -ENOENT);
	/* The mark of a miss goes at a later question. */
	work_run("test $(find cache -name 'source*b.c' -size 0 | wc -l) = 1");
	work_run("find cache -name 'source*' -exec touch -d '2 minutes ago' {} +");
	CHECK_EQ(source_fetch(folder, &id, "/src/e.c", &text, &byte_count), -ENOENT);
	work_run("test -z \"$(find cache -name 'source*b.c')\"");
	/* A server that fails does not say that it has it not. */
	answer_with("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
		    "Connection: close\r\n\r\n",
		0);
	CHECK_EQ(source_fetch(folder, &id, "/src/d.c", &text, &byte_count), -EREMOTEIO);
	answer_with(
		"HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\nConnection: close\r\n\r\n", 5000000);
	CHECK_EQ(source_fetch(folder, &id, "/src/c.c", &text, &byte_count), -EFBIG);
	CHECK(!text);
}

int main(void)
{
	struct symbol_source *source;
	pthread_t thread;
	int listening;
	char url[64];

	CHECK_EQ(start(&listening, &thread, url, sizeof(url)), 0);
	work_run("mkdir cache");
	/* It sets the library up. */
	snprintf(folder, sizeof(folder), "%s", work_path("cache"));
	CHECK_EQ(debuginfod_source_new(url, folder, &source), 0);
	RUN(a_text_is_had_by_build_and_path);
	RUN(what_is_not_there_or_too_long_is_told_apart);
	source->free(source);
	shutdown(listening, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(listening);
	return 0;
}
