/* SPDX-License-Identifier: Apache-2.0 */
/* libdwfl walk: what elfutils makes of the same registers and stack.
 *
 * What it is   an independent unwinder to compare with. It reads the files that a running process
 *              maps, and no debug files beside them.
 * Ownership    owns what it knows of each process.
 * Threads      one owner.
 * Errors       a process that is gone gives no frames.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/kernel/perf_stacks.h"

#define LIBDWFL_FRAMES_MAX 1024

struct libdwfl_walk {
	struct libdwfl_process *processes;
	uint64_t walk_ns; /* time spent in all walks */
	uint64_t frame_count; /* of all walks */
	/* Of the last one. */
	const struct perf_stack *stack;
	uint64_t ips[LIBDWFL_FRAMES_MAX];
	uint32_t count;
};

void libdwfl_walk_init(struct libdwfl_walk *walk);
void libdwfl_walk_done(struct libdwfl_walk *walk);
/* Walks up STACK; the addresses are in WALK. False: the process is gone. */
bool libdwfl_walk_stack(struct libdwfl_walk *walk, const struct perf_stack *stack);
/* Forgets what PID maps: it is read again at its next stack. */
void libdwfl_walk_forget(struct libdwfl_walk *walk, uint32_t pid);
/* The file that PID maps at ADDRESS and the address within it; "" for memory without one. Borrowed
 * until the process is forgotten. */
const char *libdwfl_walk_place(
	struct libdwfl_walk *walk, uint32_t pid, uint64_t address, uint64_t *ret_within);
