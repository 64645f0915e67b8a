/* SPDX-License-Identifier: Apache-2.0 */
/* Timers: a perf event of a fixed period on each online CPU, with our program behind it.
 *
 * What it is   starts, stops and watches them, CPU by CPU. A CPU that goes offline takes its perf
 *              event with it for good, even if it comes back at once; a timer that neither fires
 *              nor counts time any more is therefore started again.
 * Ownership    timers_init makes it, timers_done ends it; program and counters belong to the
 *              caller.
 * Threads      one owner.
 * Errors       0 or a negative errno; one CPU's fault does not touch the others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/kernel/counters.h"
#include "collector/kernel/cpu_list.h"
#include "collector/kernel/tick_watch.h"

struct bpf_link;
struct bpf_program;

struct timer {
	struct bpf_link *link; /* NULL: not running */
	int event_fd; /* the link's */
	struct tick_watch watch;
};

struct timers {
	struct bpf_program *program;
	uint64_t period_ns;
	uint32_t cpu_count; /* CPUs that could ever come online */
	struct timer *timers;
	/* Since the beginning. */
	uint64_t ticks_missed; /* of timers that have ended */
	uint64_t restart_count;
};

/* -ENOMEM. Nothing runs yet. */
int timers_init(
	struct timers *timers, struct bpf_program *program, uint64_t period_ns, uint32_t cpu_count);
/* Ends every timer that runs; none starts again by itself. */
void timers_halt(struct timers *timers);
void timers_done(struct timers *timers);

/* Starts the timer of CPU, whose count stands at RECEIVED. Errors as the kernel gave them. */
int timers_start(struct timers *timers, uint32_t cpu, uint64_t received);
bool timers_running(const struct timers *timers, uint32_t cpu);

/* Takes note of the counts as they stood at NOW_NS, and stops timers that are dead and those of
 * CPUs that are not ONLINE: whoever is online and not running is to be started. */
void timers_watch(struct timers *timers, const struct cpu_list *online,
	const struct counters *counters, uint64_t now_ns);

/* Ticks that should have come by NOW_NS and did not, according to COUNTERS read after NOW_NS. */
uint64_t timers_ticks_missed(
	const struct timers *timers, const struct counters *counters, uint64_t now_ns);
