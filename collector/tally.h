/* SPDX-License-Identifier: Apache-2.0 */
/* Tally: everything that the collector itself counts, in user space.
 *
 * What it is   the values of TALLY_LIST in proto/wire/collector_counter.h since the program
 *              started, and a few levels. What the kernel side counts stands in bpf/abi/counter.h.
 * Ownership    values only; the program owns the one tally and lends it to its parts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "proto/wire/collector_counter.h"

struct tally {
	_Atomic uint64_t values[TALLY_MAX];
};

static inline void tally_add(struct tally *tally, enum tally_counter counter, uint64_t count)
{
	atomic_fetch_add_explicit(&tally->values[counter], count, memory_order_relaxed);
}

/* Of those that say "now". */
static inline void tally_set(struct tally *tally, enum tally_counter counter, uint64_t level)
{
	atomic_store_explicit(&tally->values[counter], level, memory_order_relaxed);
}

static inline uint64_t tally_value(const struct tally *tally, enum tally_counter counter)
{
	return atomic_load_explicit(&tally->values[counter], memory_order_relaxed);
}
