/* SPDX-License-Identifier: Apache-2.0 */
/* Known: a process that spends its time in functions that the test can tell apart.
 *
 * What it is   a child with two threads, each with a chain of calls built with frame pointers that
 *              begins where a thread begins (frame pointer 0): one computes, one reads zeros from
 *              the kernel. It is forked, not executed, so that the addresses are the test's own.
 * Ownership    known_start makes the child, known_finish ends it.
 * Threads      one owner.
 * Errors       a failed system call fails the test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum known_function {
	KNOWN_BEGIN, /* the first code of both threads */
	KNOWN_OUTER, /* computing: begin, outer, middle, compute */
	KNOWN_MIDDLE,
	KNOWN_COMPUTE,
	KNOWN_READER, /* reading: begin, reader, read; then the kernel */
	KNOWN_READ,
	KNOWN_NONE,
};

struct known_process {
	pid_t pid;
	int stop_fd; /* the child ends when this closes */
};

struct known_process known_start(void);

/* Ends the child and gives the CPU time that it used, user and system. */
uint64_t known_finish(struct known_process *process);

/* Which function ADDRESS lies in. */
enum known_function known_function_of(uint64_t address);

/* Keeps the calling thread busy in begin, outer, middle, compute for about DURATION_NS. */
void known_compute_for(uint64_t duration_ns);
