/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes of a ring buffer are refused, or make a sample that passes the check of BPF's. */
#include <stdlib.h>

#include "collector/kernel/event.h"
#include "collector/kernel/plain_record.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	/* In words, as samples lie. */
	static uint64_t room[(EVENT_SAMPLE_BYTES_MAX + 7) / 8];
	struct event_sample *sample = (struct event_sample *)(void *)room;
	struct plain_record record;

	if (plain_record_parse(bytes, byte_count, byte_count % 16 == 0, &record) < 0 ||
		record.kind != PLAIN_TICK)
		return;
	plain_record_sample(&record, KERNEL_FRAMES_MAX, sample);
	must(event_sample_in(sample, event_sample_bytes(sample)) == sample);
	must(sample->weight_ns == record.period_ns);
}
