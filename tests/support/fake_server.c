/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fake_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "store/base/clock.h"
#include "tests/support/check.h"

#define PATIENCE_S 60
#define MESSAGE_ARENA_BYTES ((size_t)16 << 20)

static struct fake_server *shared; /* methods are static, so is what they serve */

static int open_stream(void *context, struct rpc_stream *stream, void **ret_state)
{
	(void)context;
	*ret_state = shared;
	rpc_stream_read(stream);
	return 0;
}

static void send_welcome(struct fake_server *server, struct rpc_stream *stream)
{
	struct wire_welcome welcome = {.version = server->version, .program = "fake"};
	uint8_t *bytes;
	size_t byte_count;

	server->hello_count++;
	if (server->refuses_version) {
		rpc_stream_finish(stream, -EPROTONOSUPPORT, "this server speaks version 9");
		return;
	}
	if (server->answer == FAKE_SAYS_NOTHING)
		return;
	CHECK_EQ(wire_welcome_encode(&welcome, &bytes, &byte_count), 0);
	(void)rpc_stream_send(stream, bytes, byte_count);
	free(bytes);
}

static uint64_t count_samples(const struct wire_batch *batch)
{
	struct profile *profile;
	const char *what;
	uint64_t samples;

	CHECK_EQ(profile_wire_decode(batch->body, batch->body_byte_count, batch->raw_byte_count,
			 &profile_wire_limits_default, &profile, &what),
		0);
	samples = profile_sample_count(profile);
	profile_free(profile);
	return samples;
}

static void send_ack(struct rpc_stream *stream, uint64_t sequence, enum wire_ack_result result)
{
	struct wire_ack ack = {.sequence = sequence, .result = result, .text = "as told"};
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_ack_encode(&ack, &bytes, &byte_count), 0);
	(void)rpc_stream_send(stream, bytes, byte_count);
	free(bytes);
}

static void take_batch(
	struct fake_server *server, struct rpc_stream *stream, const struct wire_batch *batch)
{
	uint64_t sequence = batch->sequence;
	bool first;

	CHECK(sequence < FAKE_BATCH_COUNT_MAX);
	server->batch_count++;
	server->arrivals[sequence]++;
	if (server->answer == FAKE_REFUSES) {
		send_ack(stream, sequence, WIRE_ACK_REFUSED);
		return;
	}
	if (server->answer == FAKE_RETRIES) {
		send_ack(stream, sequence, WIRE_ACK_RETRY);
		return;
	}
	first = server->samples[sequence] == 0;
	if (first) {
		server->samples[sequence] = count_samples(batch);
		server->stored_count++;
	}
	if (server->answer == FAKE_STORES)
		send_ack(stream, sequence, first ? WIRE_ACK_STORED : WIRE_ACK_DUPLICATE);
}

static void take_push(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	struct fake_server *server = state;
	struct wire_push push;
	struct arena arena;

	arena_init(&arena, MESSAGE_ARENA_BYTES);
	CHECK_EQ(wire_push_decode(bytes, byte_count, &arena, &push), 0);
	pthread_mutex_lock(&server->lock);
	if (push.kind == WIRE_PUSH_HELLO)
		send_welcome(server, stream);
	else
		take_batch(server, stream, &push.batch);
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
	arena_done(&arena);
	rpc_stream_read(stream);
}

static void take_want_request(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	struct fake_server *server = state;
	struct wire_want want = {.what = WIRE_WHAT_EXECUTABLE, .name = "libwanted.so"};
	struct wire_hello hello;
	struct arena arena;
	uint8_t *encoded;
	size_t encoded_bytes;

	arena_init(&arena, MESSAGE_ARENA_BYTES);
	CHECK_EQ(wire_want_request_decode(bytes, byte_count, &arena, &hello), 0);
	arena_done(&arena);
	pthread_mutex_lock(&server->lock);
	server->want_count++;
	want.id = server->want;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
	if (build_id_known(&want.id)) {
		CHECK_EQ(wire_want_encode(&want, &encoded, &encoded_bytes), 0);
		(void)rpc_stream_send(stream, encoded, encoded_bytes);
		free(encoded);
	}
	rpc_stream_read(stream);
}

static void keep_open(void *state, struct rpc_stream *stream)
{
	(void)state;
	(void)stream;
}

static void finish_upload(struct fake_server *server, struct rpc_stream *stream, uint64_t announced)
{
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(announced, server->upload_bytes);
	server->upload_count++;
	CHECK_EQ(wire_upload_reply_encode(announced, &bytes, &byte_count), 0);
	(void)rpc_stream_send(stream, bytes, byte_count);
	free(bytes);
	rpc_stream_finish(stream, 0, NULL);
}

static void take_upload(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	struct fake_server *server = state;
	struct wire_upload upload;
	struct arena arena;

	arena_init(&arena, MESSAGE_ARENA_BYTES);
	CHECK_EQ(wire_upload_decode(bytes, byte_count, &arena, &upload), 0);
	pthread_mutex_lock(&server->lock);
	if (upload.kind == WIRE_UPLOAD_HEADER) {
		server->upload_header = upload.header;
		server->upload_bytes = 0;
		if (server->upload_result < 0)
			rpc_stream_finish(stream, server->upload_result, "not wanted");
	} else if (upload.kind == WIRE_UPLOAD_CHUNK) {
		server->upload =
			realloc(server->upload, server->upload_bytes + upload.chunk.byte_count);
		CHECK(server->upload);
		memcpy(server->upload + server->upload_bytes, upload.chunk.bytes,
			upload.chunk.byte_count);
		server->upload_bytes += upload.chunk.byte_count;
	} else if (upload.kind == WIRE_UPLOAD_END) {
		finish_upload(server, stream, upload.end_byte_count);
	} else {
		snprintf(server->refusal, sizeof(server->refusal), "%s", upload.refusal.reason);
	}
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
	arena_done(&arena);
	rpc_stream_read(stream);
}

static const struct rpc_method methods[] = {
	{.path = INGEST_PUSH_PATH, .on_open = open_stream, .on_message = take_push},
	{.path = SYMBOLS_WANT_PATH,
		.on_open = open_stream,
		.on_message = take_want_request,
		.on_half_close = keep_open},
	{.path = SYMBOLS_UPLOAD_PATH, .on_open = open_stream, .on_message = take_upload},
};

void fake_server_init(struct fake_server *server)
{
	*server = (struct fake_server){.version = WIRE_VERSION};
	pthread_mutex_init(&server->lock, NULL);
	pthread_cond_init(&server->changed, NULL);
}

void fake_server_start(struct fake_server *server)
{
	char address[32];
	struct rpc_server_options options = {.address = address,
		.methods = methods,
		.method_count = sizeof(methods) / sizeof(methods[0]),
		.thread_count = 2};

	shared = server;
	snprintf(address, sizeof(address), "127.0.0.1:%u", server->port);
	CHECK_EQ(rpc_server_new(&options, &server->rpc), 0);
	server->port = rpc_server_port(server->rpc);
}

void fake_server_stop(struct fake_server *server)
{
	rpc_server_free(server->rpc);
	server->rpc = NULL;
}

void fake_server_done(struct fake_server *server)
{
	fake_server_stop(server);
	free(server->upload);
	pthread_cond_destroy(&server->changed);
	pthread_mutex_destroy(&server->lock);
}

void fake_server_wait(struct fake_server *server, fake_server_fn condition, uint64_t wanted)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&server->lock);
	while (!condition(server, wanted))
		CHECK_EQ(pthread_cond_timedwait(&server->changed, &server->lock, &until), 0);
	pthread_mutex_unlock(&server->lock);
}

void fake_server_answer(struct fake_server *server, enum fake_answer answer)
{
	pthread_mutex_lock(&server->lock);
	server->answer = answer;
	pthread_mutex_unlock(&server->lock);
}

uint64_t fake_server_samples(struct fake_server *server)
{
	uint64_t samples = 0;

	pthread_mutex_lock(&server->lock);
	for (size_t i = 0; i < FAKE_BATCH_COUNT_MAX; i++)
		samples += server->samples[i];
	pthread_mutex_unlock(&server->lock);
	return samples;
}
