/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Count: bumps a counter.
 *
 * What it is   one more for the counter of this CPU.
 * Ownership    nothing is kept.
 * Threads      the CPU that runs the program; plain additions are enough there.
 * Errors       none: the map has its one entry as long as the object lives.
 */
#pragma once

#include "bpf/lib/maps.bpf.h"

static __always_inline void count(enum counter counter)
{
	uint32_t key = 0;
	struct counter_values *all = bpf_map_lookup_elem(&counters, &key);

	if (all && counter < COUNTER_MAX)
		all->values[counter]++;
}
