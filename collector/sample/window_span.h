/* SPDX-License-Identifier: Apache-2.0 */
/* Window span: where windows begin and end.
 *
 * What it is   spans of CLOCK_MONOTONIC that touch, begin on the 20 ms grid of the epoch, and
 *              end at epoch multiples of the window's length; pure.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"

/* The first window is cut short, so that people who start a collector soon see something. */
#define WINDOW_FIRST_NS (2 * NS_PER_S)
/* A clock that was set by more than this, or a sleep of the host, closes the window; what is below
 * is slewing, which the grid of slots takes up. */
#define WINDOW_STEP_NS (10 * NS_PER_MS)

struct window_span {
	uint64_t start_ns;
	uint64_t end_ns;
};

/* The window that begins now. */
struct window_span window_span_first(const struct clock_reading *clocks, uint64_t window_ns);
/* The window that begins where another ended. */
struct window_span window_span_next(
	uint64_t start_ns, const struct clock_reading *clocks, uint64_t window_ns);
/* True if between two readings the clocks moved against each other. */
bool window_clocks_stepped(const struct clock_reading *before, const struct clock_reading *after);
/* True if between two readings the host slept. */
bool window_host_slept(const struct clock_reading *before, const struct clock_reading *after);
/* The last point of the grid at or before the time of CLOCKS: where a window that a step closes
 * ends and the next begins. Not before FLOOR_NS. */
uint64_t window_cut(const struct clock_reading *clocks, uint64_t floor_ns);
