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

/* A piece of the stack that was read at once: callers' words lie close together, and each read of user
 * memory costs as much as all the rest of a frame. */
#define STACK_WINDOW_WORDS 64
/* What lies below a return address and is asked for next: the registers that its function saved. */
#define STACK_WINDOW_BEHIND_BYTES 64

struct stack_window {
	uint64_t start;
	uint64_t byte_count; /* 0: nothing was read */
	uint64_t words[STACK_WINDOW_WORDS];
};

/* What was found for an address of a process, so that it need not be searched again: stacks are alike,
 * and a recursion is the same address all the way. The rule of a byte of code never changes, and a
 * process whose mappings change gets another root. */
struct memo {
	uint64_t address;
	struct unwind_reference root; /* of the process's mappings; no node: nothing is kept here */
	uint32_t table; /* UNWIND_NO_TABLE: memory without one */
	struct unwind_rule rule; /* UNWIND_CFA_unknown: none */
	uint16_t used_at; /* UNWIND_USE_TIME that the table was last told of */
	uint16_t zero[3];
};

_Static_assert(sizeof(struct memo) == 40, "memo: size");

/* By CPU: some forty stacks that have nothing in common. */
#define MEMOS_MAX 1024

struct walk {
	struct unwind_state state; /* of the frame that comes next */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	struct unwind_process process; /* its mappings; no root: not known */
	struct unwind_mapping mapping; /* that held the last frame */
	uint32_t
		may_copy; /* there is room for a copy of the stack, should user space have to go on */
	uint32_t may_recall; /* the process's mappings still are those of its root */
	struct stack_window window;
	struct event_sample sample;
	uint64_t words[EVENT_SAMPLE_WORDS_MAX]; /* the sample's: addresses, then the rest */
	/* The verifier does not see that the last page of a stack is copied only as far as there is
	 * room, and wants to know of a whole page behind it. */
	uint8_t behind[4096];
};

_Static_assert(
	offsetof(struct walk, words) == offsetof(struct walk, sample) + sizeof(struct event_sample),
	"walk: addresses follow their sample");
_Static_assert(sizeof(struct walk) <= 32768, "walk: the kernel's limit for one per-CPU value");
