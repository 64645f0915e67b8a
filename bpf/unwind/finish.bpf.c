/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bpf/lib/finish.bpf.h"

#include "bpf/lib/count.bpf.h"
#include "bpf/lib/maps.bpf.h"
#include "bpf/lib/ring.bpf.h"

#define PAGE_BYTES UINT64_C(4096)

/* The compiler forgets what it knows of VARIABLE, and leaves the checks behind it as they stand. */
#define HIDE_ORIGIN(variable) __asm__ volatile("" : "+r"(variable))

static __always_inline uint64_t frame_count(const struct event_sample *sample)
{
	uint64_t count = sample->kernel_frame_count + sample->user_frame_count;

	return count > FRAMES_MAX ? FRAMES_MAX : count;
}

/* Puts the frame's registers and the memory of its stack behind the addresses, page by page until
 * one is missing: the stack may end anywhere. */
static __always_inline void copy_stack(struct walk *walk)
{
	uint64_t at = frame_count(&walk->sample) + sizeof(struct unwind_state) / 8;
	uint64_t address = walk->state.registers.sp;
	uint64_t offset = at * sizeof(walk->words[0]);
	uint64_t end = offset + STACK_COPY_BYTES_MOST;

	*(struct unwind_state *)&walk->words[at - sizeof(struct unwind_state) / 8] = walk->state;
	if (end > sizeof(walk->words))
		end = sizeof(walk->words);
	for (uint64_t i = 0; i <= STACK_COPY_BYTES_MOST / PAGE_BYTES; i++) {
		uint64_t bytes = PAGE_BYTES - address % PAGE_BYTES;

		if (bytes > end - offset)
			bytes = end - offset;
		bytes &= ~UINT64_C(7);
		/* Seen by nobody but the verifier, which does not follow how the two hang together. */
		HIDE_ORIGIN(bytes);
		HIDE_ORIGIN(offset);
		if (bytes == 0 || bytes > PAGE_BYTES || offset >= sizeof(walk->words))
			break;
		if (bpf_probe_read_user(
			    (uint8_t *)walk->words + offset, bytes, (const void *)address))
			break;
		offset += bytes;
		address += bytes;
	}
	walk->sample.stack_bytes = (uint32_t)(offset - at * sizeof(walk->words[0]));
}

static __always_inline uint64_t sample_bytes(const struct event_sample *sample)
{
	uint64_t bytes = sizeof(*sample) + frame_count(sample) * sizeof(uint64_t);

	if (sample->stack_bytes > 0)
		bytes += sizeof(struct unwind_state) + sample->stack_bytes;
	return bytes > EVENT_SAMPLE_BYTES_MAX ? EVENT_SAMPLE_BYTES_MAX : bytes;
}

/* User space learns soon of what a walk did not know, or each sample until its next round would
 * bring its stack, and be cut where that is deep. Not for each of them, though: where many short
 * processes run that would cost more than sampling them. Two CPUs that look at once wake twice. */
static __always_inline int wakes_for_stack(const struct event_sample *sample)
{
	if (sample->stack_bytes == 0 ||
		sample->taken_at_ns - woken_for_stack_at_ns < STACK_WAKE_INTERVAL_NS)
		return 0;
	woken_for_stack_at_ns = sample->taken_at_ns;
	return 1;
}

/* A wake-up costs as much as a sample, so that records wait until there are many of them. */
static __always_inline uint64_t wake_flag(
	const struct event_sample *sample, void *ring, uint64_t bytes)
{
	if (wakes_for_stack(sample))
		return BPF_RB_FORCE_WAKEUP;
	return ring_pending(ring) + bytes >= setting.ring_wake_bytes ? BPF_RB_FORCE_WAKEUP
								     : BPF_RB_NO_WAKEUP;
}

static __always_inline void send_sample(struct walk *walk)
{
	void *ring = ring_of_cpu(walk->sample.cpu);
	uint64_t bytes;

	if (!ring) {
		count(COUNTER_no_ring);
		return;
	}
	/* Without room, the stack ends here and says why: whatever else might be tried, such as frame
	 * pointers, is wrong more often than right. */
	if (stop_is_for_user_space(walk->sample.user_stop)) {
		if (walk->may_copy)
			copy_stack(walk);
		else
			count(COUNTER_stacks_without_room);
	}
	bytes = sample_bytes(&walk->sample);
	if (bpf_ringbuf_output(ring, &walk->sample, bytes, wake_flag(&walk->sample, ring, bytes)))
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
	send_sample(walk);
	return 0;
}
