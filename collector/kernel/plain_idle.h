/* SPDX-License-Identifier: Apache-2.0 */
/* Plain idle: whether a CPU idles or serves an interrupt while it has nothing else to do.
 *
 * What it is   both are ticks of pid 0; an idle CPU stands on the idle task's own stack, an
 *              interrupt on another. Where that stack is, nobody tells user space; but it is where
 *              pid 0 stands most often, by far. So its ticks vote.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none. A first tick that was an interrupt's is taken for idling.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Stacks of the kernel's threads have this size or twice as much, and begin at a multiple of it. */
#define PLAIN_STACK_BYTES 16384

struct plain_idle {
	uint64_t block; /* number of the stack that leads */
	uint32_t votes; /* by which it does */
};

/* A tick of pid 0 with this stack pointer. */
bool plain_idle_is(struct plain_idle *idle, uint64_t stack_pointer);
