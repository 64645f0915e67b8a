/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes of a ring are refused, or make a sample that is exactly as long as its stack says: with
 * one byte less, or with one frame more than said, it is none. */
#include <stdlib.h>
#include <string.h>

#include "collector/kernel/event.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

static void check_sample(const struct event_sample *sample, size_t byte_count)
{
	size_t frame_count = (size_t)sample->kernel_frame_count + sample->user_frame_count;

	must(sample->kind == EVENT_SAMPLE && frame_count <= FRAMES_MAX);
	must(byte_count == event_sample_bytes(sample));
	must(sample->kernel_stop != STOP_NONE && sample->kernel_stop < STOP_MAX);
	must(sample->user_stop != STOP_NONE && sample->user_stop < STOP_MAX);
	must(strnlen(sample->comm, sizeof(sample->comm)) < sizeof(sample->comm));
	must(sample->stack_bytes <= STACK_COPY_BYTES_MOST);
	must(!event_sample_in(sample, byte_count - 1));
}

static void check_longer(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *longer = calloc(1, byte_count + sizeof(uint64_t));
	struct event_sample *sample;

	must(longer);
	memcpy(longer, bytes, byte_count);
	must(!event_sample_in(longer, byte_count + sizeof(uint64_t)));
	sample = (struct event_sample *)(void *)longer;
	if (sample->user_frame_count == USER_FRAMES_MAX)
		return;
	sample->user_frame_count++;
	must(event_sample_in(longer, byte_count + sizeof(uint64_t)) == sample);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const struct event_sample *sample = event_sample_in(bytes, byte_count);

	if (!sample)
		return;
	must((const void *)sample == bytes);
	check_sample(sample, byte_count);
	if (sample->stack_bytes == 0)
		check_longer(bytes, byte_count);
}
