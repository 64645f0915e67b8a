/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/ingest_wire.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

static struct arena arena;

static void a_hello_reads_back(void)
{
	struct wire_hello hello = {
		.version = 1, .features = 5, .program = "0.1.0", .host = "web-17"};
	struct wire_push push;
	uint8_t *bytes;
	size_t byte_count;

	memset(hello.instance, 7, sizeof(hello.instance));
	CHECK_EQ(wire_hello_encode(&hello, &bytes, &byte_count), 0);
	CHECK_EQ(wire_push_decode(bytes, byte_count, &arena, &push), 0);
	free(bytes);
	CHECK_EQ(push.kind, WIRE_PUSH_HELLO);
	CHECK_EQ(push.hello.version, 1);
	CHECK_EQ(push.hello.features, 5);
	CHECK_STR(push.hello.program, "0.1.0");
	CHECK_STR(push.hello.host, "web-17");
	CHECK(memcmp(push.hello.instance, hello.instance, sizeof(hello.instance)) == 0);
}

static void a_batch_reads_back(void)
{
	static const uint8_t body[] = {1, 2, 3, 0, 255};
	struct wire_batch batch = {.instance = {9, 8, 7},
		.sequence = UINT64_MAX,
		.encoding = WIRE_ENCODING_ZSTD,
		.raw_byte_count = 12345,
		.body = body,
		.body_byte_count = sizeof(body)};
	struct wire_push push;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_batch_encode(&batch, &bytes, &byte_count), 0);
	CHECK_EQ(wire_push_decode(bytes, byte_count, &arena, &push), 0);
	free(bytes);
	CHECK_EQ(push.kind, WIRE_PUSH_BATCH);
	CHECK(push.batch.sequence == UINT64_MAX);
	CHECK_EQ(push.batch.encoding, WIRE_ENCODING_ZSTD);
	CHECK_EQ(push.batch.raw_byte_count, 12345);
	CHECK_EQ(push.batch.body_byte_count, sizeof(body));
	CHECK(memcmp(push.batch.body, body, sizeof(body)) == 0);
	CHECK(memcmp(push.batch.instance, batch.instance, sizeof(batch.instance)) == 0);
}

static void replies_read_back(void)
{
	struct wire_welcome welcome = {
		.version = 2, .features = 1, .program = "0.2.0", .unacknowledged_max = 16};
	struct wire_ack ack = {.sequence = 3,
		.result = WIRE_ACK_REFUSED,
		.retry_after_ns = 4,
		.text = "a frame's module"};
	struct wire_push_reply reply;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_welcome_encode(&welcome, &bytes, &byte_count), 0);
	CHECK_EQ(wire_push_reply_decode(bytes, byte_count, &arena, &reply), 0);
	free(bytes);
	CHECK_EQ(reply.kind, WIRE_REPLY_WELCOME);
	CHECK_EQ(reply.welcome.version, 2);
	CHECK_STR(reply.welcome.program, "0.2.0");
	CHECK_EQ(reply.welcome.unacknowledged_max, 16);
	CHECK_EQ(wire_ack_encode(&ack, &bytes, &byte_count), 0);
	CHECK_EQ(wire_push_reply_decode(bytes, byte_count, &arena, &reply), 0);
	free(bytes);
	CHECK_EQ(reply.kind, WIRE_REPLY_ACK);
	CHECK_EQ(reply.ack.sequence, 3);
	CHECK_EQ(reply.ack.result, WIRE_ACK_REFUSED);
	CHECK_EQ(reply.ack.retry_after_ns, 4);
	CHECK_STR(reply.ack.text, "a frame's module");
}

static void a_result_of_a_newer_server_keeps_the_batch(void)
{
	struct wire_ack ack = {.sequence = 3, .result = (enum wire_ack_result)77};
	struct wire_push_reply reply;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_ack_encode(&ack, &bytes, &byte_count), 0);
	CHECK_EQ(wire_push_reply_decode(bytes, byte_count, &arena, &reply), 0);
	free(bytes);
	CHECK_EQ(reply.ack.result, WIRE_ACK_RETRY);
	CHECK_STR(reply.ack.text, "");
}

static void messages_of_newer_peers_are_unknown_not_wrong(void)
{
	/* Field 15, length-delimited, two bytes. */
	static const uint8_t bytes[] = {0x7a, 2, 'h', 'i'};
	struct wire_push_reply reply;
	struct wire_push push;

	CHECK_EQ(wire_push_decode(bytes, sizeof(bytes), &arena, &push), 0);
	CHECK_EQ(push.kind, WIRE_PUSH_UNKNOWN);
	CHECK_EQ(wire_push_reply_decode(bytes, sizeof(bytes), &arena, &reply), 0);
	CHECK_EQ(reply.kind, WIRE_REPLY_UNKNOWN);
	CHECK_EQ(wire_push_decode("", 0, &arena, &push), 0);
	CHECK_EQ(push.kind, WIRE_PUSH_UNKNOWN);
}

static void fields_out_of_bounds_are_refused(void)
{
	static char long_text[WIRE_TEXT_BYTES_MAX + 2];
	/* A hello whose instance has 2 bytes. */
	static const uint8_t short_instance[] = {0x0a, 4, 0x1a, 2, 1, 2};
	struct wire_hello hello = {.program = long_text, .host = "a"};
	struct wire_push push;
	uint8_t *bytes;
	size_t byte_count;

	memset(long_text, 'x', sizeof(long_text) - 1);
	CHECK_EQ(wire_hello_encode(&hello, &bytes, &byte_count), 0);
	CHECK_EQ(wire_push_decode(bytes, byte_count, &arena, &push), -EBADMSG);
	free(bytes);
	CHECK_EQ(wire_push_decode(short_instance, sizeof(short_instance), &arena, &push), -EBADMSG);
}

static void a_message_costs_no_more_than_its_arena(void)
{
	static uint8_t body[100000];
	struct wire_batch batch = {.body = body, .body_byte_count = sizeof(body)};
	struct wire_push push;
	struct arena small;
	uint8_t *bytes;
	size_t byte_count;

	arena_init(&small, 1000);
	CHECK_EQ(wire_batch_encode(&batch, &bytes, &byte_count), 0);
	CHECK_EQ(wire_push_decode(bytes, byte_count, &small, &push), -EBADMSG);
	free(bytes);
	arena_done(&small);
}

static void any_bytes_are_survived(void)
{
	struct random random = {5};

	for (int i = 0; i < 20000; i++) {
		struct wire_push_reply reply;
		struct wire_push push;
		uint8_t bytes[64];
		size_t byte_count = random_below(&random, sizeof(bytes));

		for (size_t j = 0; j < byte_count; j++)
			bytes[j] = (uint8_t)random_skewed(&random, 256);
		(void)wire_push_decode(bytes, byte_count, &arena, &push);
		(void)wire_push_reply_decode(bytes, byte_count, &arena, &reply);
		arena_reset(&arena);
	}
}

static void one_version_less_and_one_more_are_understood(void)
{
	CHECK(wire_version_fits(WIRE_VERSION - 1));
	CHECK(wire_version_fits(WIRE_VERSION));
	CHECK(wire_version_fits(WIRE_VERSION + 1));
	CHECK(!wire_version_fits(WIRE_VERSION + 2));
	CHECK(!wire_version_fits(UINT32_MAX));
}

int main(void)
{
	arena_init(&arena, 1 << 20);
	RUN(one_version_less_and_one_more_are_understood);
	RUN(a_hello_reads_back);
	RUN(a_batch_reads_back);
	RUN(replies_read_back);
	RUN(a_result_of_a_newer_server_keeps_the_batch);
	RUN(messages_of_newer_peers_are_unknown_not_wrong);
	RUN(fields_out_of_bounds_are_refused);
	RUN(a_message_costs_no_more_than_its_arena);
	RUN(any_bytes_are_survived);
	arena_done(&arena);
	return 0;
}
