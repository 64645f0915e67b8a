/* SPDX-License-Identifier: Apache-2.0 */
/* Spawned: one of our programs, run by a test.
 *
 * What it is   starts build/<preset>/bin/NAME, collects what it says on standard output and error,
 *              waits for lines and for its end. What still runs ends with the test.
 * Ownership    spawned_done frees it all and kills what still runs.
 * Threads      one owner.
 * Errors       what a test needs and does not get ends the program with exit status 1.
 */
#pragma once

#include <sys/types.h>

#define SPAWNED_ARGUMENT_MAX 24

struct spawned {
	pid_t pid; /* 0: ended */
	int output_fd; /* of standard output and error together */
	char *said;
	size_t said_length;
};

/* ARGUMENTS end with NULL; the program's name is not among them. */
void spawned_start(struct spawned *program, const char *name, const char *const *arguments);
/* Waits until a line begins with BEGIN and gives the rest of it, malloc'ed. */
char *spawned_wait_line(struct spawned *program, const char *begin);
/* Waits for its end; gives the exit status, or 128 plus the signal. */
int spawned_wait(struct spawned *program);
void spawned_done(struct spawned *program);
