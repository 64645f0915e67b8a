/* SPDX-License-Identifier: Apache-2.0 */
/* Sends windows of a made-up host to a running server, as collectors do, as fast as it acknowledges
 * them or so many a second, and tells how long each acknowledgement took.
 *
 *     bench_ingest SERVER SECONDS STREAMS [BATCHES-A-SECOND]
 *
 * SERVER is HOST:PORT of its gRPC port; BATCHES-A-SECOND is for all streams together, 0 (the
 * default): each stream has as many batches under way as the server allows. Bodies are made before
 * the clock starts. Prints `name value` lines; what the server paid is for the caller to see. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "proto/rpc/rpc_client.h"
#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define WINDOW_NS (10 * NS_PER_S)
#define BODY_COUNT 16
/* A stream gets at most what one CPU can take: beyond this nothing is remembered. */
#define BATCH_COUNT_MAX (1u << 16)
#define STREAM_COUNT_MAX 16
#define UNDER_WAY_MAX 16 /* of one stream, should the server not say */
#define ARENA_BYTES ((size_t)64 << 10)
#define WELCOME_SECONDS_MAX 10
#define DRAIN_SECONDS_MAX 20

struct body {
	struct profile_wire_body wire;
	uint64_t row_count;
};

struct stream {
	struct rpc_client *client;
	struct rpc_call *call;
	struct arena arena; /* of the client's thread */
	uint8_t instance[WIRE_INSTANCE_BYTES];

	pthread_mutex_t lock;
	bool welcomed;
	bool stopping;
	bool closed;
	uint32_t under_way_max;
	uint64_t sent, stored, other;
	uint64_t row_count; /* of what was stored */
	uint64_t *sent_at_ns; /* by sequence; replaced by how long it took */
};

static struct body bodies[BODY_COUNT];

/* ---- What is sent ---- */

static void describe(const struct profile *profile)
{
	const struct sample_table *table = &profile->types[0];
	uint64_t depth = 0;
	uint32_t stacks = 0;

	/* Rows are sorted by stack. */
	for (uint32_t i = 0; i < table->row_count; i++) {
		stacks += i == 0 || table->rows[i].stack != table->rows[i - 1].stack;
		depth += stack_table_depth(&profile->stacks, table->rows[i].stack);
	}
	printf("rows_a_batch %u\nrows_a_stack %.2f\nmean_depth %.1f\n", table->row_count,
		(double)table->row_count / stacks, (double)depth / table->row_count);
}

/* Of hosts that differ, in windows that have just passed: one distinct stack in three rows. */
static void make_bodies(void)
{
	uint64_t now_ns = clock_realtime_ns() / WINDOW_NS * WINDOW_NS;

	for (uint32_t i = 0; i < BODY_COUNT; i++) {
		struct fake_host host = {.name = "bench",
			.seed = 100 + i,
			.process_count = 20,
			.thread_count = 4,
			.cpu_count = 20,
			.depth = 30,
			.sample_count = 4000};
		struct profile *profile =
			fake_profile(&host, now_ns - (i + 2) * WINDOW_NS, WINDOW_NS, i);
		struct profile_wire_bodies made;

		CHECK_EQ(profile_wire_encode(profile, &profile_wire_limits_default, &made), 0);
		CHECK_EQ(made.count, 1);
		bodies[i] = (struct body){made.bodies[0], profile->types[0].row_count};
		free(made.bodies);
		if (i == 0)
			describe(profile);
		profile_free(profile);
	}
}

/* ---- One stream; its lock is held ---- */

static void send_batch(struct stream *stream)
{
	const struct profile_wire_body *body = &bodies[stream->sent % BODY_COUNT].wire;
	struct wire_batch batch = {
		.sequence = stream->sent,
		.encoding = WIRE_ENCODING_ZSTD,
		.raw_byte_count = body->raw_byte_count,
		.body = body->bytes,
		.body_byte_count = body->byte_count,
	};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;

	memcpy(batch.instance, stream->instance, sizeof(batch.instance));
	CHECK_EQ(wire_batch_encode(&batch, &bytes, &byte_count), 0);
	stream->sent_at_ns[stream->sent] = clock_monotonic_ns();
	CHECK_EQ(rpc_call_send(stream->call, bytes, byte_count), 0);
	stream->sent++;
}

static bool may_send(const struct stream *stream)
{
	return stream->welcomed && !stream->stopping && stream->sent < BATCH_COUNT_MAX &&
		stream->sent - stream->stored - stream->other < stream->under_way_max;
}

static void take_ack(struct stream *stream, const struct wire_ack *ack)
{
	CHECK(ack->sequence < stream->sent);
	if (ack->result != WIRE_ACK_STORED) {
		if (stream->other++ == 0)
			fprintf(stderr, "a batch was not stored: %s\n", ack->text);
		return;
	}
	stream->stored++;
	stream->row_count += bodies[ack->sequence % BODY_COUNT].row_count;
	stream->sent_at_ns[ack->sequence] =
		clock_monotonic_ns() - stream->sent_at_ns[ack->sequence];
}

static bool is_paced;

static void on_message(void *context, const uint8_t *bytes, size_t byte_count)
{
	struct stream *stream = context;
	struct wire_push_reply reply;

	arena_reset(&stream->arena);
	CHECK_EQ(wire_push_reply_decode(bytes, byte_count, &stream->arena, &reply), 0);
	pthread_mutex_lock(&stream->lock);
	if (reply.kind == WIRE_REPLY_WELCOME) {
		stream->welcomed = true;
		if (reply.welcome.unacknowledged_max)
			stream->under_way_max = reply.welcome.unacknowledged_max;
	} else if (reply.kind == WIRE_REPLY_ACK) {
		take_ack(stream, &reply.ack);
		while (!is_paced && may_send(stream))
			send_batch(stream);
	}
	pthread_mutex_unlock(&stream->lock);
}

static void on_close(void *context, int result, const char *text)
{
	struct stream *stream = context;

	pthread_mutex_lock(&stream->lock);
	stream->closed = true;
	if (result < 0 && !stream->stopping)
		fprintf(stderr, "the stream ended: %s (%s)\n", strerror(-result), text);
	pthread_mutex_unlock(&stream->lock);
}

static const struct rpc_call_events events = {.on_message = on_message, .on_close = on_close};

static void open_stream(struct stream *stream, const char *server)
{
	struct rpc_client_options options = {.server = server};
	struct wire_hello hello = {.version = WIRE_VERSION, .program = "bench", .host = "bench"};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;

	stream->sent_at_ns = calloc(BATCH_COUNT_MAX, sizeof(*stream->sent_at_ns));
	CHECK(stream->sent_at_ns);
	stream->under_way_max = UNDER_WAY_MAX;
	arena_init(&stream->arena, ARENA_BYTES);
	pthread_mutex_init(&stream->lock, NULL);
	CHECK_EQ(getrandom(stream->instance, sizeof(stream->instance), 0), WIRE_INSTANCE_BYTES);
	memcpy(hello.instance, stream->instance, sizeof(hello.instance));
	CHECK_EQ(rpc_client_new(&options, &stream->client), 0);
	CHECK_EQ(rpc_call_new(stream->client, INGEST_PUSH_PATH, UINT64_MAX, &events, stream,
			 &stream->call),
		0);
	CHECK_EQ(wire_hello_encode(&hello, &bytes, &byte_count), 0);
	CHECK_EQ(rpc_call_send(stream->call, bytes, byte_count), 0);
}

/* ---- All streams ---- */

static void sleep_ns(uint64_t ns)
{
	struct timespec pause = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

	nanosleep(&pause, NULL);
}

static bool is_welcomed(struct stream *stream)
{
	bool welcomed;

	pthread_mutex_lock(&stream->lock);
	welcomed = stream->welcomed;
	CHECK(!stream->closed);
	pthread_mutex_unlock(&stream->lock);
	return welcomed;
}

static bool is_answered(struct stream *stream)
{
	bool answered;

	pthread_mutex_lock(&stream->lock);
	stream->stopping = true;
	answered = stream->closed || stream->stored + stream->other == stream->sent;
	pthread_mutex_unlock(&stream->lock);
	return answered;
}

static void wait_for(struct stream *streams, uint32_t count, bool (*is_so)(struct stream *),
	uint64_t seconds_max)
{
	uint64_t deadline_ns = clock_monotonic_ns() + seconds_max * NS_PER_S;

	for (uint32_t i = 0; i < count; i++) {
		while (!is_so(&streams[i])) {
			CHECK(clock_monotonic_ns() < deadline_ns);
			sleep_ns(NS_PER_MS);
		}
	}
}

static void try_to_send(struct stream *stream, uint64_t *skipped)
{
	pthread_mutex_lock(&stream->lock);
	if (may_send(stream))
		send_batch(stream);
	else
		++*skipped;
	pthread_mutex_unlock(&stream->lock);
}

/* Evenly spread, whatever the answers do: a slow answer delays none but its own. */
static uint64_t run_paced(struct stream *streams, uint32_t count, uint64_t seconds, double rate)
{
	uint64_t start_ns = clock_monotonic_ns(), skipped = 0;

	for (uint64_t i = 0; (double)i < (double)seconds * rate; i++) {
		uint64_t due_ns = start_ns + (uint64_t)((double)i * 1e9 / rate);
		uint64_t now_ns = clock_monotonic_ns();

		if (now_ns < due_ns)
			sleep_ns(due_ns - now_ns);
		try_to_send(&streams[i % count], &skipped);
	}
	return skipped;
}

static void run_full(struct stream *streams, uint32_t count, uint64_t seconds)
{
	for (uint32_t i = 0; i < count; i++) {
		pthread_mutex_lock(&streams[i].lock);
		while (may_send(&streams[i]))
			send_batch(&streams[i]);
		pthread_mutex_unlock(&streams[i].lock);
	}
	sleep_ns(seconds * NS_PER_S);
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void report_latencies(const struct stream *streams, uint32_t count, uint64_t total)
{
	SCOPED_FREE uint64_t *all = calloc(total + 1, sizeof(*all));
	uint64_t at = 0, middle, late;

	CHECK(all && total > 0);
	for (uint32_t i = 0; i < count; i++) {
		CHECK_EQ(streams[i].other, 0);
		memcpy(all + at, streams[i].sent_at_ns, streams[i].sent * sizeof(*all));
		at += streams[i].sent;
	}
	CHECK_EQ(at, total);
	qsort(all, total, sizeof(*all), compare);
	middle = total / 2;
	late = total - 1 - total / 100;
	printf("ack_ms_p50 %.2f\nack_ms_p99 %.2f\nack_ms_max %.2f\n", (double)all[middle] / 1e6,
		(double)all[late] / 1e6, (double)all[total - 1] / 1e6);
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint32_t count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	double rate = argc > 4 ? strtod(argv[4], NULL) : 0;
	static struct stream streams[STREAM_COUNT_MAX];
	uint64_t start_ns, total = 0, rows = 0, skipped = 0;

	if (seconds == 0 || count == 0 || count > STREAM_COUNT_MAX) {
		fprintf(stderr, "usage: bench_ingest SERVER SECONDS STREAMS [BATCHES-A-SECOND]\n");
		return 2;
	}
	is_paced = rate > 0;
	make_bodies();
	for (uint32_t i = 0; i < count; i++)
		open_stream(&streams[i], argv[1]);
	wait_for(streams, count, is_welcomed, WELCOME_SECONDS_MAX);
	start_ns = clock_monotonic_ns();
	if (is_paced)
		skipped = run_paced(streams, count, seconds, rate);
	else
		run_full(streams, count, seconds);
	wait_for(streams, count, is_answered, DRAIN_SECONDS_MAX);
	printf("seconds %.3f\n", (double)(clock_monotonic_ns() - start_ns) / 1e9);
	for (uint32_t i = 0; i < count; i++) {
		rpc_client_free(streams[i].client);
		rpc_call_free(streams[i].call);
		arena_done(&streams[i].arena);
		total += streams[i].sent;
		rows += streams[i].row_count;
	}
	printf("batches %" PRIu64 "\nrows %" PRIu64 "\nskipped %" PRIu64 "\n", total, rows,
		skipped);
	report_latencies(streams, count, total);
	for (uint32_t i = 0; i < count; i++)
		free(streams[i].sent_at_ns);
	return 0;
}
