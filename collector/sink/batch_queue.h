/* SPDX-License-Identifier: Apache-2.0 */
/* Batch queue: batches that the server has not acknowledged yet, in the order of their windows.
 *
 * What it is   a bounded list. A batch is fresh until it is first sent, then it has a sequence
 *              number and stays until it is removed. Numbers have no gaps: when the queue is full,
 *              the oldest fresh batch goes; only if there is none, the new one.
 * Ownership    owns its batches and their bytes.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/wire/profile_wire.h"

struct queued_batch {
	struct queued_batch *next;
	struct profile_wire_body body;
	bool numbered;
	bool sent; /* on the stream that is open now, and not answered */
	uint64_t sequence; /* if numbered */
};

struct batch_queue {
	struct queued_batch *first, *last;
	uint64_t next_sequence;
	uint32_t count;
	uint32_t count_max;
	size_t bytes;
	size_t bytes_max;
	uint64_t sample_count;
	uint32_t sent_count;
	size_t sent_bytes;
};

void batch_queue_init(struct batch_queue *queue, uint32_t count_max, size_t bytes_max);
/* Frees what is left; gives the number of samples in it. */
uint64_t batch_queue_clear(struct batch_queue *queue);
/* Takes BODY in any case. RET_DROPPED: samples that went to make room, or were not let in. */
int batch_queue_push(
	struct batch_queue *queue, struct profile_wire_body *body, uint64_t *ret_dropped);
/* The next batch to send, or NULL: there is none, or COUNT_MAX batches or BYTES_MAX bytes are
 * unanswered already. Borrowed until it is removed. */
struct queued_batch *batch_queue_next(
	const struct batch_queue *queue, uint32_t count_max, size_t bytes_max);
/* It is on its way; numbers it if it was fresh. */
void batch_queue_mark_sent(struct batch_queue *queue, struct queued_batch *batch);
/* It must be sent again, at its old place. */
void batch_queue_unmark_sent(struct batch_queue *queue, struct queued_batch *batch);
/* The stream broke: so must all. */
void batch_queue_unmark_all(struct batch_queue *queue);
/* The batch of that number that was sent and not answered, or NULL. */
struct queued_batch *batch_queue_find(const struct batch_queue *queue, uint64_t sequence);
void batch_queue_remove(struct batch_queue *queue, struct queued_batch *batch);
