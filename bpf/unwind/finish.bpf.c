/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bpf/lib/finish.bpf.h"

#include "bpf/lib/count.bpf.h"
#include "bpf/lib/maps.bpf.h"

static __always_inline uint64_t sample_bytes(const struct event_sample *sample)
{
	uint64_t frame_count = sample->kernel_frame_count + sample->user_frame_count;

	if (frame_count > FRAMES_MAX)
		frame_count = FRAMES_MAX;
	return sizeof(*sample) + frame_count * sizeof(uint64_t);
}

/* A wake-up costs as much as a sample, so that records wait until there are many of them. */
static __always_inline uint64_t wake_flag(void *ring, uint64_t bytes)
{
	uint64_t pending = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);

	return pending + bytes >= setting.ring_wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline void send_sample(struct event_sample *sample)
{
	uint32_t ring_index = sample->cpu / setting.cpus_per_ring;
	void *ring = bpf_map_lookup_elem(&rings, &ring_index);
	uint64_t bytes = sample_bytes(sample);

	if (!ring) {
		count(COUNTER_no_ring);
		return;
	}
	if (bpf_ringbuf_output(ring, sample, bytes, wake_flag(ring, bytes)))
		count(COUNTER_ring_full);
	else
		count(COUNTER_passed);
}

__noinline int finish_walk(void)
{
	uint32_t key = 0;
	struct walk *walk = bpf_map_lookup_elem(&walks, &key);

	if (!walk)
		return 0;
	count(COUNTER_OF_USER_STOP(walk->sample.user_stop));
	send_sample(&walk->sample);
	return 0;
}
