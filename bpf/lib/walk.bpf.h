/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walk: the one record of a stack walk, from its beginning to the ring buffer.
 *
 * What it is   where the walk stands (registers of the next frame, time limit) and what it has
 *              found so far, laid out as the event that goes out. It is too big for a BPF stack.
 * Ownership    one for each CPU; a probe starts it, step_next moves it, finish_walk sends it. A
 *              program can't interrupt itself on its CPU, so nobody else touches it meanwhile.
 * Threads      the CPU that runs the program.
 * Errors       a walk that can't go on has a stop reason; its frames so far are kept.
 */
#pragma once

#include "bpf/abi/event.h"
#include "bpf/lib/kernel.bpf.h"

/* What is known of the frame that comes next. */
struct walk_registers {
	uint64_t ip;
	uint64_t sp;
	uint64_t bp;
};

struct walk {
	struct walk_registers registers;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	struct event_sample sample;
	uint64_t ips[FRAMES_MAX]; /* the sample's */
};

_Static_assert(
	offsetof(struct walk, ips) == offsetof(struct walk, sample) + sizeof(struct event_sample),
	"walk: addresses follow their sample");
_Static_assert(sizeof(struct walk) == 32 + EVENT_SAMPLE_BYTES_MAX, "walk: size");
_Static_assert(sizeof(struct walk) <= 32768, "walk: the kernel's limit for one per-CPU value");
