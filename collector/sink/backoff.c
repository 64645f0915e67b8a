/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/backoff.h"

#include "store/base/must.h"

void backoff_init(struct backoff *backoff, uint64_t first_ns, uint64_t max_ns, uint64_t seed)
{
	must(first_ns <= max_ns);
	*backoff = (struct backoff){
		.first_ns = first_ns, .max_ns = max_ns, .bound_ns = first_ns, .random = seed};
}

/* SplitMix64: equal seeds wait equally, neighbouring ones have nothing in common. */
static uint64_t next_random(struct backoff *backoff)
{
	uint64_t mixed = backoff->random += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

uint64_t backoff_between(struct backoff *backoff, uint64_t low_ns, uint64_t high_ns)
{
	must(low_ns <= high_ns);
	if (high_ns - low_ns == UINT64_MAX)
		return next_random(backoff);
	return low_ns + next_random(backoff) % (high_ns - low_ns + 1);
}

uint64_t backoff_next(struct backoff *backoff)
{
	uint64_t wait_ns = backoff_between(backoff, 0, backoff->bound_ns);

	backoff->bound_ns =
		backoff->bound_ns > backoff->max_ns / 2 ? backoff->max_ns : backoff->bound_ns * 2;
	return wait_ns;
}

void backoff_reset(struct backoff *backoff)
{
	backoff->bound_ns = backoff->first_ns;
}
