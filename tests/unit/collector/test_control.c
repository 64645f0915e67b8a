/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/control.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct tally tally;
static struct control *control;
static char path[100];

static void tell(void *context, struct json_writer *json)
{
	json_begin_object(json);
	json_string(json_key(json, "stone"), context);
	json_end_object(json);
}

static void set_up(void)
{
	static char top[] = "top";

	CHECK_EQ(control_new(tell, top, &tally, &control), 0);
	snprintf(path, sizeof(path), "%s", work_path("run/control.sock"));
}

static int connect_to(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(fd >= 0);
	CHECK(strlen(name) < sizeof(address.sun_path));
	memcpy(address.sun_path, name, strlen(name) + 1);
	CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static bool is_readable(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, 0) == 1;
}

static void serve_all(void)
{
	for (int i = 0; i < 10 && is_readable(control_poll_fd(control)); i++)
		control_serve(control, NS_PER_S);
}

static void send_text(int fd, const char *text)
{
	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void expect_answer(int fd, const char *part)
{
	char text[4096] = {0};
	size_t length = 0;
	ssize_t got;

	while ((got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	if (!strstr(text, part))
		fprintf(stderr, "answer: %s\n", text);
	CHECK(strstr(text, part));
	close(fd);
}

static void the_status_is_told(void)
{
	int fd;

	set_up();
	CHECK_EQ(control_listen_unix(control, path), 0);
	fd = connect_to(path);
	serve_all();
	send_text(fd, "GET /status HT");
	serve_all();
	send_text(fd, "TP/1.1\r\nHost: x\r\n\r\n");
	serve_all();
	expect_answer(fd, "\r\n\r\n{\"stone\":\"top\"}");
	fd = connect_to(path);
	send_text(fd, "GET /other HTTP/1.1\r\n\r\n");
	serve_all();
	expect_answer(fd, "404 Not Found");
	CHECK_EQ(tally_value(&tally, TALLY_control_requests), 2);
	control_free(control);
	CHECK_EQ(access(path, F_OK), -1);
}

static void clients_that_leave_or_dawdle_are_let_go(void)
{
	int gone, slow, last, clients[2 * CONTROL_CLIENT_MAX];

	set_up();
	CHECK_EQ(control_listen_unix(control, path), 0);
	gone = connect_to(path);
	serve_all();
	close(gone);
	serve_all();
	slow = connect_to(path);
	serve_all();
	control_serve(control, NS_PER_S + CONTROL_CLIENT_NS + 1);
	expect_answer(slow, "");
	for (int i = 0; i < 2 * CONTROL_CLIENT_MAX; i++) {
		clients[i] = connect_to(path);
		serve_all();
	}
	CHECK(!is_readable(control_poll_fd(control)));
	for (int i = 0; i < 2 * CONTROL_CLIENT_MAX; i++)
		close(clients[i]);
	serve_all();
	last = connect_to(path);
	send_text(last, "GET /status HTTP/1.1\r\n\r\n");
	serve_all();
	expect_answer(last, "200 OK");
	control_free(control);
}

static void a_dead_socket_is_replaced_a_living_one_is_not(void)
{
	struct control *first;
	char copy[sizeof(path) + 8];

	set_up();
	CHECK_EQ(control_listen_unix(control, path), 0);
	first = control;
	set_up();
	CHECK_EQ(control_listen_unix(control, path), -EADDRINUSE);
	snprintf(copy, sizeof(copy), "%s.dead", path);
	CHECK_EQ(rename(path, copy), 0);
	control_free(first);
	CHECK_EQ(rename(copy, path), 0);
	CHECK_EQ(control_listen_unix(control, path), 0);
	control_free(control);
}

static void other_files_are_never_touched(void)
{
	set_up();
	work_write_text("run/file", "keep");
	CHECK_EQ(control_listen_unix(control, work_path("run/file")), -EEXIST);
	CHECK_EQ(control_listen_unix(control, "/proc/none/control.sock"), -ENOENT);
	control_free(control);
	CHECK_EQ(access(work_path("run/file"), F_OK), 0);
}

static void tcp_listens_on_loopback_only(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	uint16_t port = 0;
	int fd;

	set_up();
	CHECK_EQ(control_listen_tcp(control, "0.0.0.0:0", &port), -EPERM);
	CHECK_EQ(control_listen_tcp(control, "nonsense", &port), -EINVAL);
	CHECK_EQ(control_listen_tcp(control, "127.0.0.1:0", &port), 0);
	CHECK(port != 0);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_port = htons(port);
	CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	send_text(fd, "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n");
	serve_all();
	expect_answer(fd, "{\"stone\":\"top\"}");
	fd = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	send_text(fd, "GET /status HTTP/1.1\r\nHost: evil\r\n\r\n");
	serve_all();
	expect_answer(fd, "403 Forbidden");
	control_free(control);
}

int main(void)
{
	RUN(the_status_is_told);
	RUN(clients_that_leave_or_dawdle_are_let_go);
	RUN(a_dead_socket_is_replaced_a_living_one_is_not);
	RUN(other_files_are_never_touched);
	RUN(tcp_listens_on_loopback_only);
	control_free(NULL);
	return 0;
}
