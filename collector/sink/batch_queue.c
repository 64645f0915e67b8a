/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   first                                                last
 *   [7 sent] -> [8 sent] -> [9 to be sent again] -> [fresh] -> [fresh]
 *   +------------- numbered, in order -------------+
 *
 * A few hundred batches at most, so a walk is cheaper than an index.
 */
#include "collector/sink/batch_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/must.h"

void batch_queue_init(struct batch_queue *queue, uint32_t count_max, size_t bytes_max)
{
	must(count_max > 0);
	*queue = (struct batch_queue){.count_max = count_max, .bytes_max = bytes_max};
}

static void batch_free(struct queued_batch *batch)
{
	free(batch->body.bytes);
	free(batch);
}

void batch_queue_remove(struct batch_queue *queue, struct queued_batch *batch)
{
	struct queued_batch *before = NULL;

	for (struct queued_batch *at = queue->first; at != batch; at = at->next) {
		must(at);
		before = at;
	}
	if (before)
		before->next = batch->next;
	else
		queue->first = batch->next;
	if (!batch->next)
		queue->last = before;
	batch_queue_unmark_sent(queue, batch);
	queue->count--;
	queue->bytes -= batch->body.byte_count;
	queue->sample_count -= batch->body.sample_count;
	batch_free(batch);
}

uint64_t batch_queue_clear(struct batch_queue *queue)
{
	uint64_t sample_count = queue->sample_count;

	while (queue->first)
		batch_queue_remove(queue, queue->first);
	return sample_count;
}

static struct queued_batch *oldest_fresh(const struct batch_queue *queue)
{
	struct queued_batch *at = queue->first;

	while (at && at->numbered)
		at = at->next;
	return at;
}

static bool has_room(const struct batch_queue *queue, size_t byte_count)
{
	return queue->count < queue->count_max && byte_count <= queue->bytes_max &&
		queue->bytes <= queue->bytes_max - byte_count;
}

static void append(struct batch_queue *queue, struct queued_batch *batch)
{
	if (queue->last)
		queue->last->next = batch;
	else
		queue->first = batch;
	queue->last = batch;
	queue->count++;
	queue->bytes += batch->body.byte_count;
	queue->sample_count += batch->body.sample_count;
}

int batch_queue_push(
	struct batch_queue *queue, struct profile_wire_body *body, uint64_t *ret_dropped)
{
	struct queued_batch *batch = calloc(1, sizeof(*batch)), *oldest;
	uint64_t dropped = 0;

	if (!batch) {
		free(body->bytes);
		return -ENOMEM;
	}
	batch->body = *body;
	while (!has_room(queue, body->byte_count) && (oldest = oldest_fresh(queue))) {
		dropped += oldest->body.sample_count;
		batch_queue_remove(queue, oldest);
	}
	if (has_room(queue, body->byte_count)) {
		append(queue, batch);
	} else {
		dropped += body->sample_count;
		batch_free(batch);
	}
	*ret_dropped = dropped;
	return 0;
}

struct queued_batch *batch_queue_next(
	const struct batch_queue *queue, uint32_t count_max, size_t bytes_max)
{
	struct queued_batch *at = queue->first;

	if (queue->sent_count >= count_max)
		return NULL;
	while (at && at->sent)
		at = at->next;
	/* One that is larger than all that may be under way goes alone. */
	if (at && queue->sent_count > 0 && at->body.byte_count + queue->sent_bytes > bytes_max)
		return NULL;
	return at;
}

void batch_queue_mark_sent(struct batch_queue *queue, struct queued_batch *batch)
{
	must(!batch->sent);
	if (!batch->numbered) {
		batch->numbered = true;
		batch->sequence = queue->next_sequence++;
	}
	batch->sent = true;
	queue->sent_count++;
	queue->sent_bytes += batch->body.byte_count;
}

void batch_queue_unmark_sent(struct batch_queue *queue, struct queued_batch *batch)
{
	if (!batch->sent)
		return;
	batch->sent = false;
	queue->sent_count--;
	queue->sent_bytes -= batch->body.byte_count;
}

void batch_queue_unmark_all(struct batch_queue *queue)
{
	for (struct queued_batch *at = queue->first; at; at = at->next)
		batch_queue_unmark_sent(queue, at);
}

struct queued_batch *batch_queue_find(const struct batch_queue *queue, uint64_t sequence)
{
	for (struct queued_batch *at = queue->first; at && at->numbered; at = at->next) {
		if (at->sequence == sequence)
			return at->sent ? at : NULL;
	}
	return NULL;
}
