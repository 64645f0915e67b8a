/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/queue.h"

#include <errno.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

#define ITEM_COUNT 20000

static char items[ITEM_COUNT];

static void items_come_out_in_order_and_beyond_the_limit_none_goes_in(void)
{
	struct queue queue;
	void *item;

	CHECK_EQ(queue_init(&queue, 3), 0);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 3; i++)
			CHECK_EQ(queue_push(&queue, &items[i]), 0);
		CHECK_EQ(queue_push(&queue, &items[3]), -ENOBUFS);
		CHECK_EQ(queue_count(&queue), 3);
		for (int i = 0; i < 3; i++) {
			CHECK_EQ(queue_pop(&queue, 0, &item), 0);
			CHECK(item == &items[i]);
		}
		CHECK_EQ(queue_push(&queue, &items[0]), 0);
		CHECK_EQ(queue_pop(&queue, UINT64_MAX, &item), 0);
	}
	queue_done(&queue);
	queue_done(&queue);
}

static void an_empty_queue_waits_no_longer_than_asked(void)
{
	struct queue queue;
	uint64_t start_ns;
	void *item = NULL;

	CHECK_EQ(queue_init(&queue, 1), 0);
	CHECK_EQ(queue_pop(&queue, 0, &item), -ETIMEDOUT);
	start_ns = clock_monotonic_ns();
	CHECK_EQ(queue_pop(&queue, 2 * NS_PER_MS, &item), -ETIMEDOUT);
	CHECK(clock_monotonic_ns() - start_ns >= 2 * NS_PER_MS);
	CHECK(!item);
	queue_done(&queue);
}

static void a_closed_queue_takes_none_and_gives_what_it_has(void)
{
	struct queue queue;
	void *item;

	CHECK_EQ(queue_init(&queue, 2), 0);
	CHECK_EQ(queue_push(&queue, &items[1]), 0);
	queue_close(&queue);
	CHECK_EQ(queue_push(&queue, &items[2]), -ESHUTDOWN);
	CHECK_EQ(queue_pop(&queue, UINT64_MAX, &item), 0);
	CHECK(item == &items[1]);
	CHECK_EQ(queue_pop(&queue, UINT64_MAX, &item), -ESHUTDOWN);
	CHECK_EQ(queue_pop(&queue, 0, &item), -ESHUTDOWN);
	CHECK_EQ(queue_pop(&queue, NS_PER_S, &item), -ESHUTDOWN);
	queue_done(&queue);
}

struct taker {
	struct queue *queue;
	uint64_t taken;
};

static void *take_all(void *context)
{
	struct taker *taker = context;
	void *item;

	while (queue_pop(taker->queue, UINT64_MAX, &item) == 0) {
		*(char *)item += 1;
		taker->taken++;
	}
	return NULL;
}

static void *push_half(void *context)
{
	static _Atomic int half;
	int first = half++ * (ITEM_COUNT / 2);

	for (int i = first; i < first + ITEM_COUNT / 2; i++) {
		while (queue_push(context, &items[i]) == -ENOBUFS)
			;
	}
	return NULL;
}

static void several_threads_hand_over_each_item_once(void)
{
	struct taker takers[3];
	pthread_t taking[3], pushing[2];
	struct queue queue;
	uint64_t taken = 0;

	CHECK_EQ(queue_init(&queue, 64), 0);
	for (int i = 0; i < 3; i++) {
		takers[i] = (struct taker){&queue, 0};
		CHECK_EQ(pthread_create(&taking[i], NULL, take_all, &takers[i]), 0);
	}
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&pushing[i], NULL, push_half, &queue), 0);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_join(pushing[i], NULL), 0);
	queue_close(&queue);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(pthread_join(taking[i], NULL), 0);
		taken += takers[i].taken;
	}
	CHECK_EQ(taken, ITEM_COUNT);
	for (int i = 0; i < ITEM_COUNT; i++)
		CHECK_EQ(items[i], 1);
	queue_done(&queue);
}

int main(void)
{
	RUN(items_come_out_in_order_and_beyond_the_limit_none_goes_in);
	RUN(an_empty_queue_waits_no_longer_than_asked);
	RUN(a_closed_queue_takes_none_and_gives_what_it_has);
	RUN(several_threads_hand_over_each_item_once);
	return 0;
}
