/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/upload_sender.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sink/quiet_thread.h"
#include "collector/sink/rate_limit.h"
#include "proto/wire/symbols_wire.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"

/* An upload that does not move for so long is broken off; the server asks again. */
#define STALL_NS (UINT64_C(60) * NS_PER_S)
/* How long the end of the sender waits for the answer to what it has sent whole. */
#define LAST_WORD_NS NS_PER_S
#define REASON_BYTES_MAX 256

struct job {
	struct job *next;
	struct rpc_client *client; /* held */
	bool refuses;
	struct upload upload; /* of a refusal: id only */
	uint32_t what;
	char reason[REASON_BYTES_MAX];
};

/* The call of the job that runs; under the sender's lock. */
struct transfer {
	struct upload_sender *sender;
	struct rpc_call *call;
	bool sent; /* what was queued is on the network */
	bool closed;
	int result;
};

struct upload_sender {
	struct upload_sender_options options;
	struct rate_limit limit; /* the thread's */
	pthread_t thread;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct rpc_client *client; /* held; NULL: no connection */
	struct job *first, *last;
	uint32_t job_count;
	bool stopping;
};

static void job_free(struct job *job)
{
	rpc_client_free(job->client);
	free(job);
}

static void job_done(struct upload_sender *sender, struct job *job, int result)
{
	if (!job->refuses) {
		sink_count(sender->options.counts,
			result == 0 ? SINK_COUNTER_UPLOADS_SENT : SINK_COUNTER_UPLOADS_FAILED, 1);
		job->upload.done(job->upload.context, result);
	}
	job_free(job);
}

/* ---- One transfer ---- */

static void on_sent(void *context)
{
	struct transfer *transfer = context;

	pthread_mutex_lock(&transfer->sender->lock);
	transfer->sent = true;
	pthread_cond_broadcast(&transfer->sender->changed);
	pthread_mutex_unlock(&transfer->sender->lock);
}

static void on_close(void *context, int result, const char *text)
{
	struct transfer *transfer = context;
	struct upload_sender *sender = transfer->sender;

	(void)text;
	pthread_mutex_lock(&sender->lock);
	transfer->closed = true;
	transfer->result = result;
	pthread_cond_broadcast(&sender->changed);
	pthread_mutex_unlock(&sender->lock);
}

static const struct rpc_call_events events = {.on_sent = on_sent, .on_close = on_close};

/* Under the lock: false if it is later than UNTIL_NS on the monotonic clock. */
static bool wait_until(struct upload_sender *sender, uint64_t until_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};

	return pthread_cond_timedwait(&sender->changed, &sender->lock, &until) != ETIMEDOUT;
}

/* Waits for the network. -ECANCELED: the sender stops.  -ETIMEDOUT: nothing moves.  -EPIPE: the
 * server has ended the call. */
static int wait_sent(struct upload_sender *sender, struct transfer *transfer)
{
	uint64_t until_ns = clock_monotonic_ns() + STALL_NS;
	int r = 0;

	pthread_mutex_lock(&sender->lock);
	while (r == 0 && !transfer->sent) {
		if (transfer->closed)
			r = -EPIPE;
		else if (sender->stopping)
			r = -ECANCELED;
		else if (!wait_until(sender, until_ns))
			r = -ETIMEDOUT;
	}
	pthread_mutex_unlock(&sender->lock);
	return r;
}

/* Waits until the rate allows BYTE_COUNT more. */
static int wait_turn(struct upload_sender *sender, struct transfer *transfer, size_t byte_count)
{
	uint64_t wait_ns = rate_limit_take(
		&sender->limit, clock_read(&sender->options.clock).monotonic_ns, byte_count);
	uint64_t until_ns = clock_monotonic_ns() + wait_ns;
	int r = 0;

	pthread_mutex_lock(&sender->lock);
	while (r == 0 && wait_ns > 0) {
		if (transfer->closed)
			r = -EPIPE;
		else if (sender->stopping)
			r = -ECANCELED;
		else if (!wait_until(sender, until_ns))
			break;
	}
	pthread_mutex_unlock(&sender->lock);
	return r;
}

static int send_message(struct transfer *transfer, const uint8_t *bytes, size_t byte_count)
{
	struct upload_sender *sender = transfer->sender;
	int r;

	pthread_mutex_lock(&sender->lock);
	transfer->sent = false;
	pthread_mutex_unlock(&sender->lock);
	r = rpc_call_send(transfer->call, bytes, byte_count);
	return r < 0 ? r : wait_sent(sender, transfer);
}

static int send_header(struct transfer *transfer, const struct upload *upload)
{
	struct wire_upload_header header = {
		.id = upload->id,
		.what = upload->what,
		.encoding = upload->zstd ? WIRE_UPLOAD_ZSTD : WIRE_UPLOAD_PLAIN,
		.byte_count = upload->byte_count,
		.reduced = upload->reduced,
		.offset = upload->offset,
	};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r;

	memcpy(header.instance, transfer->sender->options.instance, sizeof(header.instance));
	r = wire_upload_header_encode(&header, &bytes, &byte_count);
	return r < 0 ? r : send_message(transfer, bytes, byte_count);
}

static int send_chunk(struct transfer *transfer, const uint8_t *chunk, size_t chunk_bytes)
{
	struct wire_upload_chunk fields = {chunk, chunk_bytes};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r = wait_turn(transfer->sender, transfer, chunk_bytes);

	if (r == 0)
		r = wire_upload_chunk_encode(&fields, &bytes, &byte_count);
	if (r == 0)
		r = send_message(transfer, bytes, byte_count);
	if (r == 0)
		sink_count(
			transfer->sender->options.counts, SINK_COUNTER_UPLOAD_BYTES, chunk_bytes);
	return r;
}

static int send_end(struct transfer *transfer, uint64_t sent_bytes)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r = wire_upload_end_encode(sent_bytes, &bytes, &byte_count);

	return r < 0 ? r : send_message(transfer, bytes, byte_count);
}

static int send_upload(struct transfer *transfer, const struct upload *upload)
{
	SCOPED_FREE uint8_t *chunk = malloc(WIRE_CHUNK_BYTES_MAX);
	uint64_t sent_bytes = upload->offset;
	int r = chunk ? send_header(transfer, upload) : -ENOMEM;

	while (r == 0) {
		ssize_t got = upload->read(upload->context, chunk, WIRE_CHUNK_BYTES_MAX);

		must(got <= (ssize_t)WIRE_CHUNK_BYTES_MAX);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return send_end(transfer, sent_bytes);
		r = send_chunk(transfer, chunk, (size_t)got);
		sent_bytes += (uint64_t)got;
	}
	return r;
}

static int send_refusal(struct transfer *transfer, const struct job *job)
{
	struct wire_upload_refusal refusal = {
		.id = job->upload.id, .what = job->what, .reason = job->reason};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r;

	memcpy(refusal.instance, transfer->sender->options.instance, sizeof(refusal.instance));
	r = wire_upload_refusal_encode(&refusal, &bytes, &byte_count);
	return r < 0 ? r : send_message(transfer, bytes, byte_count);
}

/* Ends the call, in order after a success (R is 0), else at once; gives the server's word. What was
 * sent whole is worth a moment of waiting for it, even when the sender stops. */
static int end_transfer(struct upload_sender *sender, struct transfer *transfer, int r)
{
	uint64_t now_ns = clock_monotonic_ns(), until_ns = now_ns + STALL_NS;
	uint64_t stop_ns = r == 0 ? now_ns + LAST_WORD_NS : now_ns;

	if (r == 0)
		rpc_call_half_close(transfer->call);
	else if (r != -EPIPE)
		rpc_call_cancel(transfer->call);
	pthread_mutex_lock(&sender->lock);
	while (!transfer->closed) {
		if (sender->stopping && until_ns > stop_ns)
			until_ns = stop_ns;
		if (!wait_until(sender, until_ns)) {
			rpc_call_cancel(transfer->call);
			pthread_cond_wait(&sender->changed, &sender->lock);
		}
	}
	pthread_mutex_unlock(&sender->lock);
	if (r == 0 || (r == -EPIPE && transfer->result < 0))
		return transfer->result;
	return r;
}

static int run_job(struct upload_sender *sender, struct job *job)
{
	struct transfer transfer = {.sender = sender};
	int r = rpc_call_new(
		job->client, SYMBOLS_UPLOAD_PATH, UINT64_MAX, &events, &transfer, &transfer.call);

	if (r < 0)
		return r;
	r = job->refuses ? send_refusal(&transfer, job) : send_upload(&transfer, &job->upload);
	r = end_transfer(sender, &transfer, r);
	rpc_call_free(transfer.call);
	return r;
}

/* ---- The queue ---- */

static struct job *take_job(struct upload_sender *sender, bool *ret_current)
{
	struct job *job;

	pthread_mutex_lock(&sender->lock);
	while (!sender->first && !sender->stopping)
		pthread_cond_wait(&sender->changed, &sender->lock);
	job = sender->stopping ? NULL : sender->first;
	if (job) {
		sender->first = job->next;
		if (!sender->first)
			sender->last = NULL;
		sender->job_count--;
		*ret_current = job->client && job->client == sender->client;
	}
	pthread_mutex_unlock(&sender->lock);
	return job;
}

static void *run(void *context)
{
	struct upload_sender *sender = context;
	struct job *job;
	bool current;

	while ((job = take_job(sender, &current)))
		job_done(sender, job, current ? run_job(sender, job) : -ENOTCONN);
	return NULL;
}

static int push(struct upload_sender *sender, struct job *job)
{
	int r = 0;

	pthread_mutex_lock(&sender->lock);
	if (sender->job_count == UPLOAD_COUNT_MAX) {
		r = -ENOBUFS;
	} else {
		job->client = sender->client;
		if (job->client)
			rpc_client_hold(job->client);
		if (sender->last)
			sender->last->next = job;
		else
			sender->first = job;
		sender->last = job;
		sender->job_count++;
		pthread_cond_broadcast(&sender->changed);
	}
	pthread_mutex_unlock(&sender->lock);
	if (r < 0) {
		sink_count(sender->options.counts, SINK_COUNTER_UPLOADS_DROPPED, 1);
		free(job);
	}
	return r;
}

int upload_sender_push(struct upload_sender *sender, const struct upload *upload)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	job->upload = *upload;
	return push(sender, job);
}

int upload_sender_refuse(
	struct upload_sender *sender, const struct build_id *id, uint32_t what, const char *reason)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	job->refuses = true;
	job->upload.id = *id;
	job->what = what;
	strncpy(job->reason, reason, sizeof(job->reason) - 1);
	return push(sender, job);
}

void upload_sender_connect(struct upload_sender *sender, struct rpc_client *client)
{
	struct rpc_client *before;

	if (client)
		rpc_client_hold(client);
	pthread_mutex_lock(&sender->lock);
	before = sender->client;
	sender->client = client;
	pthread_mutex_unlock(&sender->lock);
	rpc_client_free(before);
}

int upload_sender_new(
	const struct upload_sender_options *options, struct upload_sender **ret_sender)
{
	struct upload_sender *sender = calloc(1, sizeof(*sender));
	int r;

	if (!sender)
		return -ENOMEM;
	sender->options = *options;
	rate_limit_init(&sender->limit, options->bytes_per_second);
	pthread_mutex_init(&sender->lock, NULL);
	quiet_thread_init_condition(&sender->changed);
	r = quiet_thread_start(&sender->thread, run, sender);
	if (r < 0) {
		pthread_cond_destroy(&sender->changed);
		pthread_mutex_destroy(&sender->lock);
		free(sender);
		return r;
	}
	*ret_sender = sender;
	return 0;
}

void upload_sender_free(struct upload_sender *sender)
{
	if (!sender)
		return;
	pthread_mutex_lock(&sender->lock);
	sender->stopping = true;
	pthread_cond_broadcast(&sender->changed);
	pthread_mutex_unlock(&sender->lock);
	pthread_join(sender->thread, NULL);
	while (sender->first) {
		struct job *job = sender->first;

		sender->first = job->next;
		job_done(sender, job, -ECANCELED);
	}
	rpc_client_free(sender->client);
	pthread_cond_destroy(&sender->changed);
	pthread_mutex_destroy(&sender->lock);
	free(sender);
}
