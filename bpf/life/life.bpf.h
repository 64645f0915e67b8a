/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Life: what becomes of processes, counted in the kernel.
 *
 * What it is   programs at four tracepoints, an object of their own: a kernel that refuses them
 *              samples all the same. Threads are no processes, and those of the kernel neither.
 *              How long a process was on CPU is known only once its last thread has left it for
 *              good: so the end is counted and noted when it happens, and its time when the kernel
 *              frees it, some milliseconds after the parent asked.
 * Ownership    the object has its own maps; see bpf/abi/life.h.
 * Threads      any CPU; life_free runs in a soft interrupt, too.
 * Errors       as bpf/abi/life.h says; the result is 0 always.
 */
#pragma once

#include "bpf/abi/life.h"
#include "bpf/lib/kernel.bpf.h"

/* CONTEXT holds the arguments of the tracepoint. */
int life_exec(const uint64_t *context);
int life_fork(const uint64_t *context);
int life_exit(const uint64_t *context);
int life_free(const uint64_t *context);

struct map_life_rows {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LIFE_ROWS_MAX);
	__type(key, struct life_key);
	__type(value, struct life_values);
};

struct map_life_endings {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LIFE_ENDINGS_MAX);
	__type(key, uint64_t); /* where the kernel keeps the main thread: its own until freed */
	__type(value, struct life_ending);
};

extern struct map_life_rows life_rows_0;
extern struct map_life_rows life_rows_1;
extern struct map_life_endings life_endings;
extern struct life_shared life_shared;
