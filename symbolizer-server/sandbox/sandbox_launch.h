/* SPDX-License-Identifier: Apache-2.0 */
/* Launch: a fresh run of this program, from a process that has threads.
 *
 * What it is   exec of the descriptor of our own binary with exactly the descriptors that are
 *              given, an empty environment and a deadline.
 * Ownership    descriptors stay the caller's.
 * Threads      any.
 * Errors       a negative errno; how the run ended is told apart from that.
 */
#pragma once

#include <stdint.h>

#define LAUNCH_DESCRIPTORS_MAX 7

struct launch_request {
	int binary_fd;
	char *const *arguments; /* argv, NULL-terminated */
	int fds[LAUNCH_DESCRIPTORS_MAX]; /* become 0, 1, ... */
	int fd_count;
	uint64_t wall_ns_max;
	int cancel_fd; /* readable: give up; 0 or less: none */
};

enum launch_end {
	LAUNCH_EXITED, /* value: exit status */
	LAUNCH_KILLED, /* value: signal */
	LAUNCH_TIMED_OUT,
};

struct launch_result {
	enum launch_end end;
	int value;
};

/* -ECANCELED: given up. */
int launch_run(const struct launch_request *request, struct launch_result *ret_result);
