/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_client.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/fixed_http.h"

static struct fixed_http server;
static struct debuginfod_answer answer;

/* Asks for a file of at most BYTES_MAX bytes; it goes to TO_FD. */
static int get_at_most(uint64_t bytes_max, const atomic_bool *stop, int to_fd)
{
	struct debuginfod_request request = {
		.url = server.url,
		.path = "/buildid/ab01/debuginfo",
		.to_fd = to_fd,
		.bytes_max = bytes_max,
		.silence_seconds = 1,
		.time_ms_max = 20000,
		.elf = true,
		.stop = stop,
	};
	struct debuginfod_client *client;
	int r;

	CHECK_EQ(debuginfod_client_new(&client), 0);
	r = debuginfod_client_get(client, &request, &answer);
	debuginfod_client_free(client);
	return r;
}

static int get(const char *head, const char *body, size_t body_bytes)
{
	SCOPED_FD int fd = memfd_create("answer", MFD_CLOEXEC);

	fixed_http_answer(&server, head, body, body_bytes);
	return get_at_most(UINT64_MAX >> 1, NULL, fd);
}

static void a_file_comes_whole(void)
{
	SCOPED_FD int fd = memfd_create("answer", MFD_CLOEXEC);
	char head[8] = "";

	fixed_http_answer(&server, FIXED_HTTP_OK, "\177ELF and more", 1000);
	CHECK_EQ(get_at_most(1000, NULL, fd), 0);
	CHECK_EQ(answer.byte_count, 1000);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 1000);
	CHECK_EQ(pread(fd, head, 4, 0), 4);
	CHECK_STR(head, "\177ELF");
	CHECK(fixed_http_was_asked(&server, "GET /buildid/ab01/debuginfo HTTP/1.1\r\n"));
	CHECK(fixed_http_was_asked(&server, "User-Agent: cairn-server/"));
	CHECK(!fixed_http_was_asked(&server, "Cookie"));
}

static void only_a_server_that_says_so_does_not_have_it(void)
{
	CHECK_EQ(get(FIXED_HTTP_NOT_FOUND, NULL, 0), -ENOENT);
	CHECK_EQ(get("HTTP/1.1 403 Forbidden\r\n" FIXED_HTTP_EMPTY, NULL, 0), -ENOENT);
	CHECK_EQ(get("HTTP/1.1 401 Unauthorized\r\n" FIXED_HTTP_EMPTY, NULL, 0), -EACCES);
	CHECK_EQ(get("HTTP/1.1 408 Request Timeout\r\n" FIXED_HTTP_EMPTY, NULL, 0), -EREMOTEIO);
	CHECK_EQ(get("HTTP/1.1 204 No Content\r\n\r\n", NULL, 0), -EREMOTEIO);
	CHECK_EQ(get(FIXED_HTTP_FAILS, NULL, 0), -EREMOTEIO);
	CHECK_EQ(answer.wait_seconds, 0);
	CHECK_EQ(get("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", "\177ELF", 4), -EREMOTEIO);
	CHECK_EQ(get("", NULL, 0), -EREMOTEIO);
	CHECK_EQ(get("no HTTP\r\n\r\n", NULL, 0), -EREMOTEIO);
}

static void a_server_that_is_too_busy_says_when(void)
{
	CHECK_EQ(get("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 17\r\n" FIXED_HTTP_EMPTY, NULL,
			 0),
		-EREMOTEIO);
	CHECK_EQ(answer.wait_seconds, 17);
	CHECK_EQ(get("HTTP/1.1 503 Busy\r\nRetry-After: 99999999\r\n" FIXED_HTTP_EMPTY, NULL, 0),
		-EREMOTEIO);
	CHECK_EQ(answer.wait_seconds, DEBUGINFOD_WAIT_SECONDS_MAX);
}

static void what_is_no_file_is_refused_at_its_first_bytes(void)
{
	CHECK_EQ(get(FIXED_HTTP_OK, "<html>not here</html>", 21), -EBADMSG);
	CHECK_EQ(get(FIXED_HTTP_OK, "\177EL", 3), -EBADMSG);
	CHECK_EQ(get(FIXED_HTTP_OK, NULL, 0), -EBADMSG);
	/* A page of any length stands for "not found" by its status. */
	CHECK_EQ(get("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n", "<html>", 1 << 20),
		-ENOENT);
}

static void a_file_longer_than_allowed_is_not_received(void)
{
	SCOPED_FD int fd = memfd_create("answer", MFD_CLOEXEC);

	/* Whether its length is told or not. */
	fixed_http_answer(&server, FIXED_HTTP_OK, "\177ELF", 5000);
	CHECK_EQ(get_at_most(4999, NULL, fd), -EFBIG);
	fixed_http_answer(
		&server, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "\177ELF", 5000);
	CHECK_EQ(get_at_most(4999, NULL, fd), -EFBIG);
	CHECK(lseek(fd, 0, SEEK_END) <= 4999);
}

static void redirects_end_and_stay_with_http(void)
{
	fixed_http_count(&server);
	CHECK_EQ(get("HTTP/1.1 302 Found\r\nLocation: /again\r\n" FIXED_HTTP_EMPTY, NULL, 0),
		-ELOOP);
	CHECK_EQ(fixed_http_count(&server), DEBUGINFOD_REDIRECTS_MAX + 1);
	CHECK_EQ(get("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n" FIXED_HTTP_EMPTY,
			 NULL, 0),
		-EPROTONOSUPPORT);
	CHECK_EQ(get("HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1/x\r\n" FIXED_HTTP_EMPTY, NULL,
			 0),
		-EPROTONOSUPPORT);
}

static void a_closed_port_refuses(void)
{
	struct debuginfod_request request = {.path = "/x",
		.url = "http://127.0.0.1:9/",
		.to_fd = -1,
		.bytes_max = 10,
		.silence_seconds = 1,
		.time_ms_max = 20000};
	struct debuginfod_client *client;

	CHECK_EQ(debuginfod_client_new(&client), 0);
	CHECK_EQ(debuginfod_client_get(client, &request, &answer), -ECONNREFUSED);
	request.url = "ftp://127.0.0.1:9";
	CHECK_EQ(debuginfod_client_get(client, &request, &answer), -EREMOTEIO);
	debuginfod_client_free(client);
}

static void *stop_soon(void *context)
{
	usleep(100000);
	atomic_store((atomic_bool *)context, true);
	return NULL;
}

static void silence_costs_its_time_and_a_stop_ends_it(void)
{
	SCOPED_FD int fd = memfd_create("answer", MFD_CLOEXEC);
	atomic_bool stop = false;
	pthread_t stopper;

	CHECK_EQ(get(NULL, NULL, 0), -ETIMEDOUT);
	/* Begun, and then silent. */
	CHECK_EQ(get_at_most(1000, NULL, fd), -ETIMEDOUT);
	CHECK_EQ(pthread_create(&stopper, NULL, stop_soon, &stop), 0);
	CHECK_EQ(get_at_most(1000, &stop, fd), -ECANCELED);
	pthread_join(stopper, NULL);
}

static void a_disk_of_ours_is_no_fault_of_theirs(void)
{
	SCOPED_FD int fd = memfd_create("answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CHECK_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	fixed_http_answer(&server, FIXED_HTTP_OK, "\177ELF", 100);
	CHECK_EQ(get_at_most(1000, NULL, fd), -EIO);
	CHECK(!debuginfod_error_is_theirs(-EIO) && !debuginfod_error_is_theirs(-ENOSPC));
	CHECK(!debuginfod_error_is_theirs(-ENOENT) && !debuginfod_error_is_theirs(0));
	CHECK(!debuginfod_error_is_theirs(-ECANCELED) && !debuginfod_error_is_theirs(-ENOMEM));
	CHECK(debuginfod_error_is_theirs(-ETIMEDOUT) && debuginfod_error_is_theirs(-EBADMSG));
}

static void an_address_is_shown_without_credentials(void)
{
	static const struct {
		const char *url, *shown;
	} cases[] = {
		{"http://h:8002", "http://h:8002/"},
		{"https://me:secret@h.example/base?token=1#x", "https://h.example/base"},
		{"h.example:80", "http://h.example:80/"},
	};
	static const char *const refused[] = {"file:///etc", "ftp://h/", "", "http://"};
	char *text;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQ(debuginfod_url_shown(cases[i].url, &text), 0);
		CHECK_STR(text, cases[i].shown);
		free(text);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		CHECK_EQ(debuginfod_url_shown(refused[i], &text), -EINVAL);
}

static void a_path_is_encoded_where_it_must_be(void)
{
	char *text;

	CHECK_EQ(debuginfod_path_encoded("/src/./a b#c?d%e-_.~\303\244.c", &text), 0);
	CHECK_STR(text, "/src/./a%20b%23c%3Fd%25e-_.~%C3%A4.c");
	free(text);
}

int main(void)
{
	fixed_http_start(&server);
	RUN(a_file_comes_whole);
	RUN(only_a_server_that_says_so_does_not_have_it);
	RUN(a_server_that_is_too_busy_says_when);
	RUN(what_is_no_file_is_refused_at_its_first_bytes);
	RUN(a_file_longer_than_allowed_is_not_received);
	RUN(redirects_end_and_stay_with_http);
	RUN(a_closed_port_refuses);
	RUN(silence_costs_its_time_and_a_stop_ends_it);
	RUN(a_disk_of_ours_is_no_fault_of_theirs);
	RUN(an_address_is_shown_without_credentials);
	RUN(a_path_is_encoded_where_it_must_be);
	fixed_http_stop(&server);
	return 0;
}
