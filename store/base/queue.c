/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "store/base/clock.h"
#include "store/base/must.h"

int queue_init(struct queue *queue, size_t item_max)
{
	pthread_condattr_t attributes;

	must(item_max > 0);
	*queue = (struct queue){.item_max = item_max};
	queue->items = calloc(item_max, sizeof(*queue->items));
	if (!queue->items)
		return -ENOMEM;
	pthread_mutex_init(&queue->lock, NULL);
	/* Waiting follows the monotonic clock: a stepped wall clock must not stretch a timeout. */
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	return 0;
}

void queue_done(struct queue *queue)
{
	if (!queue->items)
		return;
	must(queue->count == 0);
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
	free(queue->items);
	*queue = (struct queue){0};
}

int queue_push(struct queue *queue, void *item)
{
	int r = 0;

	pthread_mutex_lock(&queue->lock);
	if (queue->closed) {
		r = -ESHUTDOWN;
	} else if (queue->count == queue->item_max) {
		r = -ENOBUFS;
	} else {
		queue->items[(queue->first + queue->count) % queue->item_max] = item;
		queue->count++;
		pthread_cond_signal(&queue->changed);
	}
	pthread_mutex_unlock(&queue->lock);
	return r;
}

/* Waits under the lock until an item is there; the deadline is on the monotonic clock. */
static int wait_for_item(struct queue *queue, uint64_t timeout_ns, uint64_t deadline_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(deadline_ns / NS_PER_S),
		.tv_nsec = (long)(deadline_ns % NS_PER_S),
	};

	while (queue->count == 0) {
		if (queue->closed)
			return -ESHUTDOWN;
		if (timeout_ns == 0)
			return -ETIMEDOUT;
		if (timeout_ns == UINT64_MAX)
			pthread_cond_wait(&queue->changed, &queue->lock);
		else if (pthread_cond_timedwait(&queue->changed, &queue->lock, &until) ==
				ETIMEDOUT &&
			queue->count == 0)
			return queue->closed ? -ESHUTDOWN : -ETIMEDOUT;
	}
	return 0;
}

int queue_pop(struct queue *queue, uint64_t timeout_ns, void **ret_item)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t deadline_ns = timeout_ns > UINT64_MAX / 2 ? UINT64_MAX / 2 : now_ns + timeout_ns;
	int r;

	pthread_mutex_lock(&queue->lock);
	r = wait_for_item(queue, timeout_ns, deadline_ns);
	if (r == 0) {
		*ret_item = queue->items[queue->first];
		queue->first = (queue->first + 1) % queue->item_max;
		queue->count--;
	}
	pthread_mutex_unlock(&queue->lock);
	return r;
}

void queue_close(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

size_t queue_count(struct queue *queue)
{
	size_t count;

	pthread_mutex_lock(&queue->lock);
	count = queue->count;
	pthread_mutex_unlock(&queue->lock);
	return count;
}
