/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/rpc_sink.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "store/log/log.h"
#include "tests/support/busy_window.h"
#include "tests/support/check.h"
#include "tests/support/fake_server.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)
#define WINDOW_COUNT 20

static struct fake_server server;

static struct rpc_sink_options options_for(const struct fake_server *fake, char *address)
{
	struct rpc_sink_options options = {.server = address,
		.host = "host-a",
		.program = "0.1.0",
		.random_seed = 7,
		.clock = clock_system(),
		.backoff_first_ns = 2 * NS_PER_MS,
		.backoff_max_ns = 20 * NS_PER_MS};

	sprintf(address, "127.0.0.1:%u", fake->port);
	memset(options.instance, 0xa5, sizeof(options.instance));
	return options;
}

static struct rpc_sink *make(const struct rpc_sink_options *options)
{
	struct rpc_sink *sink = NULL;

	CHECK_EQ(rpc_sink_new(options, &sink), 0);
	return sink;
}

static struct profile *window(uint64_t seed)
{
	struct busy_host host = {.seed = seed,
		.cpu_count = 1,
		.samples_per_second = 19,
		.window_seconds = 2,
		.process_count = 2,
		.depth = 6};

	return busy_window(&host);
}

#define WINDOW_SAMPLES 38

static void send(struct rpc_sink *sink, uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < first + count; i++)
		CHECK_EQ(sink_send(rpc_sink_sink(sink), window(i)), 0);
}

static uint64_t counter(struct rpc_sink *sink, enum sink_counter which)
{
	uint64_t values[SINK_COUNTER_COUNT];

	sink_read_counters(rpc_sink_sink(sink), values);
	return values[which];
}

static void wait_counter(struct rpc_sink *sink, enum sink_counter which, uint64_t wanted)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (counter(sink, which) < wanted) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(1000);
	}
}

/* One at a time, encoded before the next: the inbox is for a host, not for a test's loop. */
static void send_slowly(struct rpc_sink *sink, uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < first + count; i++) {
		uint64_t encoded = counter(sink, SINK_COUNTER_BATCHES_ENCODED);

		send(sink, i, 1);
		wait_counter(sink, SINK_COUNTER_BATCHES_ENCODED, encoded + 1);
	}
}

/* Whatever happened: nothing is unaccounted for. */
static void check_balance(struct rpc_sink *sink)
{
	uint64_t values[SINK_COUNTER_COUNT];

	sink_read_counters(rpc_sink_sink(sink), values);
	CHECK_EQ(values[SINK_COUNTER_SAMPLES_RECEIVED],
		values[SINK_COUNTER_SAMPLES_ENCODED] + values[SINK_COUNTER_DROPPED_UNENCODED] +
			values[SINK_COUNTER_SAMPLES_UNENCODED]);
	CHECK_EQ(values[SINK_COUNTER_SAMPLES_ENCODED],
		values[SINK_COUNTER_SAMPLES_ACKNOWLEDGED] + values[SINK_COUNTER_SAMPLES_DUPLICATE] +
			values[SINK_COUNTER_DROPPED_FULL] + values[SINK_COUNTER_DROPPED_REFUSED] +
			values[SINK_COUNTER_SAMPLES_QUEUED]);
	CHECK_EQ(values[SINK_COUNTER_BATCHES_SENT],
		values[SINK_COUNTER_BATCHES_ACKNOWLEDGED] + values[SINK_COUNTER_BATCHES_DUPLICATE] +
			values[SINK_COUNTER_BATCHES_REFUSED] +
			values[SINK_COUNTER_BATCHES_DEFERRED] +
			values[SINK_COUNTER_BATCHES_UNANSWERED] +
			values[SINK_COUNTER_BATCHES_UNDER_WAY]);
}

static bool stored(const struct fake_server *fake, uint64_t wanted)
{
	return fake->stored_count >= wanted;
}

static bool arrived(const struct fake_server *fake, uint64_t wanted)
{
	return fake->batch_count >= wanted;
}

static bool greeted(const struct fake_server *fake, uint64_t wanted)
{
	return fake->hello_count >= wanted;
}

/* A server that answers batches in this way, and a sink that sends to it. */
static struct rpc_sink *begin(enum fake_answer answer)
{
	struct rpc_sink_options options;
	char address[32];

	fake_server_init(&server);
	fake_server_start(&server);
	fake_server_answer(&server, answer);
	options = options_for(&server, address);
	return make(&options);
}

static void end(struct rpc_sink *sink)
{
	sink_free(rpc_sink_sink(sink));
	fake_server_done(&server);
}

static void windows_arrive_once_and_in_order(void)
{
	struct rpc_sink *sink = begin(FAKE_STORES);

	send_slowly(sink, 0, WINDOW_COUNT);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(server.stored_count, WINDOW_COUNT);
	CHECK_EQ(server.batch_count, WINDOW_COUNT);
	CHECK_EQ(fake_server_samples(&server), WINDOW_COUNT * WINDOW_SAMPLES);
	CHECK_EQ(counter(sink, SINK_COUNTER_SAMPLES_ACKNOWLEDGED), WINDOW_COUNT * WINDOW_SAMPLES);
	CHECK_EQ(counter(sink, SINK_COUNTER_SAMPLES_ENCODED), WINDOW_COUNT * WINDOW_SAMPLES);
	CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_ACKNOWLEDGED), WINDOW_COUNT);
	CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_SENT), WINDOW_COUNT);
	CHECK_EQ(counter(sink, SINK_COUNTER_STREAMS_OPENED), 1);
	CHECK(counter(sink, SINK_COUNTER_BYTES_SENT) > WINDOW_COUNT);
	CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_QUEUED), 0);
	CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_RESENT), 0);
	check_balance(sink);
	end(sink);
}

static void a_server_that_comes_later_gets_everything(void)
{
	struct rpc_sink_options options;
	struct rpc_sink *sink;
	char address[32];

	fake_server_init(&server);
	fake_server_start(&server);
	fake_server_stop(&server);
	options = options_for(&server, address);
	sink = make(&options);
	send_slowly(sink, 0, 5);
	wait_counter(sink, SINK_COUNTER_STREAMS_FAILED, 3);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), 10 * NS_PER_MS), -ETIMEDOUT);
	fake_server_start(&server);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(server.stored_count, 5);
	check_balance(sink);
	end(sink);
}

static void a_restart_in_mid_stream_loses_and_doubles_nothing(void)
{
	struct rpc_sink *sink = begin(FAKE_STORES);

	for (uint64_t round = 0; round < 6; round++) {
		/* Every other round the answers are lost with the server. */
		fake_server_answer(&server, round % 2 ? FAKE_STORES_SILENTLY : FAKE_STORES);
		send_slowly(sink, 3 * round, 3);
		fake_server_wait(&server, stored, 3 * round + 3);
		if (round % 2)
			wait_counter(sink, SINK_COUNTER_BATCHES_UNDER_WAY, 3);
		fake_server_stop(&server);
		fake_server_start(&server);
	}
	fake_server_answer(&server, FAKE_STORES);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(server.stored_count, 18);
	CHECK_EQ(fake_server_samples(&server), 18 * WINDOW_SAMPLES);
	CHECK(server.batch_count > 18);
	CHECK(counter(sink, SINK_COUNTER_SAMPLES_DUPLICATE) > 0);
	CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_DUPLICATE) * WINDOW_SAMPLES,
		counter(sink, SINK_COUNTER_SAMPLES_DUPLICATE));
	CHECK(counter(sink, SINK_COUNTER_BATCHES_UNANSWERED) >=
		counter(sink, SINK_COUNTER_BATCHES_DUPLICATE));
	CHECK(counter(sink, SINK_COUNTER_BATCHES_RESENT) > 0);
	CHECK(counter(sink, SINK_COUNTER_STREAMS_BROKEN) > 0);
	CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_QUEUED), 0);
	check_balance(sink);
	end(sink);
}

static void a_refused_batch_is_dropped_and_the_next_ones_go_on(void)
{
	struct rpc_sink *sink = begin(FAKE_REFUSES);

	send_slowly(sink, 0, 3);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(counter(sink, SINK_COUNTER_DROPPED_REFUSED), 3 * WINDOW_SAMPLES);
	CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_REFUSED), 3);
	fake_server_answer(&server, FAKE_STORES);
	send_slowly(sink, 3, 2);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(server.batch_count, 5);
	CHECK_EQ(server.stored_count, 2);
	check_balance(sink);
	end(sink);
}

static void a_server_that_says_not_now_is_asked_again(void)
{
	struct rpc_sink *sink = begin(FAKE_RETRIES);

	send_slowly(sink, 0, 3);
	fake_server_wait(&server, arrived, 12);
	CHECK(counter(sink, SINK_COUNTER_BATCHES_DEFERRED) > 3);
	fake_server_answer(&server, FAKE_STORES);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(server.stored_count, 3);
	CHECK_EQ(counter(sink, SINK_COUNTER_STREAMS_BROKEN), 0);
	check_balance(sink);
	end(sink);
}

static void a_full_queue_keeps_the_newest_and_leaves_no_gap(void)
{
	struct rpc_sink_options options;
	struct rpc_sink *sink;
	char address[32];

	fake_server_init(&server);
	fake_server_start(&server);
	fake_server_stop(&server);
	options = options_for(&server, address);
	options.batch_count_max = 4;
	sink = make(&options);
	send_slowly(sink, 0, 10);
	wait_counter(sink, SINK_COUNTER_BATCHES_ENCODED, 10);
	CHECK_EQ(counter(sink, SINK_COUNTER_DROPPED_FULL), 6 * WINDOW_SAMPLES);
	CHECK_EQ(counter(sink, SINK_COUNTER_SAMPLES_QUEUED), 4 * WINDOW_SAMPLES);
	CHECK(counter(sink, SINK_COUNTER_BYTES_QUEUED) > 4);
	check_balance(sink);
	fake_server_start(&server);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(server.stored_count, 4);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(server.samples[i], WINDOW_SAMPLES);
	check_balance(sink);
	end(sink);
}

/* Windows come faster than they can be encoded: as on a host that leaves no CPU time. */
static void a_full_inbox_drops_the_window_and_counts_it(void)
{
	struct rpc_sink_options options;
	struct rpc_sink *sink;
	struct profile *windows[100];
	char address[32];
	uint64_t dropped = 0;

	fake_server_init(&server);
	fake_server_start(&server);
	fake_server_stop(&server);
	options = options_for(&server, address);
	sink = make(&options);
	for (uint64_t i = 0; i < 100; i++)
		windows[i] = window(i);
	for (uint64_t i = 0; i < 100; i++)
		dropped += sink_send(rpc_sink_sink(sink), windows[i]) == -ENOBUFS;
	CHECK(dropped > 0);
	CHECK_EQ(counter(sink, SINK_COUNTER_DROPPED_UNENCODED), dropped * WINDOW_SAMPLES);
	CHECK_EQ(counter(sink, SINK_COUNTER_SAMPLES_RECEIVED), 100 * WINDOW_SAMPLES);
	check_balance(sink);
	sink_free(rpc_sink_sink(sink));
	fake_server_done(&server);
}

/* With its patience of milliseconds, a loop would make dozens of attempts in this time. */
static void another_version_is_no_loop(void)
{
	for (int way = 0; way < 2; way++) {
		struct rpc_sink_options options;
		struct rpc_sink *sink;
		char address[32];

		fake_server_init(&server);
		fake_server_start(&server);
		if (way == 0)
			server.refuses_version = true;
		else
			server.version = WIRE_VERSION + 2;
		options = options_for(&server, address);
		sink = make(&options);
		send_slowly(sink, 0, 1);
		wait_counter(sink, SINK_COUNTER_VERSIONS_REFUSED, 1);
		usleep(300000);
		CHECK_EQ(server.hello_count, 1);
		CHECK_EQ(counter(sink, SINK_COUNTER_VERSIONS_REFUSED), 1);
		CHECK_EQ(counter(sink, SINK_COUNTER_BATCHES_QUEUED), 1);
		sink_free(rpc_sink_sink(sink));
		fake_server_done(&server);
	}
}

static void the_next_version_is_taken(void)
{
	struct rpc_sink_options options;
	struct rpc_sink *sink;
	char address[32];

	fake_server_init(&server);
	server.version = WIRE_VERSION + 1;
	fake_server_start(&server);
	options = options_for(&server, address);
	sink = make(&options);
	send_slowly(sink, 0, 2);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), PATIENCE_NS), 0);
	CHECK_EQ(server.stored_count, 2);
	end(sink);
}

static void ending_does_not_wait_for_a_silent_server(void)
{
	struct rpc_sink *sink = begin(FAKE_SAYS_NOTHING);

	send(sink, 0, 3);
	fake_server_wait(&server, greeted, 1);
	CHECK_EQ(sink_flush(rpc_sink_sink(sink), 20 * NS_PER_MS), -ETIMEDOUT);
	check_balance(sink);
	sink_free(rpc_sink_sink(sink));
	CHECK_EQ(server.batch_count, 0);
	fake_server_done(&server);
}

static void a_bad_address_is_refused(void)
{
	struct rpc_sink_options options = {
		.server = "nowhere", .host = "a", .program = "b", .clock = clock_system()};
	struct rpc_sink *sink = NULL;

	CHECK_EQ(rpc_sink_new(&options, &sink), -EINVAL);
	CHECK(!sink);
}

/* ---- Wants and uploads ---- */

struct wanting {
	struct rpc_sink *sink;
	atomic_uint want_count;
	struct upload_want last;
	size_t left; /* bytes to give */
	int read_fault; /* given instead of the last byte */
	atomic_bool hangs; /* gives nothing for as long */
	atomic_bool asked;
	atomic_int done_count;
	atomic_int result;
};

static void on_want(void *context, const struct upload_want *want)
{
	struct wanting *wanting = context;

	wanting->last = *want;
	atomic_fetch_add(&wanting->want_count, 1);
}

static ssize_t give(void *context, void *bytes, size_t byte_count)
{
	struct wanting *wanting = context;
	size_t given = wanting->left < byte_count ? wanting->left : byte_count;

	atomic_store(&wanting->asked, true);
	while (atomic_load(&wanting->hangs))
		usleep(1000);

	if (wanting->read_fault < 0 && given == wanting->left)
		return wanting->read_fault;
	for (size_t i = 0; i < given; i++)
		((uint8_t *)bytes)[i] = (uint8_t)(--wanting->left * 7);
	return (ssize_t)given;
}

static void on_done(void *context, int result)
{
	struct wanting *wanting = context;

	wanting->result = result;
	atomic_fetch_add(&wanting->done_count, 1);
}

static void wait_done(struct wanting *wanting, int wanted)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (atomic_load(&wanting->done_count) < wanted) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(1000);
	}
}

static void wait_wanted(struct wanting *wanting, unsigned wanted)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (atomic_load(&wanting->want_count) < wanted) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(1000);
	}
}

static struct rpc_sink *start_wanting(struct wanting *wanting)
{
	struct rpc_sink_options options;
	char address[32];

	fake_server_init(&server);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "0123456789abcdefghij", 20, &server.want), 0);
	fake_server_start(&server);
	options = options_for(&server, address);
	options.want = on_want;
	options.want_context = wanting;
	*wanting = (struct wanting){0};
	wanting->sink = make(&options);
	wait_wanted(wanting, 1);
	return wanting->sink;
}

static struct upload upload_for(struct wanting *wanting, size_t byte_count)
{
	wanting->left = byte_count;
	return (struct upload){.id = wanting->last.id,
		.what = UPLOAD_EXECUTABLE,
		.reduced = true,
		.byte_count = byte_count,
		.read = give,
		.done = on_done,
		.context = wanting};
}

static bool refused(const struct fake_server *fake, uint64_t wanted)
{
	(void)wanted;
	return fake->refusal[0] != '\0';
}

static void more_uploads_than_may_wait_are_dropped_and_counted(void)
{
	struct wanting wanting;
	struct rpc_sink *sink = start_wanting(&wanting);
	struct upload upload = upload_for(&wanting, 10);
	int pushed = 0;

	atomic_store(&wanting.hangs, true);
	CHECK_EQ(rpc_sink_upload(sink, &upload), 0);
	while (!atomic_load(&wanting.asked))
		usleep(1000);
	while (rpc_sink_upload(sink, &upload) == 0)
		pushed++;
	CHECK(pushed >= UPLOAD_COUNT_MAX - 1 && pushed <= UPLOAD_COUNT_MAX);
	CHECK_EQ(rpc_sink_upload(sink, &upload), -ENOBUFS);
	CHECK_EQ(counter(sink, SINK_COUNTER_UPLOADS_DROPPED), 2);
	atomic_store(&wanting.hangs, false);
	sink_free(rpc_sink_sink(sink));
	CHECK_EQ(wanting.done_count, pushed + 1);
	fake_server_done(&server);
}

static void a_wanted_file_arrives_whole(void)
{
	static const size_t sizes[] = {0, 1, WIRE_CHUNK_BYTES_MAX, 3000001};
	struct wanting wanting;
	struct rpc_sink *sink = start_wanting(&wanting);

	CHECK_STR(wanting.last.name, "libwanted.so");
	CHECK_EQ(wanting.last.what, UPLOAD_EXECUTABLE);
	CHECK(build_id_equal(&wanting.last.id, &server.want));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct upload upload = upload_for(&wanting, sizes[i]);

		CHECK_EQ(rpc_sink_upload(sink, &upload), 0);
		wait_done(&wanting, (int)i + 1);
		CHECK_EQ(wanting.result, 0);
		CHECK_EQ(server.upload_bytes, sizes[i]);
		for (size_t j = 0; j < sizes[i]; j++)
			CHECK(server.upload[j] == (uint8_t)((sizes[i] - 1 - j) * 7));
		CHECK(server.upload_header.reduced);
		CHECK_EQ(server.upload_header.byte_count, sizes[i]);
		CHECK_EQ(server.upload_header.instance[0], 0xa5);
	}
	CHECK_EQ(counter(sink, SINK_COUNTER_UPLOADS_SENT), 4);
	CHECK_EQ(counter(sink, SINK_COUNTER_UPLOAD_BYTES), 3000001 + WIRE_CHUNK_BYTES_MAX + 1);
	CHECK_EQ(counter(sink, SINK_COUNTER_WANTS_RECEIVED), 1);
	end(sink);
}

static void a_refusal_reaches_the_server(void)
{
	struct wanting wanting;
	struct rpc_sink *sink = start_wanting(&wanting);

	CHECK_EQ(rpc_sink_refuse_want(sink, &wanting.last.id, UPLOAD_EXECUTABLE, "denied"), 0);
	fake_server_wait(&server, refused, 0);
	CHECK_STR(server.refusal, "denied");
	end(sink);
}

static void the_servers_no_and_a_read_error_end_an_upload(void)
{
	struct wanting wanting;
	struct rpc_sink *sink = start_wanting(&wanting);
	struct upload upload = upload_for(&wanting, 40 << 20);

	server.upload_result = -EEXIST;
	CHECK_EQ(rpc_sink_upload(sink, &upload), 0);
	wait_done(&wanting, 1);
	CHECK_EQ(wanting.result, -EEXIST);
	CHECK(wanting.left > 0);
	server.upload_result = 0;
	upload = upload_for(&wanting, 1 << 20);
	wanting.read_fault = -EIO;
	CHECK_EQ(rpc_sink_upload(sink, &upload), 0);
	wait_done(&wanting, 2);
	CHECK_EQ(wanting.result, -EIO);
	CHECK_EQ(server.upload_count, 0);
	CHECK_EQ(counter(sink, SINK_COUNTER_UPLOADS_FAILED), 2);
	end(sink);
}

static void after_a_break_the_server_asks_again(void)
{
	struct wanting wanting;
	struct rpc_sink *sink = start_wanting(&wanting);
	struct upload upload;

	fake_server_stop(&server);
	wait_counter(sink, SINK_COUNTER_STREAMS_BROKEN, 1);
	upload = upload_for(&wanting, 10);
	CHECK_EQ(rpc_sink_upload(sink, &upload), 0);
	wait_done(&wanting, 1);
	CHECK_EQ(wanting.result, -ENOTCONN);
	fake_server_start(&server);
	wait_wanted(&wanting, 2);
	upload = upload_for(&wanting, 10);
	CHECK_EQ(rpc_sink_upload(sink, &upload), 0);
	wait_done(&wanting, 2);
	CHECK_EQ(wanting.result, 0);
	end(sink);
}

static void ending_gives_waiting_uploads_back(void)
{
	struct wanting wanting;
	struct rpc_sink *sink = start_wanting(&wanting);
	struct upload upload = upload_for(&wanting, (size_t)1 << 40);

	for (int i = 0; i < 3; i++)
		CHECK_EQ(rpc_sink_upload(sink, &upload), 0);
	sink_free(rpc_sink_sink(sink));
	CHECK_EQ(wanting.done_count, 3);
	CHECK(wanting.result < 0);
	fake_server_done(&server);
}

int main(void)
{
	log_init("test", LOG_LEVEL_ERROR);
	RUN(windows_arrive_once_and_in_order);
	RUN(a_server_that_comes_later_gets_everything);
	RUN(a_restart_in_mid_stream_loses_and_doubles_nothing);
	RUN(a_refused_batch_is_dropped_and_the_next_ones_go_on);
	RUN(a_server_that_says_not_now_is_asked_again);
	RUN(a_full_queue_keeps_the_newest_and_leaves_no_gap);
	RUN(a_full_inbox_drops_the_window_and_counts_it);
	RUN(another_version_is_no_loop);
	RUN(the_next_version_is_taken);
	RUN(ending_does_not_wait_for_a_silent_server);
	RUN(a_bad_address_is_refused);
	RUN(more_uploads_than_may_wait_are_dropped_and_counted);
	RUN(a_wanted_file_arrives_whole);
	RUN(a_refusal_reaches_the_server);
	RUN(the_servers_no_and_a_read_error_end_an_upload);
	RUN(after_a_break_the_server_asks_again);
	RUN(ending_gives_waiting_uploads_back);
	return 0;
}
