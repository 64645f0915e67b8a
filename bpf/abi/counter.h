/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counter: everything that is counted between the timer and user space.
 *
 * What it is   one X-list, expanded to the enum here and to names and meanings in user space:
 *              X(name, meaning for an operator); then one counter for each way a user walk ends.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       nothing is silent: received = passed + idle + ring_full + no_record + no_ring, and
 *              the user_stop_* counters sum up to passed + ring_full + no_ring.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/stop.h"

/* The last three are counted by user space, so that one list tells the whole story. */
#define COUNTER_LIST(X)                                                                          \
	X(received, "timer ticks that ran the sampling program")                                 \
	X(passed, "samples written to a ring buffer")                                            \
	X(idle, "ticks of an idle CPU: nothing to sample")                                       \
	X(ring_full, "samples dropped because user space did not empty the ring buffer in time") \
	X(no_record, "ticks dropped because the per-CPU walk record was missing")                \
	X(no_ring, "samples dropped because their CPU has no ring buffer")                       \
	X(stacks_without_room,                                                                   \
		"stacks that end where user space was to go on, because the ring buffer had no " \
		"room for their memory")                                                         \
	X(kernel_truncated, "kernel stacks deeper than may be read; their root is missing")      \
	X(kernel_refused, "samples in kernel mode whose kernel stack was not given")             \
	X(ticks_missed,                                                                          \
		"timer ticks that never ran the program: interrupts were off for longer "        \
		"than a period, the kernel held sampling back, or a virtual machine let "        \
		"the timer of an idle CPU wait")                                                 \
	X(malformed, "records refused by user space because their sizes disagree")               \
	X(cpu_restarted, "CPUs whose timer was dead and was started again")

#define COUNTER_ENUM_ITEM(name, meaning) COUNTER_##name,
#define COUNTER_ENUM_STOP(name, words, meaning) COUNTER_user_stop_##name,

enum counter { COUNTER_LIST(COUNTER_ENUM_ITEM) STOP_LIST(COUNTER_ENUM_STOP) COUNTER_MAX };

#undef COUNTER_ENUM_ITEM
#undef COUNTER_ENUM_STOP

/* The counter of user walks that ended by STOP (never STOP_NONE). */
#define COUNTER_OF_USER_STOP(stop) (COUNTER_user_stop_complete - STOP_complete + (stop))

/* The map value, one for each CPU. */
struct counter_values {
	uint64_t values[COUNTER_MAX];
};

_Static_assert(
	sizeof(struct counter_values) == COUNTER_MAX * sizeof(uint64_t), "counter_values: size");
