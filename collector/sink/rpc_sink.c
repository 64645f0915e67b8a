/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   sink_send -> inbox -> [thread: encode] -> batch queue -> push stream -> server
 *                                                 ^---------- acks ----------'
 *
 * Everything is decided by one thread that sleeps until something came (a window, an answer, the
 * end of the stream) or is due (the next attempt, the end of a pause). Callbacks only leave a note
 * and wake it.
 */
#include "collector/sink/rpc_sink.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sink/backoff.h"
#include "collector/sink/batch_queue.h"
#include "collector/sink/push_stream.h"
#include "collector/sink/quiet_thread.h"
#include "collector/sink/sink_counts.h"
#include "collector/sink/upload_sender.h"
#include "proto/rpc/rpc_address.h"
#include "proto/wire/profile_wire.h"
#include "store/base/fault.h"
#include "store/log/log.h"

/* Windows that wait to be encoded: one is being worked on while the next one closes; more means
 * that this host has no CPU left for us. */
#define INBOX_MAX 8
/* Batches under way without an answer: enough for a round trip, few enough to send again. */
#define UNANSWERED_COUNT_MAX 16
/* A fleet that lost its server comes back over this time; a lone one on loopback may be quick. */
#define FIRST_NS (UINT64_C(15) * NS_PER_S)
#define MAX_NS (UINT64_C(30) * NS_PER_S)
#define LOOPBACK_FIRST_NS (UINT64_C(500) * NS_PER_MS)
#define LOOPBACK_MAX_NS (UINT64_C(4) * NS_PER_S)
/* A server of another version will not be replaced within seconds. */
#define VERSION_LOW_NS (UINT64_C(300) * NS_PER_S)
#define VERSION_HIGH_NS (UINT64_C(600) * NS_PER_S)
/* A server that takes connections and says nothing is given up after this. */
#define WELCOME_NS (UINT64_C(20) * NS_PER_S)
/* A Want stream that ended by itself is opened again after this. */
#define WANT_AGAIN_NS (UINT64_C(60) * NS_PER_S)
/* Refused batches are one line in this time; the counter has all of them. */
#define REFUSED_LINE_NS (UINT64_C(60) * NS_PER_S)
/* While someone waits for the queue to empty, no wait is longer. */
#define HURRY_NS (UINT64_C(200) * NS_PER_MS)
#define BYTES_PER_MEGABIT UINT64_C(125000)

struct rpc_sink {
	struct sink sink;
	struct rpc_sink_options options; /* texts are ours */
	struct sink_counts counts;
	struct upload_sender *uploads;
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct profile *inbox[INBOX_MAX];
	uint32_t inbox_count;
	uint64_t unencoded_samples; /* in the inbox, or being encoded */
	bool noted; /* a callback has something for the thread */
	bool idle; /* nothing is waiting or under way */
	bool hurried; /* someone waits for the queue to empty */
	bool stopping;

	/* The thread's own. */
	struct batch_queue queue;
	struct push_stream *stream;
	bool welcomed;
	bool told_absent; /* the log has a line about the server's absence */
	uint32_t unanswered_count_max;
	struct backoff backoff, pause;
	uint64_t attempt_at_ns; /* without a stream */
	uint64_t welcome_until_ns;
	uint64_t paused_until_ns;
	uint64_t want_again_at_ns; /* 0: open or not wanted */
	uint64_t refused_line_at_ns;
};

static uint64_t now_ns(const struct rpc_sink *sink)
{
	return clock_read(&sink->options.clock).monotonic_ns;
}

static void wake(void *context)
{
	struct rpc_sink *sink = context;

	pthread_mutex_lock(&sink->lock);
	sink->noted = true;
	pthread_cond_broadcast(&sink->changed);
	pthread_mutex_unlock(&sink->lock);
}

static void count(struct rpc_sink *sink, enum sink_counter counter, uint64_t how_many)
{
	sink_count(&sink->counts, counter, how_many);
}

/* With LOCK, like every change of what the levels tell and of what is counted with it: so a reading
 * adds up. */
static void count_levels(struct rpc_sink *sink)
{
	sink_count_level(&sink->counts, SINK_COUNTER_SAMPLES_UNENCODED, sink->unencoded_samples);
	sink_count_level(&sink->counts, SINK_COUNTER_BATCHES_UNDER_WAY, sink->queue.sent_count);
	sink_count_level(&sink->counts, SINK_COUNTER_BATCHES_QUEUED, sink->queue.count);
	sink_count_level(&sink->counts, SINK_COUNTER_SAMPLES_QUEUED, sink->queue.sample_count);
	sink_count_level(&sink->counts, SINK_COUNTER_BYTES_QUEUED, sink->queue.bytes);
}

/* ---- Windows become batches ---- */

static void keep_bodies(struct rpc_sink *sink, struct profile_wire_bodies *bodies)
{
	for (uint32_t i = 0; i < bodies->count; i++) {
		uint64_t dropped = 0, samples = bodies->bodies[i].sample_count;
		int r = batch_queue_push(&sink->queue, &bodies->bodies[i], &dropped);

		bodies->bodies[i].bytes = NULL;
		if (r < 0) {
			count(sink, SINK_COUNTER_DROPPED_UNENCODED, samples);
			continue;
		}
		count(sink, SINK_COUNTER_BATCHES_ENCODED, 1);
		count(sink, SINK_COUNTER_SAMPLES_ENCODED, samples);
		count(sink, SINK_COUNTER_DROPPED_FULL, dropped);
	}
	count(sink, SINK_COUNTER_DROPPED_UNENCODED, bodies->dropped_sample_count);
}

static void encode(struct rpc_sink *sink, struct profile *profile)
{
	uint64_t samples = profile_sample_count(profile);
	struct profile_wire_bodies bodies;
	int r = profile_wire_encode(profile, &profile_wire_limits_default, &bodies);

	pthread_mutex_lock(&sink->lock);
	sink->unencoded_samples -= samples;
	if (r < 0)
		count(sink, SINK_COUNTER_DROPPED_UNENCODED, samples);
	else
		keep_bodies(sink, &bodies);
	count_levels(sink);
	pthread_mutex_unlock(&sink->lock);
	if (r < 0)
		log_warning(r, "a window cannot be encoded, dropping it");
	else
		profile_wire_bodies_done(&bodies);
	profile_free(profile);
}

static void encode_inbox(struct rpc_sink *sink)
{
	struct profile *inbox[INBOX_MAX];
	uint32_t inbox_count;

	pthread_mutex_lock(&sink->lock);
	inbox_count = sink->inbox_count;
	memcpy(inbox, sink->inbox, inbox_count * sizeof(*inbox));
	sink->inbox_count = 0;
	pthread_mutex_unlock(&sink->lock);
	for (uint32_t i = 0; i < inbox_count; i++)
		encode(sink, inbox[i]);
}

/* ---- Answers ---- */

static void tell_refused(struct rpc_sink *sink, const struct push_ack *ack, uint64_t samples)
{
	uint64_t now = now_ns(sink);

	if (now < sink->refused_line_at_ns)
		return;
	sink->refused_line_at_ns = now + REFUSED_LINE_NS;
	log_error(0, "the server refused a batch of %llu samples (%s), dropping it",
		(unsigned long long)samples, ack->text);
}

static void pause_sending(struct rpc_sink *sink, const struct push_ack *ack)
{
	uint64_t pause_ns = backoff_next(&sink->pause);

	if (ack->retry_after_ns > pause_ns && ack->retry_after_ns <= MAX_NS)
		pause_ns = ack->retry_after_ns;
	sink->paused_until_ns = now_ns(sink) + pause_ns;
}

/* The batch has its answer, with LOCK. */
static void settle(struct rpc_sink *sink, struct queued_batch *batch, enum wire_ack_result result)
{
	uint64_t samples = batch->body.sample_count;

	if (result == WIRE_ACK_RETRY) {
		count(sink, SINK_COUNTER_BATCHES_DEFERRED, 1);
		batch_queue_unmark_sent(&sink->queue, batch);
		return;
	}
	if (result == WIRE_ACK_STORED) {
		count(sink, SINK_COUNTER_BATCHES_ACKNOWLEDGED, 1);
		count(sink, SINK_COUNTER_SAMPLES_ACKNOWLEDGED, samples);
	} else if (result == WIRE_ACK_DUPLICATE) {
		count(sink, SINK_COUNTER_BATCHES_DUPLICATE, 1);
		count(sink, SINK_COUNTER_SAMPLES_DUPLICATE, samples);
	} else {
		count(sink, SINK_COUNTER_BATCHES_REFUSED, 1);
		count(sink, SINK_COUNTER_DROPPED_REFUSED, samples);
	}
	batch_queue_remove(&sink->queue, batch);
}

static void take_ack(struct rpc_sink *sink, const struct push_ack *ack)
{
	struct queued_batch *batch = batch_queue_find(&sink->queue, ack->sequence);
	uint64_t samples = batch ? batch->body.sample_count : 0;

	if (!batch)
		return;
	pthread_mutex_lock(&sink->lock);
	settle(sink, batch, ack->result);
	count_levels(sink);
	pthread_mutex_unlock(&sink->lock);
	if (ack->result == WIRE_ACK_RETRY) {
		pause_sending(sink, ack);
		return;
	}
	if (ack->result == WIRE_ACK_REFUSED)
		tell_refused(sink, ack, samples);
	backoff_reset(&sink->pause);
}

static void take_acks(struct rpc_sink *sink)
{
	struct push_ack ack;

	while (push_stream_take_ack(sink->stream, &ack))
		take_ack(sink, &ack);
}

/* ---- The stream ---- */

/* Without a stream: when to try again. */
static void plan_attempt(struct rpc_sink *sink, bool wrong_server)
{
	uint64_t wait_ns = wrong_server
		? backoff_between(&sink->backoff, VERSION_LOW_NS, VERSION_HIGH_NS)
		: backoff_next(&sink->backoff);

	sink->attempt_at_ns = now_ns(sink) + wait_ns;
}

static void tell_end(struct rpc_sink *sink, int result, const char *text, bool wrong_server)
{
	if (wrong_server) {
		log_error(0,
			"%s is no server for this collector (%s): upgrade one of them; trying "
			"again in some minutes",
			sink->options.server, text);
	} else if (sink->welcomed) {
		log_warning(0, "lost the server at %s (%s); keeping batches until it is back",
			sink->options.server, text);
	} else if (!sink->told_absent) {
		log_warning(0, "no server at %s (%s); keeping batches until there is one",
			sink->options.server, text[0] ? text : fault_text(result));
	}
	sink->told_absent = true;
}

static void end_stream(struct rpc_sink *sink, int result, const char *text)
{
	bool wrong_server = result == -EPROTONOSUPPORT || result == -ENOSYS;

	upload_sender_connect(sink->uploads, NULL);
	push_stream_free(sink->stream);
	sink->stream = NULL;
	pthread_mutex_lock(&sink->lock);
	count(sink, SINK_COUNTER_BATCHES_UNANSWERED, sink->queue.sent_count);
	batch_queue_unmark_all(&sink->queue);
	count_levels(sink);
	pthread_mutex_unlock(&sink->lock);
	if (wrong_server)
		count(sink, SINK_COUNTER_VERSIONS_REFUSED, 1);
	else {
		count(sink,
			sink->welcomed ? SINK_COUNTER_STREAMS_BROKEN : SINK_COUNTER_STREAMS_FAILED,
			1);
	}
	tell_end(sink, result, text, wrong_server);
	sink->welcomed = false;
	plan_attempt(sink, wrong_server);
}

static void on_want(void *context, const struct upload_want *want)
{
	struct rpc_sink *sink = context;

	count(sink, SINK_COUNTER_WANTS_RECEIVED, 1);
	sink->options.want(sink->options.want_context, want);
}

static void attempt(struct rpc_sink *sink)
{
	struct push_stream_options options = {
		.server = sink->options.server,
		.hello = {.version = WIRE_VERSION,
			.features = sink->options.want ? WIRE_FEATURE_UPLOADS : 0,
			.program = sink->options.program,
			.host = sink->options.host},
		.wake = wake,
		.context = sink,
		.want = sink->options.want ? on_want : NULL,
	};
	int r;

	memcpy(options.hello.instance, sink->options.instance, sizeof(options.hello.instance));
	r = push_stream_open(&options, &sink->stream);
	if (r < 0) {
		count(sink, SINK_COUNTER_STREAMS_FAILED, 1);
		tell_end(sink, r, "", false);
		plan_attempt(sink, false);
		return;
	}
	sink->welcome_until_ns = now_ns(sink) + WELCOME_NS;
}

static void greet(struct rpc_sink *sink, const struct push_state *state)
{
	sink->welcomed = true;
	sink->told_absent = false;
	sink->paused_until_ns = 0;
	sink->unanswered_count_max = UNANSWERED_COUNT_MAX;
	if (state->unacknowledged_max > 0 && state->unacknowledged_max < UNANSWERED_COUNT_MAX)
		sink->unanswered_count_max = state->unacknowledged_max;
	backoff_reset(&sink->backoff);
	backoff_reset(&sink->pause);
	count(sink, SINK_COUNTER_STREAMS_OPENED, 1);
	log_info("connected to the server at %s, version %s; %u batches wait", sink->options.server,
		state->text, sink->queue.count);
	upload_sender_connect(sink->uploads, push_stream_client(sink->stream));
	sink->want_again_at_ns = sink->options.want ? now_ns(sink) : 0;
}

static void care_for_want(struct rpc_sink *sink, const struct push_state *state, uint64_t now)
{
	if (sink->want_again_at_ns != 0 && now >= sink->want_again_at_ns) {
		sink->want_again_at_ns = 0;
		if (push_stream_open_want(sink->stream) < 0)
			sink->want_again_at_ns = now + WANT_AGAIN_NS;
	} else if (sink->want_again_at_ns == 0 && state->want_closed) {
		sink->want_again_at_ns = now + WANT_AGAIN_NS;
	}
}

static struct queued_batch *next_batch(const struct rpc_sink *sink)
{
	return batch_queue_next(
		&sink->queue, sink->unanswered_count_max, sink->options.bytes_max / 2);
}

static void count_sent(struct rpc_sink *sink, bool again, size_t byte_count)
{
	pthread_mutex_lock(&sink->lock);
	count(sink, SINK_COUNTER_BATCHES_SENT, 1);
	count(sink, SINK_COUNTER_BYTES_SENT, byte_count);
	count(sink, SINK_COUNTER_BATCHES_RESENT, again ? 1 : 0);
	count_levels(sink);
	pthread_mutex_unlock(&sink->lock);
}

static void send_batches(struct rpc_sink *sink)
{
	struct queued_batch *batch;

	while ((batch = next_batch(sink))) {
		bool again = batch->numbered;
		size_t byte_count;

		batch_queue_mark_sent(&sink->queue, batch);
		/* What fails here fails the stream, too, and all of it is sent again. */
		if (push_stream_send(sink->stream, batch, &byte_count) < 0) {
			batch_queue_unmark_sent(&sink->queue, batch);
			push_stream_cancel(sink->stream);
			return;
		}
		count_sent(sink, again, byte_count);
	}
}

static void serve_stream(struct rpc_sink *sink, uint64_t now)
{
	struct push_state state;

	push_stream_state(sink->stream, &state);
	take_acks(sink);
	if (state.closed) {
		end_stream(sink, state.result, state.text);
	} else if (state.welcomed && !wire_version_fits(state.server_version)) {
		end_stream(sink, -EPROTONOSUPPORT, "it speaks another version");
	} else if (!state.welcomed && now >= sink->welcome_until_ns) {
		end_stream(sink, -ETIMEDOUT, "it does not answer");
	} else if (state.welcomed) {
		if (!sink->welcomed)
			greet(sink, &state);
		care_for_want(sink, &state, now);
		if (now >= sink->paused_until_ns)
			send_batches(sink);
	}
}

/* ---- The thread ---- */

/* The instant at which something is due even if nothing comes. */
static uint64_t due_ns(const struct rpc_sink *sink)
{
	uint64_t due = UINT64_MAX;

	if (!sink->stream)
		return sink->attempt_at_ns;
	if (!sink->welcomed)
		return sink->welcome_until_ns;
	if (sink->want_again_at_ns != 0)
		due = sink->want_again_at_ns;
	if (sink->paused_until_ns < due && next_batch(sink))
		due = sink->paused_until_ns;
	return due;
}

static void hurry(struct rpc_sink *sink, uint64_t now)
{
	if (sink->attempt_at_ns > now + HURRY_NS)
		sink->attempt_at_ns = now + HURRY_NS;
	if (sink->paused_until_ns > now + HURRY_NS)
		sink->paused_until_ns = now + HURRY_NS;
}

/* An instant of the sink's clock as one of the kernel's. */
static struct timespec wake_up_at(uint64_t now, uint64_t due)
{
	uint64_t wait_ns = due > now ? due - now : 0, until_ns;

	if (wait_ns > NS_PER_S * 3600)
		wait_ns = NS_PER_S * 3600;
	until_ns = clock_monotonic_ns() + wait_ns;
	return (struct timespec){
		.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};
}

/* Sleeps until there is something to do. False: the sink ends. */
static bool wait_for_work(struct rpc_sink *sink)
{
	uint64_t now = now_ns(sink);
	struct timespec until;
	bool goes_on;

	pthread_mutex_lock(&sink->lock);
	if (sink->hurried)
		hurry(sink, now);
	until = wake_up_at(now, due_ns(sink));
	sink->idle = sink->queue.count == 0 && sink->inbox_count == 0;
	if (sink->idle)
		pthread_cond_broadcast(&sink->changed);
	while (!sink->stopping && !sink->noted && sink->inbox_count == 0) {
		if (pthread_cond_timedwait(&sink->changed, &sink->lock, &until) == ETIMEDOUT)
			break;
	}
	sink->noted = false;
	goes_on = !sink->stopping;
	pthread_mutex_unlock(&sink->lock);
	return goes_on;
}

static void *run(void *context)
{
	struct rpc_sink *sink = context;

	while (wait_for_work(sink)) {
		uint64_t now;

		encode_inbox(sink);
		now = now_ns(sink);
		if (sink->stream)
			serve_stream(sink, now);
		else if (now >= sink->attempt_at_ns)
			attempt(sink);
	}
	encode_inbox(sink);
	return NULL;
}

/* ---- What the collector calls ---- */

static int rpc_sink_send(struct sink *base, struct profile *profile)
{
	struct rpc_sink *sink = (struct rpc_sink *)base;
	uint64_t samples = profile_sample_count(profile);
	bool full;

	pthread_mutex_lock(&sink->lock);
	count(sink, SINK_COUNTER_WINDOWS_RECEIVED, 1);
	count(sink, SINK_COUNTER_SAMPLES_RECEIVED, samples);
	full = sink->inbox_count == INBOX_MAX;
	if (full) {
		count(sink, SINK_COUNTER_DROPPED_UNENCODED, samples);
	} else {
		sink->inbox[sink->inbox_count++] = profile;
		sink->unencoded_samples += samples;
		sink_count_level(
			&sink->counts, SINK_COUNTER_SAMPLES_UNENCODED, sink->unencoded_samples);
		sink->idle = false;
		pthread_cond_broadcast(&sink->changed);
	}
	pthread_mutex_unlock(&sink->lock);
	if (!full)
		return 0;
	profile_free(profile);
	return -ENOBUFS;
}

static int rpc_sink_flush(struct sink *base, uint64_t timeout_ns)
{
	struct rpc_sink *sink = (struct rpc_sink *)base;
	struct timespec until;
	bool idle;

	until = wake_up_at(0, timeout_ns);
	pthread_mutex_lock(&sink->lock);
	sink->hurried = sink->noted = true;
	pthread_cond_broadcast(&sink->changed);
	while (!sink->idle) {
		if (pthread_cond_timedwait(&sink->changed, &sink->lock, &until) == ETIMEDOUT)
			break;
	}
	idle = sink->idle;
	sink->hurried = false;
	pthread_mutex_unlock(&sink->lock);
	return idle ? 0 : -ETIMEDOUT;
}

static void rpc_sink_read_counters(struct sink *base, uint64_t *ret_values)
{
	struct rpc_sink *sink = (struct rpc_sink *)base;

	pthread_mutex_lock(&sink->lock);
	sink_counts_read(&sink->counts, ret_values);
	pthread_mutex_unlock(&sink->lock);
}

static void free_options(struct rpc_sink *sink)
{
	union {
		const char *ours;
		char *freed;
	} server = {sink->options.server}, host = {sink->options.host},
	  program = {sink->options.program};

	free(server.freed);
	free(host.freed);
	free(program.freed);
}

static void rpc_sink_free(struct sink *base)
{
	struct rpc_sink *sink = (struct rpc_sink *)base;

	pthread_mutex_lock(&sink->lock);
	sink->stopping = true;
	pthread_cond_broadcast(&sink->changed);
	pthread_mutex_unlock(&sink->lock);
	if (sink->has_thread)
		pthread_join(sink->thread, NULL);
	upload_sender_free(sink->uploads);
	push_stream_free(sink->stream);
	if (sink->queue.sample_count > 0)
		log_warning(0, "%llu samples in %u batches were not acknowledged and are lost",
			(unsigned long long)sink->queue.sample_count, sink->queue.count);
	(void)batch_queue_clear(&sink->queue);
	pthread_cond_destroy(&sink->changed);
	pthread_mutex_destroy(&sink->lock);
	free_options(sink);
	free(sink);
}

static const struct sink_operations operations = {
	.send = rpc_sink_send,
	.flush = rpc_sink_flush,
	.read_counters = rpc_sink_read_counters,
	.free = rpc_sink_free,
};

static int copy_options(struct rpc_sink *sink, const struct rpc_sink_options *options)
{
	sink->options = *options;
	sink->options.server = strdup(options->server);
	sink->options.host = strdup(options->host);
	sink->options.program = strdup(options->program);
	if (sink->options.batch_count_max == 0)
		sink->options.batch_count_max = RPC_SINK_BATCH_COUNT_MAX;
	if (sink->options.bytes_max == 0)
		sink->options.bytes_max = RPC_SINK_BYTES_MAX;
	if (!sink->options.server || !sink->options.host || !sink->options.program)
		return -ENOMEM;
	return 0;
}

static void init_waiting(struct rpc_sink *sink)
{
	const struct rpc_sink_options *options = &sink->options;
	bool loopback = rpc_address_is_loopback(options->server);
	uint64_t first_ns = options->backoff_first_ns, max_ns = options->backoff_max_ns;

	if (first_ns == 0)
		first_ns = loopback ? LOOPBACK_FIRST_NS : FIRST_NS;
	if (max_ns == 0)
		max_ns = loopback ? LOOPBACK_MAX_NS : MAX_NS;
	if (max_ns < first_ns)
		max_ns = first_ns;
	backoff_init(&sink->backoff, first_ns, max_ns, options->random_seed);
	backoff_init(&sink->pause, first_ns, max_ns, options->random_seed + 1);
}

static int start(struct rpc_sink *sink)
{
	struct upload_sender_options options = {
		.clock = sink->options.clock, .counts = &sink->counts};
	int r;

	memcpy(options.instance, sink->options.instance, sizeof(options.instance));
	if (!rpc_address_is_loopback(sink->options.server))
		options.bytes_per_second = sink->options.upload_mbps * BYTES_PER_MEGABIT;
	r = upload_sender_new(&options, &sink->uploads);
	if (r < 0)
		return r;
	r = quiet_thread_start(&sink->thread, run, sink);
	sink->has_thread = r == 0;
	return r;
}

int rpc_sink_new(const struct rpc_sink_options *options, struct rpc_sink **ret_sink)
{
	struct rpc_sink *sink;
	int r = rpc_address_check(options->server);

	if (r < 0)
		return r;
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		return -ENOMEM;
	sink->sink.operations = &operations;
	sink->idle = true;
	pthread_mutex_init(&sink->lock, NULL);
	quiet_thread_init_condition(&sink->changed);
	r = copy_options(sink, options);
	if (r == 0) {
		batch_queue_init(
			&sink->queue, sink->options.batch_count_max, sink->options.bytes_max);
		init_waiting(sink);
		r = start(sink);
	}
	if (r < 0) {
		rpc_sink_free(&sink->sink);
		return r;
	}
	*ret_sink = sink;
	return 0;
}

struct sink *rpc_sink_sink(struct rpc_sink *sink)
{
	return &sink->sink;
}

int rpc_sink_upload(struct rpc_sink *sink, const struct upload *upload)
{
	return upload_sender_push(sink->uploads, upload);
}

int rpc_sink_refuse_want(
	struct rpc_sink *sink, const struct build_id *id, uint32_t what, const char *reason)
{
	return upload_sender_refuse(sink->uploads, id, what, reason);
}
