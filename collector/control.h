/* SPDX-License-Identifier: Apache-2.0 */
/* Control: tells the status to whoever asks on this host.
 *
 * What it is   a unix socket and, if wanted, a TCP port on loopback, that answer `GET /status` by
 *              HTTP with JSON, one request a connection. Nothing can be changed through it.
 * Ownership    owns its sockets; removes the file of the unix socket at the end.
 * Threads      one owner; it never waits.
 * Errors       negative errno; -EADDRINUSE: another program answers there.
 */
#pragma once

#include <stdint.h>

#include "collector/tally.h"
#include "store/base/json_writer.h"

/* People and scripts ask now and then. One more is let go at once. */
#define CONTROL_CLIENT_MAX 8
/* A client that is slower than this is let go. */
#define CONTROL_CLIENT_NS (UINT64_C(5) * 1000000000)
#define CONTROL_STATUS_BYTES_MAX ((size_t)1 << 20)

struct control;

/* Writes the status as one object. */
typedef void (*control_status_fn)(void *context, struct json_writer *json);

int control_new(
	control_status_fn status, void *context, struct tally *tally, struct control **ret_control);
void control_free(struct control *control);

/* Listens at PATH, in folders that are made if they are missing. A socket that a dead process left
 * there is replaced. -EADDRINUSE: a living one answers. */
int control_listen_unix(struct control *control, const char *path);
/* Listens at ADDR:PORT. -EINVAL: not an address.  -EPERM: not loopback. RET_PORT: the port, also if
 * 0 asked for any. */
int control_listen_tcp(struct control *control, const char *address, uint16_t *ret_port);

/* Readable when there is something to serve; for epoll. Borrowed. */
int control_poll_fd(const struct control *control);
void control_serve(struct control *control, uint64_t now_ns);
