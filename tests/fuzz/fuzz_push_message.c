/* SPDX-License-Identifier: Apache-2.0 */
/* Any message of Push, Want or Upload, of either side, either is refused or says the same once it
 * is encoded and decoded again. */
#include <stdlib.h>
#include <string.h>

#include "proto/wire/symbols_wire.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

#define ARENA_BYTES ((size_t)4 << 20)

static struct arena arena;

static void check_hello(const struct wire_hello *hello)
{
	struct wire_push again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_hello_encode(hello, &bytes, &byte_count) == 0);
	must(wire_push_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_PUSH_HELLO && again.hello.version == hello->version);
	must(strcmp(again.hello.host, hello->host) == 0);
	free(bytes);
}

static void check_batch(const struct wire_batch *batch)
{
	struct wire_push again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_batch_encode(batch, &bytes, &byte_count) == 0);
	must(wire_push_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_PUSH_BATCH && again.batch.sequence == batch->sequence);
	must(again.batch.body_byte_count == batch->body_byte_count);
	must(batch->body_byte_count == 0 ||
		memcmp(again.batch.body, batch->body, batch->body_byte_count) == 0);
	free(bytes);
}

static void check_ack(const struct wire_ack *ack)
{
	struct wire_push_reply again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_ack_encode(ack, &bytes, &byte_count) == 0);
	must(wire_push_reply_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_REPLY_ACK && again.ack.result == ack->result);
	must(strcmp(again.ack.text, ack->text) == 0);
	free(bytes);
}

static void check_header(const struct wire_upload_header *header)
{
	struct wire_upload again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_upload_header_encode(header, &bytes, &byte_count) == 0);
	must(wire_upload_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_UPLOAD_HEADER);
	must(build_id_equal(&again.header.id, &header->id));
	must(again.header.byte_count == header->byte_count);
	free(bytes);
}

static void check_welcome(const struct wire_welcome *welcome)
{
	struct wire_push_reply again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_welcome_encode(welcome, &bytes, &byte_count) == 0);
	must(wire_push_reply_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_REPLY_WELCOME && again.welcome.version == welcome->version);
	must(again.welcome.features == welcome->features);
	must(again.welcome.unacknowledged_max == welcome->unacknowledged_max);
	must(strcmp(again.welcome.program, welcome->program) == 0);
	free(bytes);
}

static void check_chunk(const struct wire_upload_chunk *chunk)
{
	struct wire_upload again;
	uint8_t *bytes;
	size_t byte_count;

	must(chunk->byte_count <= WIRE_CHUNK_BYTES_MAX);
	must(wire_upload_chunk_encode(chunk, &bytes, &byte_count) == 0);
	must(wire_upload_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_UPLOAD_CHUNK && again.chunk.byte_count == chunk->byte_count);
	must(chunk->byte_count == 0 ||
		memcmp(again.chunk.bytes, chunk->bytes, chunk->byte_count) == 0);
	free(bytes);
}

static void check_refusal(const struct wire_upload_refusal *refusal)
{
	struct wire_upload again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_upload_refusal_encode(refusal, &bytes, &byte_count) == 0);
	must(wire_upload_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_UPLOAD_REFUSAL && again.refusal.what == refusal->what);
	must(build_id_equal(&again.refusal.id, &refusal->id));
	must(strcmp(again.refusal.reason, refusal->reason) == 0);
	free(bytes);
}

static void check_end(uint64_t end_byte_count)
{
	struct wire_upload again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_upload_end_encode(end_byte_count, &bytes, &byte_count) == 0);
	must(wire_upload_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.kind == WIRE_UPLOAD_END && again.end_byte_count == end_byte_count);
	free(bytes);
}

static void check_upload(const struct wire_upload *upload)
{
	switch (upload->kind) {
	case WIRE_UPLOAD_HEADER:
		check_header(&upload->header);
		break;
	case WIRE_UPLOAD_CHUNK:
		check_chunk(&upload->chunk);
		break;
	case WIRE_UPLOAD_REFUSAL:
		check_refusal(&upload->refusal);
		break;
	case WIRE_UPLOAD_END:
		check_end(upload->end_byte_count);
		break;
	case WIRE_UPLOAD_UNKNOWN:
		break;
	}
}

static void check_want_request(const struct wire_hello *hello)
{
	struct wire_hello again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_want_request_encode(hello, &bytes, &byte_count) == 0);
	must(wire_want_request_decode(bytes, byte_count, &arena, &again) == 0);
	must(again.version == hello->version && again.features == hello->features);
	must(memcmp(again.instance, hello->instance, WIRE_INSTANCE_BYTES) == 0);
	must(strcmp(again.host, hello->host) == 0);
	free(bytes);
}

static void check_upload_reply(uint64_t taken_bytes)
{
	uint64_t again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_upload_reply_encode(taken_bytes, &bytes, &byte_count) == 0);
	must(wire_upload_reply_decode(bytes, byte_count, &arena, &again) == 0);
	must(again == taken_bytes);
	free(bytes);
}

static void check_want(const struct wire_want *want)
{
	struct wire_want again;
	uint8_t *bytes;
	size_t byte_count;

	must(wire_want_encode(want, &bytes, &byte_count) == 0);
	must(wire_want_decode(bytes, byte_count, &arena, &again) == 0);
	must(build_id_equal(&again.id, &want->id) && strcmp(again.name, want->name) == 0);
	free(bytes);
}

static void check_push(const uint8_t *bytes, size_t byte_count)
{
	struct wire_push_reply reply;
	struct wire_push push;

	if (wire_push_decode(bytes, byte_count, &arena, &push) == 0) {
		if (push.kind == WIRE_PUSH_HELLO)
			check_hello(&push.hello);
		if (push.kind == WIRE_PUSH_BATCH)
			check_batch(&push.batch);
	}
	if (wire_push_reply_decode(bytes, byte_count, &arena, &reply) == 0) {
		if (reply.kind == WIRE_REPLY_ACK)
			check_ack(&reply.ack);
		if (reply.kind == WIRE_REPLY_WELCOME)
			check_welcome(&reply.welcome);
	}
}

static void check_symbols(const uint8_t *bytes, size_t byte_count)
{
	struct wire_upload upload;
	struct wire_hello hello;
	struct wire_want want;
	uint64_t taken_bytes;

	if (wire_upload_decode(bytes, byte_count, &arena, &upload) == 0)
		check_upload(&upload);
	if (wire_want_decode(bytes, byte_count, &arena, &want) == 0)
		check_want(&want);
	if (wire_want_request_decode(bytes, byte_count, &arena, &hello) == 0)
		check_want_request(&hello);
	if (wire_upload_reply_decode(bytes, byte_count, &arena, &taken_bytes) == 0)
		check_upload_reply(taken_bytes);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	arena_init(&arena, ARENA_BYTES);
	check_push(bytes, byte_count);
	check_symbols(bytes, byte_count);
	arena_done(&arena);
}
