/* SPDX-License-Identifier: Apache-2.0 */
/* Tick watch: whether the timer of a CPU is alive, and what it has missed.
 *
 * What it is   compares ticks that were seen with time that went by. A timer that neither ticks nor
 *              counts time is dead: its CPU went and came back, and took the perf event with it.
 * Ownership    values only; the event's descriptor is borrowed.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tick_watch {
	uint64_t started_at_ns;
	uint64_t received_at_start;
	/* When its ticks or its counted time were last seen to have moved, and to what. */
	uint64_t moved_at_ns;
	uint64_t received;
	uint64_t counted_ns;
};

/* The timer was started at NOW_NS, when its CPU's count of ticks stood at RECEIVED. */
void tick_watch_start(struct tick_watch *watch, uint64_t received, uint64_t now_ns);
/* The count stands at RECEIVED. */
void tick_watch_note(struct tick_watch *watch, uint64_t received, uint64_t now_ns);
/* EVENT_FD is the timer's perf event. Asking wakes the CPU, so that it is done for silent ones
 * only. */
bool tick_watch_is_dead(
	struct tick_watch *watch, uint64_t period_ns, int event_fd, uint64_t now_ns);

/* Ticks that should have come by NOW_NS and did not, RECEIVED having been read after NOW_NS. */
uint64_t tick_watch_missed(
	const struct tick_watch *watch, uint64_t period_ns, uint64_t received, uint64_t now_ns);
/* Of a timer that is being stopped: up to its last sign of life. */
uint64_t tick_watch_missed_alive(const struct tick_watch *watch, uint64_t period_ns);
