/* SPDX-License-Identifier: Apache-2.0 */
/* Call probe: one call at a server, and everything that came back, for tests to wait on.
 *
 * What it is   rpc_client's callbacks with a lock around what they saw.
 * Ownership    probe_open to probe_close; the client belongs to the test.
 * Threads      one test thread.
 * Errors       none: what does not come within PROBE_TIMEOUT_NS ends the test.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/rpc/rpc_client.h"

struct probe_message {
	uint8_t *bytes;
	size_t byte_count;
};

struct call_probe {
	struct rpc_call *call;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct probe_message *messages;
	size_t message_count;
	size_t sent_count; /* times that everything queued had been sent */
	bool closed;
	int result;
	char text[256];
};

struct rpc_client *probe_client(uint16_t port);
void probe_open(struct call_probe *probe, struct rpc_client *client, const char *path);
void probe_open_for(
	struct call_probe *probe, struct rpc_client *client, const char *path, uint64_t timeout_ns);
/* Waits for its end, too. */
void probe_close(struct call_probe *probe);
void probe_send(struct call_probe *probe, const void *bytes, size_t byte_count);
void probe_wait_messages(struct call_probe *probe, size_t count);
/* Waits for message AT. While more may come, this is the way to them: the array moves. */
struct probe_message probe_message_at(struct call_probe *probe, size_t at);
/* The result with which the call ended. */
int probe_wait_closed(struct call_probe *probe);
