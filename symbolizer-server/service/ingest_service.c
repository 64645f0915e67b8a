/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   message -> decode, check -> store (appends, group commit) -> answer
 *                |-> symbolizer: the modules                |-> host board: the host
 *
 * A batch that waits for the store is a `struct pending`; it holds its stream, so that the answer
 * always has somewhere to go.
 */
#include "symbolizer-server/service/ingest_service.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire/profile_wire.h"
#include "store/base/arena.h"
#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/status/host_board.h"
#include "symbolizer-server/symbol/symbolizer.h"

/* One message: the body and a few texts. */
#define MESSAGE_ARENA_BYTES (RPC_MESSAGE_BYTES_MAX + ((size_t)64 << 10))
/* A full disk does not empty itself within a second; a full queue does. */
#define RETRY_FULL_NS (UINT64_C(10) * NS_PER_S)
#define RETRY_BUSY_NS NS_PER_S

/* A batch that comes later than this after its window did not only wait for its turn, and one that
 * comes so long before is no matter of two clocks that agree. */
#define BACKDATED_NS (UINT64_C(600) * NS_PER_S)
#define AHEAD_NS (UINT64_C(60) * NS_PER_S)

_Static_assert(BATCH_INSTANCE_BYTES == WIRE_INSTANCE_BYTES, "keys on the wire and on the disk");
_Static_assert(SYMBOL_INSTANCE_BYTES == WIRE_INSTANCE_BYTES, "origins of modules");

/* One Push stream. Freed by its last reference: the stream's own, or that of a pending batch. */
struct ingest_stream {
	struct service_parts *parts;
	struct rpc_stream *stream; /* held */
	struct arena arena; /* of the stream's thread */
	bool greeted;

	pthread_mutex_t lock;
	uint32_t references;
	uint32_t pending_count;
	bool full; /* reads on when a batch is answered */
	bool finishing; /* ends when all are */
	int finish_error;
	const char *finish_text;
};

struct pending {
	struct ingest_stream *ingest;
	struct profile *profile;
	uint64_t sequence;
};

static void count(struct ingest_stream *ingest, enum service_counter counter, uint64_t how_many)
{
	service_count(ingest->parts->counts, counter, how_many);
}

static void ingest_release(struct ingest_stream *ingest)
{
	bool last;

	pthread_mutex_lock(&ingest->lock);
	last = --ingest->references == 0;
	pthread_mutex_unlock(&ingest->lock);
	if (!last)
		return;
	rpc_stream_release(ingest->stream);
	arena_done(&ingest->arena);
	pthread_mutex_destroy(&ingest->lock);
	free(ingest);
}

/* ---- Answers ---- */

static void send_ack(struct ingest_stream *ingest, const struct wire_ack *ack)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r = wire_ack_encode(ack, &bytes, &byte_count);

	if (r == 0)
		r = rpc_stream_send(ingest->stream, bytes, byte_count);
	if (r == 0)
		return;
	count(ingest, SERVICE_COUNTER_ACKS_LOST, 1);
	/* A client that does not read its answers, or one that cannot get them: it asks again. */
	rpc_stream_finish(ingest->stream, r, "an answer could not be sent");
}

static void refuse(struct ingest_stream *ingest, uint64_t sequence, const char *what)
{
	struct wire_ack ack = {.sequence = sequence, .result = WIRE_ACK_REFUSED, .text = what};

	send_ack(ingest, &ack);
}

/* A disk that is full or fails is for people to mend; a queue that is full passes by itself. */
static void tell_refusal(struct service_parts *parts, int error)
{
	if (error == -ENOBUFS || error == -ESHUTDOWN ||
		atomic_exchange(&parts->store_refuses, true))
		return;
	log_warning(error, "profiles can't be stored; collectors keep them and send them again");
}

static void tell_recovery(struct service_parts *parts)
{
	if (atomic_load(&parts->store_refuses) && atomic_exchange(&parts->store_refuses, false))
		log_info("profiles are stored again");
}

/* The store could not take it, for a reason that passes. */
static void defer(struct ingest_stream *ingest, uint64_t sequence, int error)
{
	struct wire_ack ack = {
		.sequence = sequence,
		.result = WIRE_ACK_RETRY,
		.retry_after_ns = error == -ENOBUFS ? RETRY_BUSY_NS : RETRY_FULL_NS,
		.text = fault_text(error),
	};

	tell_refusal(ingest->parts, error);
	send_ack(ingest, &ack);
}

/* What became of a batch that could be read. */
static void count_fate(struct ingest_stream *ingest, int result, uint64_t samples)
{
	static const struct fate {
		int result;
		enum service_counter batches, samples;
	} fates[] = {
		{0, SERVICE_COUNTER_BATCHES_STORED, SERVICE_COUNTER_SAMPLES_STORED},
		{-EALREADY, SERVICE_COUNTER_BATCHES_DUPLICATE, SERVICE_COUNTER_SAMPLES_DUPLICATE},
		{-ESTALE, SERVICE_COUNTER_BATCHES_STALE, SERVICE_COUNTER_SAMPLES_STALE},
		{-EFBIG, SERVICE_COUNTER_BATCHES_TOO_LARGE, SERVICE_COUNTER_SAMPLES_TOO_LARGE},
		{1, SERVICE_COUNTER_BATCHES_DEFERRED, SERVICE_COUNTER_SAMPLES_DEFERRED},
	};
	const struct fate *fate = fates;

	while (fate->result != result && fate->result != 1)
		fate++;
	service_count_less(ingest->parts->counts, SERVICE_COUNTER_SAMPLES_PENDING, samples);
	count(ingest, fate->batches, 1);
	count(ingest, fate->samples, samples);
}

static void answer_failure(struct ingest_stream *ingest, uint64_t sequence, int error)
{
	if (error == -ESTALE)
		refuse(ingest, sequence, "all of it is older than what this server keeps");
	else if (error == -EFBIG)
		refuse(ingest, sequence, "larger than the store can hold");
	else
		defer(ingest, sequence, error);
}

/* Of what is stored: what stands far from now in time, where people may not look for it. */
static void count_time(struct ingest_stream *ingest, const struct profile *profile)
{
	uint64_t now_ns = clock_read(&ingest->parts->clock).realtime_ns;
	uint64_t end_ns = profile_window_end_epoch_ns(profile);
	uint64_t samples = profile_sample_count(profile);

	if (end_ns < now_ns && now_ns - end_ns > BACKDATED_NS) {
		count(ingest, SERVICE_COUNTER_BATCHES_BACKDATED, 1);
		count(ingest, SERVICE_COUNTER_SAMPLES_BACKDATED, samples);
	} else if (end_ns > now_ns && end_ns - now_ns > AHEAD_NS) {
		count(ingest, SERVICE_COUNTER_BATCHES_AHEAD, 1);
		count(ingest, SERVICE_COUNTER_SAMPLES_AHEAD, samples);
	}
}

static void answer_durable(struct pending *pending, int result)
{
	struct ingest_stream *ingest = pending->ingest;
	struct wire_ack ack = {.sequence = pending->sequence};

	if (result == -EALREADY) {
		ack.result = WIRE_ACK_DUPLICATE;
	} else {
		ack.result = WIRE_ACK_STORED;
		tell_recovery(ingest->parts);
		count_time(ingest, pending->profile);
		/* What the board has no room for is not shown; the batch is stored all the same. */
		if (ingest->parts->hosts)
			(void)host_board_note(
				ingest->parts->hosts, pending->profile, clock_realtime_ns());
	}
	send_ack(ingest, &ack);
}

/* A batch has its answer: reads on, or ends, if that is what was waited for. */
static void leave(struct ingest_stream *ingest)
{
	bool reads, finishes;

	pthread_mutex_lock(&ingest->lock);
	ingest->pending_count--;
	reads = ingest->full && !ingest->finishing;
	ingest->full = false;
	finishes = ingest->finishing && ingest->pending_count == 0;
	pthread_mutex_unlock(&ingest->lock);
	if (reads)
		rpc_stream_read(ingest->stream);
	if (finishes)
		rpc_stream_finish(ingest->stream, ingest->finish_error, ingest->finish_text);
	ingest_release(ingest);
}

static void on_durable(void *context, int result)
{
	struct pending *pending = context;
	struct ingest_stream *ingest = pending->ingest;

	count_fate(ingest, result, profile_sample_count(pending->profile));
	if (result == 0 || result == -EALREADY)
		answer_durable(pending, result);
	else
		answer_failure(ingest, pending->sequence, result);
	profile_free(pending->profile);
	free(pending);
	leave(ingest);
}

/* ---- Batches ---- */

/* The symbolizer learns of a module by what its frames are: kernel code is named by a list of
 * symbols, everything else by its ELF file. */
static void note_modules(
	struct ingest_stream *ingest, const struct profile *profile, const uint8_t *instance)
{
	SCOPED_FREE uint8_t *kernel = calloc(profile->modules.count, 1);
	struct symbol_origin origin;

	if (!ingest->parts->symbolizer || !kernel)
		return;
	memcpy(origin.instance, instance, sizeof(origin.instance));
	for (uint32_t i = 0; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.frames[i];

		if (frame->kind == FRAME_KERNEL)
			kernel[frame->module] = 1;
	}
	for (uint32_t i = 1; i < profile->modules.count; i++) {
		const struct module *module = &profile->modules.modules[i];
		enum symbol_what what =
			kernel[i] ? SYMBOL_WHAT_KERNEL_SYMBOLS : SYMBOL_WHAT_EXECUTABLE;

		if (symbolizer_note_module(ingest->parts->symbolizer, &origin, &module->build_id,
			    string_table_text(&profile->strings, module->name), what) < 0)
			count(ingest, SERVICE_COUNTER_MODULES_OVER_LIMIT, 1);
	}
}

/* Labels with ever new values are folded before anybody keeps them. */
static int guard_labels(struct ingest_stream *ingest, struct profile *profile)
{
	struct label_guard *guard = ingest->parts->guard;

	if (!guard)
		return 0;
	return label_guard_apply(guard, profile, clock_read(&ingest->parts->clock).realtime_ns);
}

/* Takes PROFILE. */
static void store(
	struct ingest_stream *ingest, const struct wire_batch *batch, struct profile *profile)
{
	struct pending *pending = calloc(1, sizeof(*pending));
	struct batch_key key = {.sequence = batch->sequence};
	uint64_t samples = profile_sample_count(profile);
	int r = -ENOMEM;

	count(ingest, SERVICE_COUNTER_BATCHES_DECODED, 1);
	count(ingest, SERVICE_COUNTER_SAMPLES_RECEIVED, samples);
	count(ingest, SERVICE_COUNTER_SAMPLES_PENDING, samples);
	memcpy(key.instance, batch->instance, sizeof(key.instance));
	pthread_mutex_lock(&ingest->lock);
	ingest->references++;
	ingest->pending_count++;
	pthread_mutex_unlock(&ingest->lock);
	note_modules(ingest, profile, batch->instance);
	if (pending)
		r = guard_labels(ingest, profile);
	if (r == 0) {
		*pending = (struct pending){ingest, profile, batch->sequence};
		r = profile_store_append(ingest->parts->store, &key, profile, on_durable, pending);
	}
	if (r == 0)
		return;
	count_fate(ingest, r, samples);
	answer_failure(ingest, batch->sequence, r);
	profile_free(profile);
	free(pending);
	leave(ingest);
}

static void take_batch(struct ingest_stream *ingest, const struct wire_batch *batch)
{
	struct profile *profile;
	const char *what;
	int r;

	count(ingest, SERVICE_COUNTER_BATCHES_RECEIVED, 1);
	count(ingest, SERVICE_COUNTER_BATCH_BYTES, batch->body_byte_count);
	if (batch->encoding != WIRE_ENCODING_ZSTD) {
		count(ingest, SERVICE_COUNTER_BATCHES_MALFORMED, 1);
		refuse(ingest, batch->sequence, "an encoding that this server does not know");
		return;
	}
	r = profile_wire_decode(batch->body, batch->body_byte_count, batch->raw_byte_count,
		&profile_wire_limits_default, &profile, &what);
	if (r == -ENOMEM) {
		count(ingest, SERVICE_COUNTER_BATCHES_UNREAD, 1);
		defer(ingest, batch->sequence, r);
	} else if (r < 0) {
		count(ingest, SERVICE_COUNTER_BATCHES_MALFORMED, 1);
		refuse(ingest, batch->sequence, what);
	} else {
		store(ingest, batch, profile);
	}
}

/* ---- The stream ---- */

static void break_stream(struct ingest_stream *ingest, const char *text)
{
	count(ingest, SERVICE_COUNTER_STREAMS_BROKEN, 1);
	rpc_stream_finish(ingest->stream, -EINVAL, text);
}

static void take_hello(struct ingest_stream *ingest, const struct wire_hello *hello)
{
	struct wire_welcome welcome = {
		.version = WIRE_VERSION,
		.features = WIRE_FEATURE_UPLOADS,
		.program = CAIRN_VERSION,
		.unacknowledged_max = INGEST_UNACKNOWLEDGED_MAX,
	};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r;

	if (!service_accept_version(ingest->parts, ingest->stream, hello))
		return;
	ingest->greeted = true;
	count(ingest, SERVICE_COUNTER_HELLOS, 1);
	r = wire_welcome_encode(&welcome, &bytes, &byte_count);
	if (r == 0)
		r = rpc_stream_send(ingest->stream, bytes, byte_count);
	if (r < 0)
		rpc_stream_finish(ingest->stream, r, NULL);
}

/* Asks for the next message, unless as many batches wait as may, or no more is to be begun. */
static void read_on(struct ingest_stream *ingest)
{
	bool reads;

	pthread_mutex_lock(&ingest->lock);
	ingest->full = ingest->pending_count >= INGEST_UNACKNOWLEDGED_MAX;
	reads = !ingest->full && !ingest->finishing;
	pthread_mutex_unlock(&ingest->lock);
	if (reads)
		rpc_stream_read(ingest->stream);
}

static bool is_finishing(struct ingest_stream *ingest)
{
	bool finishing;

	pthread_mutex_lock(&ingest->lock);
	finishing = ingest->finishing;
	pthread_mutex_unlock(&ingest->lock);
	return finishing;
}

static void on_message(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	struct ingest_stream *ingest = state;
	struct wire_push push;

	(void)stream;
	/* What comes while the server stops is not begun: its sender keeps it. */
	if (is_finishing(ingest))
		return;
	arena_reset(&ingest->arena);
	if (wire_push_decode(bytes, byte_count, &ingest->arena, &push) < 0) {
		break_stream(ingest, "a message that is no PushRequest");
		return;
	}
	if (push.kind == WIRE_PUSH_HELLO) {
		take_hello(ingest, &push.hello);
	} else if (push.kind == WIRE_PUSH_BATCH && !ingest->greeted) {
		break_stream(ingest, "a batch before the hello");
		return;
	} else if (push.kind == WIRE_PUSH_BATCH) {
		take_batch(ingest, &push.batch);
	}
	read_on(ingest);
}

static int on_open(void *context, struct rpc_stream *stream, void **ret_state)
{
	struct ingest_stream *ingest = calloc(1, sizeof(*ingest));

	if (!ingest)
		return -ENOMEM;
	ingest->parts = context;
	ingest->stream = stream;
	ingest->references = 1;
	arena_init(&ingest->arena, MESSAGE_ARENA_BYTES);
	pthread_mutex_init(&ingest->lock, NULL);
	rpc_stream_hold(stream);
	*ret_state = ingest;
	rpc_stream_read(stream);
	return 0;
}

/* Ends the stream once every batch has its answer. */
static void finish_when_answered(struct ingest_stream *ingest, int error, const char *text)
{
	bool now;

	pthread_mutex_lock(&ingest->lock);
	if (!ingest->finishing) {
		ingest->finishing = true;
		ingest->finish_error = error;
		ingest->finish_text = text;
	}
	now = ingest->pending_count == 0;
	pthread_mutex_unlock(&ingest->lock);
	if (now)
		rpc_stream_finish(ingest->stream, error, text);
}

static void on_half_close(void *state, struct rpc_stream *stream)
{
	(void)stream;
	finish_when_answered(state, 0, NULL);
}

static void on_stop(void *state, struct rpc_stream *stream)
{
	(void)stream;
	finish_when_answered(state, -ENOTCONN, "the server is stopping");
}

static void on_close(void *state, struct rpc_stream *stream)
{
	(void)stream;
	ingest_release(state);
}

struct rpc_method ingest_service_method(struct service_parts *parts)
{
	return (struct rpc_method){
		.path = INGEST_PUSH_PATH,
		.context = parts,
		.on_open = on_open,
		.on_message = on_message,
		.on_half_close = on_half_close,
		.on_stop = on_stop,
		.on_close = on_close,
	};
}
