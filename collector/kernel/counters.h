/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: the kernel side's counters as they stand.
 *
 * What it is   a copy of the per-CPU map, refreshed on demand.
 * Ownership    counters_init allocates, counters_done releases; the map belongs to the caller.
 * Threads      one owner.
 * Errors       0, or a negative errno; a failed refresh leaves the old copy.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/counter.h"

struct counters {
	int map_fd;
	uint32_t cpu_count; /* CPUs that could ever come online */
	struct counter_values *fresh;
	struct counter_values *copy;
};

/* -ENOMEM. Every counter is 0 until the first refresh. */
int counters_init(struct counters *counters, int map_fd, uint32_t cpu_count);
void counters_done(struct counters *counters);

int counters_refresh(struct counters *counters);
uint64_t counters_of_cpu(const struct counters *counters, enum counter counter, uint32_t cpu);
uint64_t counters_sum(const struct counters *counters, enum counter counter);
