/* SPDX-License-Identifier: Apache-2.0 */
/* Queue: bounded hand-over of pointers between threads.
 *
 * What it is   a ring of item_max pointers under one lock.
 * Ownership    an item belongs to the queue from a successful push until it is popped.
 * Threads      any thread may push, pop or close; init and done belong to one owner while no other
 *              thread uses the queue.
 * Errors       -ENOBUFS: full; -ENOMEM; -ESHUTDOWN: closed (push), closed and empty (pop);
 *              -ETIMEDOUT: nothing came in time.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void **items;
	size_t first;
	size_t count;
	size_t item_max;
	bool closed;
};

int queue_init(struct queue *queue, size_t item_max);
/* The queue must be empty: its items belong to nobody else. */
void queue_done(struct queue *queue);
int queue_push(struct queue *queue, void *item);
/* Waits at most TIMEOUT_NS; 0 does not wait, UINT64_MAX waits until an item or the close comes. */
int queue_pop(struct queue *queue, uint64_t timeout_ns, void **ret_item);
/* No more pushes; waiters wake. What is in the queue can still be popped. */
void queue_close(struct queue *queue);
size_t queue_count(struct queue *queue);
