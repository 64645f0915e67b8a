/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/control_request.h"
#include "store/base/cleanup.h"

enum { LISTENER_UNIX, LISTENER_TCP, LISTENER_COUNT };

struct client {
	int fd; /* -1: free */
	bool is_tcp;
	uint64_t since_ns;
	char request[CONTROL_REQUEST_BYTES_MAX];
	size_t request_bytes;
	struct bytes_writer answer;
	size_t answer_sent;
};

struct control {
	control_status_fn status;
	void *context;
	struct tally *tally;
	int epoll_fd;
	int listeners[LISTENER_COUNT];
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct client clients[CONTROL_CLIENT_MAX];
};

int control_new(
	control_status_fn status, void *context, struct tally *tally, struct control **ret_control)
{
	struct control *control = calloc(1, sizeof(*control));

	if (!control)
		return -ENOMEM;
	control->status = status;
	control->context = context;
	control->tally = tally;
	for (int i = 0; i < LISTENER_COUNT; i++)
		control->listeners[i] = -1;
	for (int i = 0; i < CONTROL_CLIENT_MAX; i++)
		control->clients[i].fd = -1;
	control->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (control->epoll_fd < 0) {
		int r = -errno;

		free(control);
		return r;
	}
	*ret_control = control;
	return 0;
}

static void drop_client(struct client *client)
{
	close(client->fd);
	client->fd = -1;
	bytes_writer_done(&client->answer);
}

void control_free(struct control *control)
{
	if (!control)
		return;
	for (int i = 0; i < CONTROL_CLIENT_MAX; i++) {
		if (control->clients[i].fd >= 0)
			drop_client(&control->clients[i]);
	}
	for (int i = 0; i < LISTENER_COUNT; i++) {
		if (control->listeners[i] >= 0)
			close(control->listeners[i]);
	}
	if (control->path[0])
		unlink(control->path);
	close(control->epoll_fd);
	free(control);
}

/* --- listening ---------------------------------------------------------------------------------
 */

static int listen_at(struct control *control, int which, int socket_fd,
	const struct sockaddr *address, socklen_t length)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = &control->listeners[which]};

	if (bind(socket_fd, address, length) < 0 || listen(socket_fd, CONTROL_CLIENT_MAX) < 0 ||
		epoll_ctl(control->epoll_fd, EPOLL_CTL_ADD, socket_fd, &event) < 0)
		return -errno;
	control->listeners[which] = socket_fd;
	return 0;
}

static int make_folder(const char *path)
{
	char folder[PATH_MAX];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return 0;
	*slash = '\0';
	return mkdir(folder, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* Whether somebody answers at the socket. */
static bool is_alive(const struct sockaddr_un *address)
{
	SCOPED_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return true;
	return connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
		errno == EAGAIN;
}

int control_listen_unix(struct control *control, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	SCOPED_FD int fd = -1;
	struct stat status;
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	r = make_folder(path);
	if (r < 0)
		return r;
	if (lstat(path, &status) == 0) {
		if (!S_ISSOCK(status.st_mode))
			return -EEXIST;
		if (is_alive(&address))
			return -EADDRINUSE;
		unlink(path);
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	r = listen_at(
		control, LISTENER_UNIX, fd, (const struct sockaddr *)&address, sizeof(address));
	if (r < 0)
		return r;
	memcpy(control->path, address.sun_path, sizeof(control->path));
	(void)TAKE_FD(fd);
	return 0;
}

int control_listen_tcp(struct control *control, const char *address, uint16_t *ret_port)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} place = {.any = {0}};
	socklen_t length;
	SCOPED_FD int fd = -1;
	const int yes = 1;
	int r = control_parse_address(address, &place.v4, &place.v6);

	if (r < 0)
		return r;
	length = place.any.sa_family == AF_INET ? sizeof(place.v4) : sizeof(place.v6);
	fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0)
		return -errno;
	r = listen_at(control, LISTENER_TCP, fd, &place.any, length);
	if (r < 0)
		return r;
	if (getsockname(fd, &place.any, &length) < 0)
		return -errno;
	*ret_port = ntohs(place.any.sa_family == AF_INET ? place.v4.sin_port : place.v6.sin6_port);
	(void)TAKE_FD(fd);
	return 0;
}

/* --- clients -----------------------------------------------------------------------------------
 */

int control_poll_fd(const struct control *control)
{
	return control->epoll_fd;
}

static struct client *free_client(struct control *control)
{
	for (int i = 0; i < CONTROL_CLIENT_MAX; i++) {
		if (control->clients[i].fd < 0)
			return &control->clients[i];
	}
	return NULL;
}

static void take_clients(struct control *control, int which, uint64_t now_ns)
{
	for (;;) {
		struct client *client = free_client(control);
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
		int fd = accept4(
			control->listeners[which], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		/* One too many is let go: waiting, it would wake us all the time. */
		if (!client || epoll_ctl(control->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
			close(fd);
			continue;
		}
		client->fd = fd;
		client->is_tcp = which == LISTENER_TCP;
		client->since_ns = now_ns;
		client->request_bytes = 0;
		client->answer_sent = 0;
		bytes_writer_init(&client->answer, CONTROL_STATUS_BYTES_MAX);
	}
}

static void write_status(struct control *control, struct bytes_writer *answer)
{
	struct bytes_writer text;
	struct json_writer json;

	bytes_writer_init(&text, CONTROL_STATUS_BYTES_MAX);
	json_writer_init(&json, &text);
	control->status(control->context, &json);
	if (bytes_writer_fault(&text) < 0)
		control_write_answer(answer, 500, "{\"code\":\"internal\",\"message\":\"\"}", 34);
	else
		control_write_answer(answer, 200, (const char *)text.bytes, text.byte_count);
	bytes_writer_done(&text);
}

static void send_answer(struct control *control, struct client *client)
{
	struct epoll_event event = {.events = EPOLLOUT, .data.ptr = client};

	while (client->answer_sent < client->answer.byte_count) {
		ssize_t sent = send(client->fd, client->answer.bytes + client->answer_sent,
			client->answer.byte_count - client->answer_sent, MSG_NOSIGNAL);

		if (sent < 0 && errno == EAGAIN) {
			epoll_ctl(control->epoll_fd, EPOLL_CTL_MOD, client->fd, &event);
			return;
		}
		if (sent < 0)
			break;
		client->answer_sent += (size_t)sent;
	}
	drop_client(client);
}

static void read_request(struct control *control, struct client *client)
{
	ssize_t got = recv(client->fd, client->request + client->request_bytes,
		sizeof(client->request) - client->request_bytes, 0);
	int status;

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		drop_client(client);
		return;
	}
	client->request_bytes += (size_t)got;
	status = control_judge_request(client->request, client->request_bytes, client->is_tcp);
	if (status == 0)
		return;
	tally_add(control->tally, TALLY_control_requests, 1);
	if (status == 200)
		write_status(control, &client->answer);
	else
		control_write_refusal(&client->answer, status);
	send_answer(control, client);
}

static void drop_slow_clients(struct control *control, uint64_t now_ns)
{
	for (int i = 0; i < CONTROL_CLIENT_MAX; i++) {
		struct client *client = &control->clients[i];

		if (client->fd >= 0 && now_ns - client->since_ns > CONTROL_CLIENT_NS)
			drop_client(client);
	}
}

void control_serve(struct control *control, uint64_t now_ns)
{
	struct epoll_event events[CONTROL_CLIENT_MAX + LISTENER_COUNT];
	int count;

	drop_slow_clients(control, now_ns);
	count = epoll_wait(control->epoll_fd, events, CONTROL_CLIENT_MAX + LISTENER_COUNT, 0);
	for (int i = 0; i < count; i++) {
		struct client *client = events[i].data.ptr;

		if (events[i].data.ptr == &control->listeners[LISTENER_UNIX])
			take_clients(control, LISTENER_UNIX, now_ns);
		else if (events[i].data.ptr == &control->listeners[LISTENER_TCP])
			take_clients(control, LISTENER_TCP, now_ns);
		else if (events[i].events & EPOLLOUT)
			send_answer(control, client);
		else
			read_request(control, client);
	}
}
