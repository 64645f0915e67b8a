/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded: the shipped BPF programs with rings and maps, but without a sampler's timers.
 *
 * What it is   for tests that say themselves which threads are sampled.
 * Ownership    loaded_init makes it, loaded_done ends it.
 * Threads      one owner.
 * Errors       a failed call fails the test.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "collector/kernel/counters.h"
#include "collector/kernel/probes.h"
#include "collector/kernel/rings.h"
#include "collector/kernel/unwind_maps.h"

struct loaded {
	struct probes probes;
	struct unwind_maps maps;
	struct rings rings;
	struct counters counters;
	int program_fd; /* of on_cpu; borrowed */
};

/* EVENT_GOES_ON: the event behind the program writes its own record, too. */
void loaded_init(struct loaded *loaded, uint32_t ring_bytes, bool event_goes_on);
void loaded_done(struct loaded *loaded);
/* Samples thread TID from now on, wherever it runs; gives the event's descriptor. */
int loaded_sample_thread(const struct loaded *loaded, pid_t tid, uint64_t period_ns);
uint64_t loaded_counter(struct loaded *loaded, enum counter counter);
