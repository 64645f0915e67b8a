/* SPDX-License-Identifier: Apache-2.0 */
/* Fleet: windows of many hosts that run the same services, for measuring a store.
 *
 * What it is   a seeded generator. A service has a number of stacks, some 30 frames deep, that leave one
 *              another a few frames before their end; samples fall on them, and on the services of
 *              a host, by Zipf's frequencies. docs/testing.md has the numbers.
 * Ownership    windows are the caller's, and whole without the fleet.
 * Threads      one owner.
 * Errors       what cannot be made ends the program.
 */
#pragma once

#include <stdint.h>

#include "store/profile/profile.h"

#define FLEET_PERIOD_NS INT64_C(10101010) /* 99 Hz */

struct fleet_shape {
	uint64_t seed;
	uint32_t host_count;
	uint32_t service_count; /* of all hosts together */
	uint32_t services_a_host;
	uint32_t thread_count; /* of each process */
	uint32_t cpu_count; /* of each host */
	uint32_t stack_count; /* of each service */
	/* Lines `NAME BUILD-ID ADDRESS...` (hexadecimal) of files that exist, and of functions in them;
	 * NULL: all is made up. */
	const char *modules_path;
};

struct fleet;

struct fleet *fleet_new(const struct fleet_shape *shape);
void fleet_free(struct fleet *fleet);
/* A window of a host with SAMPLE_COUNT samples, sealed. Where it lies in time: fleet_move. */
struct profile *fleet_window(struct fleet *fleet, uint32_t host, uint64_t window_ns,
	uint32_t sample_count, uint64_t number);
/* Lets WINDOW start at the epoch time START_NS, a multiple of 20 ms. */
void fleet_move(struct profile *window, uint64_t start_ns);
/* How many distinct stacks (of distinct services) the windows so far have. */
uint64_t fleet_stack_count(const struct fleet *fleet);
