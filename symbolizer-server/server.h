/* SPDX-License-Identifier: Apache-2.0 */
/* Server: owns every part of cairn-server, and the order in which they start and stop.
 *
 * What it is   sandbox, symbols, store, HTTP, gRPC; each started once the parts that it calls are
 *              there, and stopped before they go.
 * Ownership    the server owns all parts; it borrows the settings.
 * Threads      start and stop: the main thread, with SIGTERM and SIGINT blocked.
 * Errors       a negative errno; what went wrong and what to do was logged as one line.
 */
#pragma once

#include "symbolizer-server/settings.h"

struct server;

/* Prints `listening http ADDR:PORT` and `listening grpc ADDR:PORT` on standard error once both
 * answer. */
int server_start(const struct settings *settings, struct server **ret_server);
/* Answers what was begun, flushes and closes. A failed flush is the result. */
int server_stop(struct server *server);
