/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Event: the records on the ring buffers.
 *
 * What it is   the layout of one sample, as long as its stack; both sides compile it.
 * Ownership    a record belongs to the ring buffer until its callback returns.
 * Threads      any.
 * Errors       a reader checks byte count and frame counts against each other before use.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bpf/abi/limit.h"
#include "bpf/abi/stop.h"
#include "bpf/abi/unwind_step.h"

/* First word of every record. */
enum event_kind { EVENT_SAMPLE = 1 };

/* The thread belongs to the kernel and has no user stack. Also set for pid 0, which stands for an
 * interrupt that was served while the CPU was idle. */
#define EVENT_KERNEL_THREAD 0x1
/* The timer found the CPU in kernel mode: the leaf is a kernel frame, if the stack could be read.
 */
#define EVENT_IN_KERNEL 0x2

struct event_sample {
	uint32_t kind; /* EVENT_SAMPLE */
	uint32_t flags; /* EVENT_KERNEL_THREAD, EVENT_IN_KERNEL */
	uint64_t taken_at_ns; /* CLOCK_MONOTONIC */
	uint64_t weight_ns; /* what this one sample stands for: the timer's period */
	uint64_t process_started_at_ns; /* CLOCK_BOOTTIME, of the group leader: tells reused pids */
	uint64_t cgroup_id; /* inode number of the cgroup2 folder; see docs/kernel.md */
	uint32_t pid; /* process (thread group), in the initial pid namespace */
	uint32_t tid; /* thread, likewise */
	uint32_t cpu;
	uint16_t kernel_frame_count; /* 0..KERNEL_FRAMES_MAX */
	uint16_t user_frame_count; /* 0..USER_FRAMES_MAX */
	uint8_t kernel_stop; /* enum stop; STOP_absent when sampled in user mode */
	uint8_t user_stop; /* enum stop; STOP_absent for kernel threads */
	uint8_t zero[2];
	uint32_t stack_bytes; /* 0..STACK_COPY_BYTES_MOST, a multiple of 8: see below */
	uint32_t mappings_version; /* those that the walk went by; see struct unwind_process */
	uint32_t zero_too;
	uint64_t exec_number; /* how often the process became another program */
	char comm[COMM_BYTES]; /* thread name; closed by NUL */
	/* Leaf first: kernel_frame_count kernel addresses, then user_frame_count user addresses.
	 * The first of each part is where the CPU was (exact); all others are return addresses. */
	uint64_t ips[];
	/* Where user space is to go on (stack_bytes above 0): the frame's registers as a struct
	 * unwind_state, then stack_bytes of the thread's memory from its sp on. The frame's ip is
	 * the last address above. */
};

_Static_assert(offsetof(struct event_sample, comm) == 80, "event_sample: layout");
_Static_assert(sizeof(struct event_sample) == 96, "event_sample: size");
_Static_assert(STOP_MAX <= UINT8_MAX, "event_sample: a stop reason is one byte");

/* Bytes of a whole record. */
static inline uint64_t event_sample_bytes(const struct event_sample *sample)
{
	uint64_t frame_count = sample->kernel_frame_count + sample->user_frame_count;
	uint64_t rest = sample->stack_bytes ? sizeof(struct unwind_state) + sample->stack_bytes : 0;

	return sizeof(*sample) + frame_count * sizeof(sample->ips[0]) + rest;
}

#define EVENT_SAMPLE_WORDS_MAX \
	(FRAMES_MAX + (sizeof(struct unwind_state) + STACK_COPY_BYTES_MAX) / sizeof(uint64_t))
#define EVENT_SAMPLE_BYTES_MAX \
	(sizeof(struct event_sample) + EVENT_SAMPLE_WORDS_MAX * sizeof(uint64_t))
