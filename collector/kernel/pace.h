/* SPDX-License-Identifier: Apache-2.0 */
/* Pace: when each CPU is sampled.
 *
 * What it is   pure arithmetic: a rate becomes a period, a CPU's turn becomes a delay, and time
 *              that went by becomes a number of ticks.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none; a rate of 0 is the caller's bug.
 */
#pragma once

#include <stdint.h>

/* The period for about HZ samples a second. Programs and the kernel's own tick work in whole
 * milliseconds; a period that is a whole number of them too would meet the same moment of their
 * round again and again, so that such a rate is raised by less than one percent. The weight of a
 * sample is the period that was really used. */
uint64_t pace_period_ns(uint32_t hz);

/* How long after the first CPU the INDEX-th of COUNT starts: evenly spread over one period, so that
 * the CPUs never all stop at once. */
uint64_t pace_delay_ns(uint64_t period_ns, uint32_t index, uint32_t count);

/* Ticks that are surely missing when a timer that has run for ELAPSED_NS was seen RECEIVED times.
 * One that may be under way is not counted. */
uint64_t pace_ticks_missed(uint64_t period_ns, uint64_t elapsed_ns, uint64_t received);
