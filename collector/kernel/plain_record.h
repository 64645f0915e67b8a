/* SPDX-License-Identifier: Apache-2.0 */
/* Plain record: what the kernel writes about one tick where no program of ours may run in it.
 *
 * What it is   the bytes of a perf record -> tick or loss, and a tick -> the sample that the BPF side
 *              would have sent had it known no tables: kernel frames, the innermost user frame, its
 *              registers and a piece of the stack, for user space to go on with. Pure.
 * Ownership    a record borrows from its bytes.
 * Threads      no shared state.
 * Errors       -EBADMSG: sizes that disagree; -ENOMSG: a kind that says nothing about ticks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/abi/event.h"

/* What is asked of the kernel, and in which order it comes; PERF_SAMPLE_CGROUP may be left out. */
#define PLAIN_SAMPLE_TYPE                                                            \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |     \
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | \
		PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR)

/* Numbers that the kernel gives registers of x86-64 (asm/perf_regs.h): rax, rbx, rcx, rdx, rsi,
 * rdi, rbp, rsp, rip are 0 to 8, r8 to r15 are 16 to 23. */
#define PLAIN_USER_REGISTERS UINT64_C(0xff01ff)
#define PLAIN_USER_REGISTER_COUNT 17
/* rsp alone, by which an idle CPU is told from one that serves an interrupt. */
#define PLAIN_INTERRUPTED_REGISTERS (UINT64_C(1) << 7)

enum plain_kind {
	PLAIN_TICK,
	PLAIN_LOST, /* the kernel had no room for records */
};

/* Where the tick found the CPU. */
enum plain_mode {
	PLAIN_USER,
	PLAIN_KERNEL,
	PLAIN_GUEST, /* in a virtual machine: the kernel's own stack is not given */
};

struct plain_record {
	enum plain_kind kind;
	enum plain_mode mode;
	uint64_t lost_count;
	uint64_t ip;
	uint32_t pid; /* 0: idle task; UINT32_MAX: ended so far that it has no number any more */
	uint32_t tid;
	uint64_t time_ns;
	uint32_t cpu;
	uint64_t period_ns;
	const uint8_t *chain; /* chain_count words: addresses and marks between them */
	uint64_t chain_count;
	uint64_t abi; /* of the registers: PERF_SAMPLE_REGS_ABI_* */
	uint64_t registers[PLAIN_USER_REGISTER_COUNT];
	const uint8_t *stack; /* from rsp on */
	uint64_t stack_bytes;
	uint64_t interrupted_sp; /* in either mode; 0: not given */
	uint64_t cgroup_id; /* 0: not asked for */
};

/* WITH_CGROUP: PERF_SAMPLE_CGROUP was asked for, too. */
int plain_record_parse(
	const void *bytes, size_t byte_count, bool with_cgroup, struct plain_record *ret_record);

/* SAMPLE has room for EVENT_SAMPLE_BYTES_MAX. A kernel stack of KERNEL_FRAMES_MAX_NOW frames is
 * taken for one that was cut. What a perf record does not tell stays zero: start time and number of
 * execs of the process, the thread's name. */
void plain_record_sample(const struct plain_record *record, uint32_t kernel_frames_max_now,
	struct event_sample *ret_sample);
