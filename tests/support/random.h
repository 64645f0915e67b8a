/* SPDX-License-Identifier: Apache-2.0 */
/* Random: numbers for tests, the same from the same seed.
 *
 * What it is   SplitMix64, whole in this header.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t mixed = random->state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

/* Below LIMIT, which is not 0. */
static inline uint32_t random_below(struct random *random, uint32_t limit)
{
	return (uint32_t)(random_next(random) % limit);
}

static inline bool random_chance(struct random *random, uint32_t percent)
{
	return random_below(random, 100) < percent;
}

/* Below LIMIT, small numbers far more often: each half of the range is half as likely. */
static inline uint32_t random_skewed(struct random *random, uint32_t limit)
{
	uint32_t part = limit;

	while (part > 1 && random_chance(random, 60))
		part = (part + 1) / 2;
	return random_below(random, part);
}
