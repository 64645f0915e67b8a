/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/batch_queue.h"

#include "tests/support/check.h"

static uint64_t push(struct batch_queue *queue, size_t byte_count, uint64_t samples)
{
	struct profile_wire_body body = {
		.bytes = malloc(byte_count), .byte_count = byte_count, .sample_count = samples};
	uint64_t dropped = 0;

	CHECK(body.bytes);
	CHECK_EQ(batch_queue_push(queue, &body, &dropped), 0);
	return dropped;
}

/* Sends the next one and gives its number. */
static uint64_t send(struct batch_queue *queue)
{
	struct queued_batch *batch = batch_queue_next(queue, 100, 1 << 20);

	CHECK(batch);
	batch_queue_mark_sent(queue, batch);
	return batch->sequence;
}

static void batches_go_in_order_with_numbers_from_0(void)
{
	struct batch_queue queue;

	batch_queue_init(&queue, 10, 1000);
	for (uint64_t i = 0; i < 5; i++)
		CHECK_EQ(push(&queue, 10, i), 0);
	for (uint64_t i = 0; i < 5; i++)
		CHECK_EQ(send(&queue), i);
	CHECK(!batch_queue_next(&queue, 100, 1 << 20));
	for (uint64_t i = 0; i < 5; i++) {
		struct queued_batch *batch = batch_queue_find(&queue, i);

		CHECK(batch);
		CHECK_EQ(batch->body.sample_count, i);
		batch_queue_remove(&queue, batch);
		CHECK(!batch_queue_find(&queue, i));
	}
	CHECK_EQ(queue.count, 0);
	CHECK_EQ(queue.bytes, 0);
	CHECK_EQ(queue.sent_count, 0);
	CHECK_EQ(queue.sent_bytes, 0);
	CHECK(!queue.first && !queue.last);
	CHECK_EQ(batch_queue_clear(&queue), 0);
}

static void only_so_many_are_unanswered_at_once(void)
{
	struct batch_queue queue;

	batch_queue_init(&queue, 10, 1000);
	for (int i = 0; i < 5; i++)
		push(&queue, 100, 1);
	send(&queue);
	send(&queue);
	CHECK(!batch_queue_next(&queue, 2, 1000));
	CHECK(!batch_queue_next(&queue, 10, 250));
	CHECK(batch_queue_next(&queue, 10, 300));
	batch_queue_unmark_all(&queue);
	/* A batch that is larger than the limit goes alone. */
	CHECK(batch_queue_next(&queue, 10, 50));
	CHECK_EQ(batch_queue_clear(&queue), 5);
}

static void after_a_break_the_same_batches_have_the_same_numbers(void)
{
	struct batch_queue queue;

	batch_queue_init(&queue, 10, 1000);
	for (uint64_t i = 0; i < 4; i++)
		push(&queue, 10, 100 + i);
	send(&queue);
	send(&queue);
	send(&queue);
	batch_queue_remove(&queue, batch_queue_find(&queue, 1));
	batch_queue_unmark_all(&queue);
	CHECK(!batch_queue_find(&queue, 0));
	CHECK_EQ(send(&queue), 0);
	CHECK_EQ(send(&queue), 2);
	CHECK_EQ(batch_queue_find(&queue, 2)->body.sample_count, 102);
	CHECK_EQ(send(&queue), 3);
	CHECK_EQ(batch_queue_clear(&queue), 100 + 102 + 103);
}

static void one_batch_may_be_sent_again_at_its_place(void)
{
	struct batch_queue queue;

	batch_queue_init(&queue, 10, 1000);
	for (int i = 0; i < 3; i++)
		push(&queue, 10, 1);
	send(&queue);
	send(&queue);
	batch_queue_unmark_sent(&queue, batch_queue_find(&queue, 0));
	CHECK_EQ(send(&queue), 0);
	CHECK_EQ(send(&queue), 2);
	batch_queue_clear(&queue);
}

static void a_full_queue_drops_the_oldest_that_was_never_sent(void)
{
	struct batch_queue queue;

	batch_queue_init(&queue, 3, 1000);
	push(&queue, 10, 1);
	push(&queue, 10, 2);
	push(&queue, 10, 4);
	CHECK_EQ(send(&queue), 0);
	CHECK_EQ(push(&queue, 10, 8), 2);
	CHECK_EQ(push(&queue, 10, 16), 4);
	CHECK_EQ(queue.sample_count, 1 + 8 + 16);
	/* No number was lost. */
	CHECK_EQ(send(&queue), 1);
	CHECK_EQ(batch_queue_find(&queue, 1)->body.sample_count, 8);
	batch_queue_clear(&queue);
}

static void bytes_are_limited_too(void)
{
	struct batch_queue queue;

	batch_queue_init(&queue, 100, 100);
	CHECK_EQ(push(&queue, 60, 1), 0);
	CHECK_EQ(push(&queue, 60, 2), 1);
	CHECK_EQ(push(&queue, 101, 4), 2 + 4);
	CHECK_EQ(queue.count, 0);
	batch_queue_clear(&queue);
}

static void if_all_were_sent_the_new_one_is_dropped(void)
{
	struct batch_queue queue;

	batch_queue_init(&queue, 2, 1000);
	push(&queue, 10, 1);
	push(&queue, 10, 2);
	send(&queue);
	send(&queue);
	CHECK_EQ(push(&queue, 10, 4), 4);
	batch_queue_unmark_all(&queue);
	CHECK_EQ(push(&queue, 10, 8), 8);
	CHECK_EQ(queue.sample_count, 3);
	batch_queue_clear(&queue);
}

int main(void)
{
	RUN(batches_go_in_order_with_numbers_from_0);
	RUN(only_so_many_are_unanswered_at_once);
	RUN(after_a_break_the_same_batches_have_the_same_numbers);
	RUN(one_batch_may_be_sent_again_at_its_place);
	RUN(a_full_queue_drops_the_oldest_that_was_never_sent);
	RUN(bytes_are_limited_too);
	RUN(if_all_were_sent_the_new_one_is_dropped);
	return 0;
}
