/* SPDX-License-Identifier: Apache-2.0 */
/* Unwound: samples with their whole stacks, as the collector sees them.
 *
 * What it is   a process table and an unwinder around a sampler.
 * Ownership    the sampler is borrowed and outlives it.
 * Threads      one owner.
 * Errors       a failed call fails the test.
 */
#pragma once

#include "collector/kernel/sampler.h"
#include "collector/unwind/unwinder.h"

struct unwind_maps;

struct unwound {
	struct tally tally;
	struct process_table processes;
	struct unwinder unwinder;
};

void unwound_init(struct unwound *unwound, struct sampler *sampler, uint32_t shard_count_max);
/* The same around maps that no sampler has. */
void unwound_init_maps(struct unwound *unwound, struct unwind_maps *maps, uint32_t shard_count_max);
void unwound_done(struct unwound *unwound);
/* Borrowed until the next call. */
const struct event_sample *unwound_complete(
	struct unwound *unwound, const struct event_sample *sample);
