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
	size_t frame_count;

	if (byte_count < sizeof(*sample) || sample->kind != EVENT_SAMPLE)
		return NULL;
	if (sample->kernel_frame_count > KERNEL_FRAMES_MAX ||
		sample->user_frame_count > USER_FRAMES_MAX)
		return NULL;
	frame_count = (size_t)sample->kernel_frame_count + sample->user_frame_count;
	if (byte_count != sizeof(*sample) + frame_count * sizeof(sample->ips[0]))
		return NULL;
	if (!is_stop(sample->kernel_stop) || !is_stop(sample->user_stop))
		return NULL;
	return memchr(sample->comm, '\0', sizeof(sample->comm)) ? sample : NULL;
}
