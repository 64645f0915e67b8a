/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/event.h"

#include <stdbool.h>
#include <string.h>

static bool is_stop(uint8_t stop)
{
	return stop > STOP_NONE && stop < STOP_MAX;
}

const struct event_sample *event_sample_in(const void *record, size_t byte_count)
{
	const struct event_sample *sample = record;
	if (byte_count < sizeof(*sample) || byte_count > EVENT_SAMPLE_BYTES_MAX ||
		sample->kind != EVENT_SAMPLE)
		return NULL;
	if (sample->kernel_frame_count > KERNEL_FRAMES_MAX ||
		sample->user_frame_count > USER_FRAMES_MAX)
		return NULL;
	if (sample->stack_bytes > STACK_COPY_BYTES_MOST || sample->stack_bytes % 8 != 0)
		return NULL;
	if (sample->stack_bytes > 0 && sample->user_frame_count == 0)
		return NULL;
	/* A ring buffer rounds nothing: the record is what was sent. */
	if (byte_count != event_sample_bytes(sample))
		return NULL;
	if (!is_stop(sample->kernel_stop) || !is_stop(sample->user_stop))
		return NULL;
	return memchr(sample->comm, '\0', sizeof(sample->comm)) ? sample : NULL;
}
