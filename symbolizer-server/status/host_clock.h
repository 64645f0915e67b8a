/* SPDX-License-Identifier: Apache-2.0 */
/* Host clock: how far a host's clock is from ours.
 *
 * What it is   readings of the last windows. A batch has its host's REALTIME and BOOTTIME, read
 *              together, and the time at which it came. REALTIME less BOOTTIME changes when the
 *              clock is set; the time of coming less BOOTTIME is smallest for the batch that was
 *              longest on no way. The median of the one less the smallest of the other is the
 *              clock's error, whether or not batches had to wait.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"

/* Five minutes of windows of ten seconds: half of them tell that a clock was set. */
#define HOST_CLOCK_READING_COUNT 30

struct host_clock_reading {
	int64_t offset_ns; /* REALTIME less BOOTTIME, of the host */
	int64_t arrival_ns; /* our time less the host's BOOTTIME */
};

struct host_clock {
	struct host_clock_reading readings[HOST_CLOCK_READING_COUNT];
	uint32_t count; /* written so far; the newest is the last, modulo the length */
};

/* Forgets all: the host has started anew, and its BOOTTIME with it. */
void host_clock_reset(struct host_clock *clock);
void host_clock_note(
	struct host_clock *clock, const struct clock_reading *host, uint64_t received_at_ns);
/* The host's clock less ours; 0 before the first reading. */
int64_t host_clock_skew(const struct host_clock *clock);
