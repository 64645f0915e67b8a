/* SPDX-License-Identifier: Apache-2.0 */
/* Back-off: how long to wait before the next attempt.
 *
 * What it is   full jitter: a random time between zero and a bound that doubles with each failure.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

struct backoff {
	uint64_t first_ns; /* bound of the first wait */
	uint64_t max_ns; /* the bound stops here */
	uint64_t bound_ns; /* of the next wait */
	uint64_t random; /* state of the generator */
};

void backoff_init(struct backoff *backoff, uint64_t first_ns, uint64_t max_ns, uint64_t seed);
/* How long to wait now; the next bound is twice as high. */
uint64_t backoff_next(struct backoff *backoff);
/* After a success: the next wait is a first one again. */
void backoff_reset(struct backoff *backoff);
/* A random time between LOW_NS and HIGH_NS, from the same generator. */
uint64_t backoff_between(struct backoff *backoff, uint64_t low_ns, uint64_t high_ns);
