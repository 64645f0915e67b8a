/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/event.h"

#include "tests/support/check.h"

#define FRAMES_WHOLE(sample) ((size_t)(sample)->kernel_frame_count + (sample)->user_frame_count)

static union {
	struct event_sample sample;
	uint8_t bytes[EVENT_SAMPLE_BYTES_MAX + 64];
	uint64_t alignment;
} record;

/* A good sample of that many frames; its size. */
static size_t make(uint16_t kernel_frame_count, uint16_t user_frame_count)
{
	memset(&record, 0, sizeof(record));
	record.sample.kind = EVENT_SAMPLE;
	record.sample.kernel_frame_count = kernel_frame_count;
	record.sample.user_frame_count = user_frame_count;
	record.sample.kernel_stop = STOP_complete;
	record.sample.user_stop = STOP_complete;
	strcpy(record.sample.comm, "stone");
	return sizeof(record.sample) + FRAMES_WHOLE(&record.sample) * sizeof(uint64_t);
}

static void a_record_as_long_as_its_stack_is_a_sample(void)
{
	size_t byte_count = make(3, 5);

	CHECK(event_sample_in(&record, byte_count) == &record.sample);
	byte_count = make(0, 0);
	CHECK(event_sample_in(&record, byte_count) == &record.sample);
	byte_count = make(KERNEL_FRAMES_MAX, USER_FRAMES_MAX);
	CHECK(event_sample_in(&record, byte_count) == &record.sample);
	record.sample.stack_bytes = STACK_COPY_BYTES_MAX;
	byte_count += sizeof(struct unwind_state) + STACK_COPY_BYTES_MAX;
	CHECK_EQ(byte_count, EVENT_SAMPLE_BYTES_MAX);
	CHECK(event_sample_in(&record, byte_count) == &record.sample);
}

static void a_copy_of_a_stack_belongs_to_a_frame(void)
{
	size_t byte_count = make(3, 5) + sizeof(struct unwind_state) + 64;

	record.sample.stack_bytes = 64;
	CHECK(event_sample_in(&record, byte_count) == &record.sample);
	CHECK(!event_sample_in(&record, byte_count - 64));
	record.sample.stack_bytes = 60;
	CHECK(!event_sample_in(&record, byte_count - 4));
	record.sample.stack_bytes = STACK_COPY_BYTES_MOST + 8;
	CHECK(!event_sample_in(&record, byte_count - 56 + STACK_COPY_BYTES_MOST));
	/* The most fits where few addresses stand before it. */
	byte_count = make(3, 5) + sizeof(struct unwind_state) + STACK_COPY_BYTES_MOST;
	record.sample.stack_bytes = STACK_COPY_BYTES_MOST;
	CHECK(event_sample_in(&record, byte_count) == &record.sample);
	byte_count =
		make(KERNEL_FRAMES_MAX, 5) + sizeof(struct unwind_state) + STACK_COPY_BYTES_MOST;
	record.sample.stack_bytes = STACK_COPY_BYTES_MOST;
	CHECK(!event_sample_in(&record, byte_count));
	byte_count = make(3, 0) + sizeof(struct unwind_state) + 64;
	record.sample.stack_bytes = 64;
	CHECK(!event_sample_in(&record, byte_count));
}

static void a_record_of_any_other_length_is_none(void)
{
	size_t byte_count = make(3, 5);

	for (size_t length = 0; length < byte_count + 64; length++)
		CHECK((event_sample_in(&record, length) != NULL) == (length == byte_count));
}

static void counts_beyond_the_limits_are_refused(void)
{
	CHECK(!event_sample_in(&record, make(KERNEL_FRAMES_MAX + 1, 0)));
	CHECK(!event_sample_in(&record, make(0, USER_FRAMES_MAX + 1)));
	CHECK(!event_sample_in(&record, make(UINT16_MAX, UINT16_MAX)));
}

static void unknown_words_are_refused(void)
{
	size_t byte_count = make(1, 1);

	record.sample.kind = EVENT_SAMPLE + 1;
	CHECK(!event_sample_in(&record, byte_count));
	make(1, 1);
	record.sample.user_stop = STOP_NONE;
	CHECK(!event_sample_in(&record, byte_count));
	make(1, 1);
	record.sample.kernel_stop = STOP_MAX;
	CHECK(!event_sample_in(&record, byte_count));
	make(1, 1);
	memset(record.sample.comm, 'x', sizeof(record.sample.comm));
	CHECK(!event_sample_in(&record, byte_count));
}

int main(void)
{
	RUN(a_record_as_long_as_its_stack_is_a_sample);
	RUN(a_copy_of_a_stack_belongs_to_a_frame);
	RUN(a_record_of_any_other_length_is_none);
	RUN(counts_beyond_the_limits_are_refused);
	RUN(unknown_words_are_refused);
	return 0;
}
