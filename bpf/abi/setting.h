/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Setting: what user space fixes before the programs are loaded.
 *
 * What it is   constants in the object's read-only data; the verifier sees their values.
 * Ownership    written by user space between open and load, never after.
 * Threads      any.
 * Errors       user space checks the ranges given here; the programs rely on them.
 */
#pragma once

#include <stdint.h>

struct setting {
	uint32_t cpus_per_ring; /* 1 or more: ring number = CPU / cpus_per_ring */
	uint32_t ring_wake_bytes; /* pending bytes from which a record wakes user space */
	uint32_t kernel_frame_count_max; /* 1..KERNEL_FRAMES_MAX: kernel.perf_event_max_stack */
	uint32_t event_goes_on; /* nonzero: the event behind a program writes its own record, too */
};

_Static_assert(sizeof(struct setting) == 16, "setting: size");
