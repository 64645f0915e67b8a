/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/call_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

#define PROBE_TIMEOUT_S 60

static void on_message(void *context, const uint8_t *bytes, size_t byte_count)
{
	struct call_probe *probe = context;
	struct probe_message message = {malloc(byte_count + 1), byte_count};

	CHECK(message.bytes);
	memcpy(message.bytes, bytes, byte_count);
	pthread_mutex_lock(&probe->lock);
	probe->messages =
		realloc(probe->messages, (probe->message_count + 1) * sizeof(*probe->messages));
	CHECK(probe->messages);
	probe->messages[probe->message_count++] = message;
	pthread_cond_broadcast(&probe->changed);
	pthread_mutex_unlock(&probe->lock);
}

static void on_sent(void *context)
{
	struct call_probe *probe = context;

	pthread_mutex_lock(&probe->lock);
	probe->sent_count++;
	pthread_cond_broadcast(&probe->changed);
	pthread_mutex_unlock(&probe->lock);
}

static void on_close(void *context, int result, const char *text)
{
	struct call_probe *probe = context;

	pthread_mutex_lock(&probe->lock);
	probe->closed = true;
	probe->result = result;
	snprintf(probe->text, sizeof(probe->text), "%s", text);
	pthread_cond_broadcast(&probe->changed);
	pthread_mutex_unlock(&probe->lock);
}

static const struct rpc_call_events events = {on_message, on_sent, on_close};

struct rpc_client *probe_client(uint16_t port)
{
	struct rpc_client *client;
	char server[32];
	struct rpc_client_options options = {.server = server};

	snprintf(server, sizeof(server), "127.0.0.1:%u", port);
	CHECK_EQ(rpc_client_new(&options, &client), 0);
	return client;
}

void probe_open_for(
	struct call_probe *probe, struct rpc_client *client, const char *path, uint64_t timeout_ns)
{
	*probe = (struct call_probe){0};
	pthread_mutex_init(&probe->lock, NULL);
	pthread_cond_init(&probe->changed, NULL);
	CHECK_EQ(rpc_call_new(client, path, timeout_ns, &events, probe, &probe->call), 0);
}

void probe_open(struct call_probe *probe, struct rpc_client *client, const char *path)
{
	probe_open_for(probe, client, path, UINT64_MAX);
}

void probe_send(struct call_probe *probe, const void *bytes, size_t byte_count)
{
	CHECK_EQ(rpc_call_send(probe->call, bytes, byte_count), 0);
}

/* Under the lock. */
static void wait_change(struct call_probe *probe)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PROBE_TIMEOUT_S;
	CHECK_EQ(pthread_cond_timedwait(&probe->changed, &probe->lock, &until), 0);
}

void probe_wait_messages(struct call_probe *probe, size_t count)
{
	pthread_mutex_lock(&probe->lock);
	while (probe->message_count < count)
		wait_change(probe);
	pthread_mutex_unlock(&probe->lock);
}

struct probe_message probe_message_at(struct call_probe *probe, size_t at)
{
	struct probe_message message;

	probe_wait_messages(probe, at + 1);
	pthread_mutex_lock(&probe->lock);
	message = probe->messages[at];
	pthread_mutex_unlock(&probe->lock);
	return message;
}

int probe_wait_closed(struct call_probe *probe)
{
	pthread_mutex_lock(&probe->lock);
	while (!probe->closed)
		wait_change(probe);
	pthread_mutex_unlock(&probe->lock);
	return probe->result;
}

void probe_close(struct call_probe *probe)
{
	rpc_call_cancel(probe->call);
	(void)probe_wait_closed(probe);
	rpc_call_free(probe->call);
	for (size_t i = 0; i < probe->message_count; i++)
		free(probe->messages[i].bytes);
	free(probe->messages);
	pthread_cond_destroy(&probe->changed);
	pthread_mutex_destroy(&probe->lock);
}
