/* SPDX-License-Identifier: Apache-2.0 */
/* Sink counts: the values behind the sink's counters.
 *
 * What it is   one atomic number a counter of SINK_COUNTERS.
 * Ownership    a member of the sink.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "proto/wire/collector_counter.h"

struct sink_counts {
	atomic_ullong values[SINK_COUNTER_COUNT];
};

static inline void sink_count(
	struct sink_counts *counts, enum sink_counter counter, uint64_t how_many)
{
	atomic_fetch_add(&counts->values[counter], how_many);
}

/* Of the counters that say "now". */
static inline void sink_count_level(
	struct sink_counts *counts, enum sink_counter counter, uint64_t level)
{
	atomic_store(&counts->values[counter], level);
}

static inline void sink_counts_read(struct sink_counts *counts, uint64_t *ret_values)
{
	for (int i = 0; i < SINK_COUNTER_COUNT; i++)
		ret_values[i] = atomic_load(&counts->values[i]);
}
