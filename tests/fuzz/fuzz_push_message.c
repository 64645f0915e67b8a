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

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct wire_push push;
	struct wire_push_reply reply;
	struct wire_upload upload;
	struct wire_want want;

	arena_init(&arena, ARENA_BYTES);
	if (wire_push_decode(bytes, byte_count, &arena, &push) == 0) {
		if (push.kind == WIRE_PUSH_HELLO)
			check_hello(&push.hello);
		if (push.kind == WIRE_PUSH_BATCH)
			check_batch(&push.batch);
	}
	if (wire_push_reply_decode(bytes, byte_count, &arena, &reply) == 0 &&
		reply.kind == WIRE_REPLY_ACK)
		check_ack(&reply.ack);
	if (wire_upload_decode(bytes, byte_count, &arena, &upload) == 0 &&
		upload.kind == WIRE_UPLOAD_HEADER)
		check_header(&upload.header);
	if (wire_want_decode(bytes, byte_count, &arena, &want) == 0)
		check_want(&want);
	arena_done(&arena);
}
