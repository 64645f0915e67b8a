/* SPDX-License-Identifier: Apache-2.0 */
/* A collector of which every answer is known beforehand.
 *
 *     power_push PORT RUN FIRST COUNT EPOCH
 *
 * Pushes batches FIRST to FIRST + COUNT - 1 of the instance RUN to 127.0.0.1:PORT, some under way at
 * a time, and prints each answer as soon as it is there: `stored RUN N`, `duplicate RUN N`, or what
 * else was said. Batch N of a run is the same however often it is made: SAMPLES_MIN + N % SAMPLES_SPREAD
 * samples of 10 ms in the stack `run RUN;batch N`; its window starts behind EPOCH (seconds). */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>

#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "store/base/arena.h"
#include "store/base/clock.h"
#include "tests/support/call_probe.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/sample_profile.h"

#define ARENA_BYTES_MAX ((size_t)1 << 20)
#define WINDOW_NS (10 * NS_PER_S)
/* Windows of different runs may lie over each other; all of them lie within some days. */
#define WINDOW_COUNT 50000
#define BATCHES_PER_RUN 1000
/* Each in a thread of its own, whose name doesn't compress: a batch as large as a busy host's. */
#define SAMPLES_MIN 200
#define SAMPLES_SPREAD 50
/* Enough for groups of several batches in one commit. */
#define UNDER_WAY_MAX 8

struct push {
	struct call_probe probe;
	struct arena arena;
	uint64_t run;
	uint64_t epoch_ns;
};

static struct profile *make_window(const struct push *push, uint64_t number)
{
	uint64_t state = push->run * BATCHES_PER_RUN + number + 1;
	uint64_t window = state % WINDOW_COUNT;
	struct profile *profile =
		sample_profile_new("power", push->epoch_ns + window * WINDOW_NS, WINDOW_NS);
	struct sample_profile_sample sample = {.process = "power"};
	char stack[64], name[64];

	snprintf(stack, sizeof(stack), "run %" PRIu64 ";batch %" PRIu64, push->run, number);
	sample.stack = stack;
	sample.thread = name;
	for (uint32_t i = 0; i < SAMPLES_MIN + number % SAMPLES_SPREAD; i++) {
		uint64_t one = fake_random(&state), other = fake_random(&state);

		snprintf(name, sizeof(name), "%016" PRIx64 "%016" PRIx64, one, other);
		sample.tid = 1000 + i;
		sample.slot = i * 2;
		sample_profile_add(profile, &sample);
	}
	sample_profile_seal(profile);
	return profile;
}

static void set_instance(const struct push *push, uint8_t *ret_instance)
{
	memset(ret_instance, 0, WIRE_INSTANCE_BYTES);
	memcpy(ret_instance, &push->run, sizeof(push->run));
}

static void send_hello(struct push *push)
{
	struct wire_hello hello = {.version = WIRE_VERSION, .program = "0", .host = "power"};
	uint8_t *bytes;
	size_t byte_count;

	set_instance(push, hello.instance);
	CHECK_EQ(wire_hello_encode(&hello, &bytes, &byte_count), 0);
	probe_send(&push->probe, bytes, byte_count);
	free(bytes);
}

static void send_batch(struct push *push, uint64_t number)
{
	struct wire_batch batch = {.sequence = number, .encoding = WIRE_ENCODING_ZSTD};
	struct profile *profile = make_window(push, number);
	struct profile_wire_bodies bodies = {0};
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(profile_wire_encode(profile, &profile_wire_limits_default, &bodies), 0);
	CHECK_EQ(bodies.count, 1);
	set_instance(push, batch.instance);
	batch.raw_byte_count = bodies.bodies[0].raw_byte_count;
	batch.body = bodies.bodies[0].bytes;
	batch.body_byte_count = bodies.bodies[0].byte_count;
	CHECK_EQ(wire_batch_encode(&batch, &bytes, &byte_count), 0);
	probe_send(&push->probe, bytes, byte_count);
	free(bytes);
	profile_wire_bodies_done(&bodies);
	profile_free(profile);
}

/* Message AT: 0 is the welcome, each further one an answer. */
static struct wire_push_reply reply_at(struct push *push, size_t at)
{
	struct probe_message message = probe_message_at(&push->probe, at);
	struct wire_push_reply reply;

	arena_reset(&push->arena);
	CHECK_EQ(
		wire_push_reply_decode(message.bytes, message.byte_count, &push->arena, &reply), 0);
	return reply;
}

static void print_ack(const struct push *push, const struct wire_ack *ack)
{
	const char *result = ack->result == WIRE_ACK_STORED ? "stored"
		: ack->result == WIRE_ACK_DUPLICATE	    ? "duplicate"
							    : "not-taken";

	printf("%s %" PRIu64 " %" PRIu64 " %s\n", result, push->run, ack->sequence, ack->text);
	CHECK_EQ(fflush(stdout), 0);
}

static void push_all(struct push *push, uint64_t first, uint64_t count)
{
	uint64_t sent = 0;

	send_hello(push);
	CHECK_EQ(reply_at(push, 0).kind, WIRE_REPLY_WELCOME);
	for (uint64_t answered = 0; answered < count; answered++) {
		struct wire_push_reply reply;

		while (sent < count && sent < answered + UNDER_WAY_MAX)
			send_batch(push, first + sent++);
		reply = reply_at(push, answered + 1);
		CHECK_EQ(reply.kind, WIRE_REPLY_ACK);
		print_ack(push, &reply.ack);
	}
}

static uint64_t number_of(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 10);

	CHECK(*text && !*end);
	return number;
}

int main(int argc, char **argv)
{
	struct rpc_client *client;
	struct push push = {0};

	CHECK_EQ(argc, 6);
	push.run = number_of(argv[2]);
	push.epoch_ns = number_of(argv[5]) * NS_PER_S;
	arena_init(&push.arena, ARENA_BYTES_MAX);
	client = probe_client((uint16_t)number_of(argv[1]));
	probe_open(&push.probe, client, INGEST_PUSH_PATH);
	push_all(&push, number_of(argv[3]), number_of(argv[4]));
	probe_close(&push.probe);
	rpc_client_free(client);
	arena_done(&push.arena);
	return 0;
}
