/* SPDX-License-Identifier: Apache-2.0 */
/* Ring layout: how many ring buffers, and how big.
 *
 * What it is   pure arithmetic: one ring for a group of CPUs, so that they share memory but few of
 *              them contend for it.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       0, or a negative errno; outputs are written on success only.
 */
#pragma once

#include <stdint.h>

struct ring_layout {
	uint32_t cpus_per_ring;
	uint32_t ring_count; /* for all CPUs that could ever come online */
	uint32_t ring_bytes;
	uint32_t wake_bytes; /* pending bytes from which on a record wakes user space */
};

/* CPUS_PER_RING and RING_BYTES of 0 leave the choice to this function.
 * -EINVAL: RING_BYTES is no power of two, or out of bounds. */
int ring_layout_choose(uint32_t cpu_count, uint32_t hz, uint32_t cpus_per_ring, uint32_t ring_bytes,
	struct ring_layout *ret_layout);
/* Smaller rings, so that all together take BYTES_MAX if that can be; a ring has a least size. */
void ring_layout_limit(struct ring_layout *layout, uint64_t bytes_max);
