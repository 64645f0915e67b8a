/* SPDX-License-Identifier: Apache-2.0 */
/* Plain pace: how often stacks are copied, and the room that they get.
 *
 * What it is   pure arithmetic: a rate that fits a budget of bytes, and the size of each CPU's ring.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bpf/abi/limit.h"

/* One tick of a program: its stack, its registers, some fifty kernel frames. */
#define PLAIN_RECORD_BYTES (STACK_COPY_BYTES_MAX + 1024)

/* Two records and what lies between. */
#define PLAIN_RING_BYTES_MIN (64u << 10)
/* Without the right to lock memory, the kernel grants some 516 KiB a CPU, of which the records of
 * processes need 260. */
#define PLAIN_RING_BYTES_MODEST (128u << 10)

struct plain_pace {
	uint64_t period_ns;
	size_t ring_bytes;
};

/* For CPU_COUNT CPUs, each of which is always busy. HZ is lowered as far as BYTES_PER_S ask for. */
struct plain_pace plain_pace_choose(uint32_t hz, uint32_t cpu_count, uint64_t bytes_per_s);
