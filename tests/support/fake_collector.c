/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fake_collector.h"

#include <stdio.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/service/ingest_service.h"
#include "tests/support/check.h"

void collector_hello(struct call_probe *probe, uint32_t version)
{
	struct wire_hello hello = {.version = version, .program = "0.1.0", .host = "host-a"};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;

	CHECK_EQ(wire_hello_encode(&hello, &bytes, &byte_count), 0);
	probe_send(probe, bytes, byte_count);
}

void collector_open(struct call_probe *probe, struct rpc_client *client)
{
	probe_open(probe, client, INGEST_PUSH_PATH);
	collector_hello(probe, WIRE_VERSION);
	probe_wait_messages(probe, 1);
}

void collector_reply(
	struct call_probe *probe, size_t at, struct arena *arena, struct wire_push_reply *reply)
{
	struct probe_message message = probe_message_at(probe, at);

	CHECK_EQ(wire_push_reply_decode(message.bytes, message.byte_count, arena, reply), 0);
}

/* The message at AT, which is an answer; its text in TEXT (64 characters). */
enum wire_ack_result collector_ack(
	struct call_probe *probe, size_t at, uint64_t *ret_sequence, char *ret_text)
{
	struct wire_push_reply reply;
	struct arena arena;

	arena_init(&arena, 1 << 16);
	collector_reply(probe, at, &arena, &reply);
	CHECK_EQ(reply.kind, WIRE_REPLY_ACK);
	*ret_sequence = reply.ack.sequence;
	snprintf(ret_text, 64, "%s", reply.ack.text);
	arena_done(&arena);
	return reply.ack.result;
}

void collector_check_ack(
	struct call_probe *probe, size_t at, uint64_t sequence, enum wire_ack_result result)
{
	uint64_t got;
	char text[64];

	CHECK_EQ(collector_ack(probe, at, &got, text), result);
	CHECK_EQ(got, sequence);
}

void collector_send(struct call_probe *probe, uint8_t instance, uint64_t sequence,
	const struct profile_wire_body *body)
{
	struct wire_batch batch = {.instance = {instance},
		.sequence = sequence,
		.encoding = WIRE_ENCODING_ZSTD,
		.raw_byte_count = body->raw_byte_count,
		.body = body->bytes,
		.body_byte_count = body->byte_count};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;

	CHECK_EQ(wire_batch_encode(&batch, &bytes, &byte_count), 0);
	probe_send(probe, bytes, byte_count);
}

void collector_send_profile(
	struct call_probe *probe, uint8_t instance, uint64_t sequence, struct profile *profile)
{
	struct profile_wire_bodies bodies;

	CHECK_EQ(profile_wire_encode(profile, &profile_wire_limits_default, &bodies), 0);
	CHECK_EQ(bodies.count, 1);
	collector_send(probe, instance, sequence, &bodies.bodies[0]);
	profile_wire_bodies_done(&bodies);
	profile_free(profile);
}
