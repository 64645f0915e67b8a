/* SPDX-License-Identifier: Apache-2.0 */
/* Busy window: a profile as large and as repetitive as what a busy host sends.
 *
 * What it is   stacks of a made-up host: programs with call graphs of their own, shared libraries,
 *              kernel frames above some of the stacks. The same window from the same seed.
 * Ownership    the caller frees the profile.
 * Threads      no shared state.
 * Errors       none: a failure ends the test.
 */
#pragma once

#include <stdint.h>

#include "store/profile/profile.h"

struct busy_host {
	uint64_t seed;
	uint32_t cpu_count;
	uint32_t samples_per_second; /* a CPU */
	uint32_t window_seconds;
	uint32_t process_count;
	uint32_t depth; /* user frames a stack, in the mean, about */
};

struct profile *busy_window(const struct busy_host *host);
