/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Limits: every maximum that the kernel side and user space share.
 *
 * What it is   named constants, each with its reason.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       none: what happens beyond a limit stands at each.
 */
#pragma once

/* The kernel's own default of kernel.perf_event_max_stack, and the most that bpf_get_stack gives
 * without raising it. A deeper kernel stack ends as STOP_TRUNCATED. */
#define KERNEL_FRAMES_MAX 127

/* Deep recursion keeps its root up to here; beyond it the leaf part stays and the walk ends as
 * STOP_TRUNCATED. A record of this size still fits the smallest ring buffer many times over. */
#define USER_FRAMES_MAX 1024

#define FRAMES_MAX (KERNEL_FRAMES_MAX + USER_FRAMES_MAX)

/* Longest time that one user walk may hold its CPU inside the timer interrupt; beyond it the walk
 * ends as STOP_BUDGET. A healthy walk of USER_FRAMES_MAX frames takes a fifth of this. */
#define WALK_BUDGET_NS 200000

/* The clock is read once in so many frames, because reading it costs as much as a frame. */
#define WALK_FRAMES_PER_CLOCK 32

/* Most bytes between two frame records of one stack. A greater distance is taken for a register
 * that holds something else: a whole thread stack is 8 MiB by default, and real frames beyond
 * 1 MiB are rarer than stray pointers. */
#define FRAME_BYTES_MAX (1 << 20)

/* Memory of a stack that goes along when the kernel side does not know the way: what a short-lived
 * program has in all, and the leaf part of a deep stack. */
#define STACK_COPY_BYTES_MAX 16384

/* Where few addresses stand before it, there is room for more: compilers' frames are large. */
#define STACK_COPY_BYTES_MOST 24576

/* A sample that brings its stack wakes user space at most so often: a few rounds a second cost
 * little, and a process that starts stays unknown to walks for a tenth of a second at most. */
#define STACK_WAKE_INTERVAL_NS 100000000

/* Ring buffers are numbered by CPU, in groups; one of 8192 possible CPUs in groups of 8. */
#define RINGS_MAX 1024

/* Bytes of a thread name in the kernel, the closing NUL included. */
#define COMM_BYTES 16
