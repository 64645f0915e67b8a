/* SPDX-License-Identifier: Apache-2.0 */
/* Clock: time as a value that is passed in.
 *
 * What it is   the three kernel clocks read together, and the interface by which a test gives its
 *              own.
 * Ownership    values only.
 * Threads      any.
 * Errors       none: the kernel's clocks cannot fail.
 */
#pragma once

#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* The same instant on each clock. */
struct clock_reading {
	uint64_t monotonic_ns;
	uint64_t boottime_ns;
	uint64_t realtime_ns; /* since the epoch */
};

struct clock {
	struct clock_reading (*read)(void *context);
	void *context;
};

/* The kernel's clocks. */
struct clock clock_system(void);
struct clock_reading clock_read(const struct clock *clock);
uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);
/* Lets the time of day of this program, as told here, be REALTIME_NS now and run on from there: for
 * tests that replay what was recorded. Before there are threads. */
void clock_start_at(uint64_t realtime_ns);
