/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ring: the ring buffer of a CPU, and how full it is.
 *
 * What it is   a look-up and a query.
 * Ownership    nothing is kept.
 * Threads      the CPU that runs the program; others of its group write to the ring meanwhile.
 * Errors       a CPU without a ring has NULL.
 */
#pragma once

#include "bpf/lib/maps.bpf.h"

static __always_inline void *ring_of_cpu(uint32_t cpu)
{
	uint32_t index = cpu / setting.cpus_per_ring;

	return bpf_map_lookup_elem(&rings, &index);
}

/* Bytes that user space has not taken yet. */
static __always_inline uint64_t ring_pending(void *ring)
{
	return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
}

/* A stack's memory is worth a hundred samples without: half of the ring is theirs alone. */
static __always_inline int ring_has_room_for_stack(uint32_t cpu)
{
	void *ring = ring_of_cpu(cpu);

	return ring && ring_pending(ring) < setting.ring_wake_bytes;
}
