/* SPDX-License-Identifier: Apache-2.0 */
/* Fake profile: windows of a made-up host, as busy as a test wants.
 *
 * What it is   a seeded random call graph of several processes; a window samples walks through it.
 *              The same seed gives the same host, so that windows share their stacks as those of
 *              a real host do.
 * Ownership    profiles are the caller's.
 * Threads      any.
 * Errors       what cannot be made ends the test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/profile.h"

#define FAKE_PERIOD_NS INT64_C(10101010) /* 99 Hz */

struct fake_host {
	const char *name;
	uint64_t seed;
	uint32_t process_count;
	uint32_t thread_count; /* of each process */
	uint32_t cpu_count;
	uint32_t depth; /* mean number of frames */
	uint32_t sample_count; /* of each window */
	uint32_t new_path_every; /* one sample in so many takes a path of its own; 0: one in 8 */
};

/* A small host for tests that look at every row: a few dozen samples. */
struct fake_host fake_small_host(const char *name);
/* A window of WINDOW_NS from the epoch time START_NS (a multiple of 20 ms); NUMBER makes it
 * different from others. Sealed and checked. */
struct profile *fake_profile(
	const struct fake_host *host, uint64_t start_ns, uint64_t window_ns, uint64_t number);
/* Everything a profile says, in an order that does not depend on how its tables are laid out:
 * equal texts mean equal profiles. For the caller to free. */
char *fake_profile_text(const struct profile *profile);
/* A next random number of a sequence that starts with any *STATE. */
uint64_t fake_random(uint64_t *state);
