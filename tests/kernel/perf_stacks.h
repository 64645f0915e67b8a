/* SPDX-License-Identifier: Apache-2.0 */
/* Perf stacks: registers and stack memory of a program, from the interrupts that our program samples.
 *
 * What it is   one event a CPU on a process and its children, with the BPF program behind it; the
 *              event goes on after it and writes the user registers and the stack itself.
 * Ownership    the rings are owned; what a callback gets is borrowed until it returns.
 * Threads      one owner.
 * Errors       a failed system call fails the test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* DWARF's numbers 0 to 15, and the instruction pointer. */
#define PERF_STACK_REGISTERS 17
/* A record's size has 16 bits, and something must stand before the stack. */
#define PERF_STACK_BYTES_MAX 65000

struct perf_stack {
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t taken_at_ns; /* CLOCK_MONOTONIC */
	uint64_t registers[PERF_STACK_REGISTERS];
	const uint8_t *stack; /* from the stack pointer on */
	uint64_t stack_bytes;
};

typedef void perf_stack_fn(void *context, const struct perf_stack *stack);

struct perf_stacks;

/* Samples PID from its next exec on, and all that it forks, PROGRAM_FD first. */
struct perf_stacks *perf_stacks_new(pid_t pid, uint64_t period_ns, int program_fd);
void perf_stacks_free(struct perf_stacks *stacks);
/* Gives what was taken before UNTIL_NS, in order of time within a CPU. */
void perf_stacks_drain(
	struct perf_stacks *stacks, uint64_t until_ns, perf_stack_fn *fn, void *context);
/* Records that found no room. */
uint64_t perf_stacks_lost(const struct perf_stacks *stacks);
