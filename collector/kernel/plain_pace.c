/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_pace.h"

#include "collector/kernel/pace.h"
#include "store/base/clock.h"
#include "store/base/must.h"

/* User space looks once a second, and a busy host may hold it up for as long. */
#define RING_SECONDS 2
#define RING_BYTES_MAX (4u << 20)
/* All CPUs together: half of what the collector may hold, and two seconds of the usual budget. */
#define RINGS_BYTES_MAX (16u << 20)

static uint64_t period_that_fits(uint32_t hz, uint64_t bytes_a_round, uint64_t bytes_per_s)
{
	uint64_t rounds = bytes_per_s / bytes_a_round;

	if (rounds >= hz)
		return pace_period_ns(hz);
	if (rounds > 0)
		return pace_period_ns((uint32_t)rounds);
	/* Less than one a second. */
	return bytes_a_round * NS_PER_MS / bytes_per_s * (NS_PER_S / NS_PER_MS);
}

/* In a power of two. */
static size_t usual_ring_bytes(uint64_t period_ns, uint32_t cpu_count)
{
	uint64_t wanted = (uint64_t)PLAIN_RECORD_BYTES * RING_SECONDS * NS_PER_S / period_ns;
	size_t bytes = PLAIN_RING_BYTES_MODEST;

	while (bytes < wanted && bytes < RING_BYTES_MAX)
		bytes *= 2;
	while (bytes * cpu_count > RINGS_BYTES_MAX && bytes > PLAIN_RING_BYTES_MIN)
		bytes /= 2;
	return bytes;
}

struct plain_pace plain_pace_choose(uint32_t hz, uint32_t cpu_count, uint64_t bytes_per_s)
{
	struct plain_pace pace;

	must(hz > 0 && cpu_count > 0 && bytes_per_s > 0);
	pace.period_ns =
		period_that_fits(hz, (uint64_t)cpu_count * PLAIN_RECORD_BYTES, bytes_per_s);
	pace.ring_bytes = usual_ring_bytes(pace.period_ns, cpu_count);
	return pace;
}
