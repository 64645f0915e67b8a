/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/clock.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

/* How far the time of day is from the kernel's; of a whole program, and set before its threads. */
static _Atomic int64_t realtime_shift_ns;

static uint64_t read_ns(clockid_t id)
{
	struct timespec now = {0};

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t read_realtime_ns(void)
{
	return read_ns(CLOCK_REALTIME) +
		(uint64_t)atomic_load_explicit(&realtime_shift_ns, memory_order_relaxed);
}

void clock_start_at(uint64_t realtime_ns)
{
	atomic_store(&realtime_shift_ns, (int64_t)(realtime_ns - read_ns(CLOCK_REALTIME)));
}

/* A preemption between two reads would shift the clocks against each other, so the attempt that the
 * kernel interrupted least (shortest from first to last) is kept. */
static struct clock_reading read_system(void *context)
{
	struct clock_reading best = {0};
	uint64_t best_width = UINT64_MAX;

	(void)context;
	for (int attempt = 0; attempt < 3; attempt++) {
		uint64_t before = read_ns(CLOCK_MONOTONIC);
		uint64_t boottime = read_ns(CLOCK_BOOTTIME);
		uint64_t realtime = read_realtime_ns();
		uint64_t width = read_ns(CLOCK_MONOTONIC) - before;

		if (width < best_width) {
			best_width = width;
			best = (struct clock_reading){before + width / 2, boottime, realtime};
		}
	}
	return best;
}

struct clock clock_system(void)
{
	return (struct clock){.read = read_system, .context = NULL};
}

struct clock_reading clock_read(const struct clock *clock)
{
	return clock->read(clock->context);
}

uint64_t clock_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
	return read_realtime_ns();
}
