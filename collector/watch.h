/* SPDX-License-Identifier: Apache-2.0 */
/* Watch: notices that samples stopped although the host is busy, and where.
 *
 * What it is   compares the counters of each stage over a minute; pure. A profiler that sends
 *              nothing and says nothing looks like an idle host.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

#include "store/base/clock.h"

/* So long without a sample on a busy host is reported. */
#define WATCH_SILENCE_NS (60 * NS_PER_S)
/* A host this idle (of a thousand) may well have none at 19 Hz. */
#define WATCH_BUSY_PERMILLE 20

/* Counts since the start. */
struct watch_counts {
	uint64_t ticks; /* the kernel ran the sampling program */
	uint64_t passed; /* it passed samples on */
	uint64_t received; /* they came out of the ring buffers */
	uint64_t counted; /* they stand in windows */
	uint64_t busy_ns; /* of all CPUs */
	uint64_t idle_ns;
};

struct watch {
	struct watch_counts then;
	uint64_t since_ns;
};

void watch_init(struct watch *watch, uint64_t now_ns);
/* NULL, or where the samples of the last minute were lost (static text). */
const char *watch_look(struct watch *watch, const struct watch_counts *now, uint64_t now_ns);
