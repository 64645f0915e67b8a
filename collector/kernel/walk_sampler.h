/* SPDX-License-Identifier: Apache-2.0 */
/* Walk sampler: samples by BPF, whose stacks are walked in the kernel.
 *
 * What it is   the loaded programs, a timer on each online CPU, the rings and the maps by which
 *              walks find their way.
 * Ownership    walk_sampler_new makes it, walk_sampler_free ends it.
 * Threads      one: the one that made it.
 * Errors       negative errno, as the kernel gave them; as in sampler.h otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/kernel/cpu_list.h"
#include "collector/kernel/sampler.h"

struct walk_sampler;

/* For CPU_COUNT CPUs that could ever come online. Loads everything; nothing runs yet. */
int walk_sampler_new(const struct sampler_config *config, uint32_t cpu_count,
	struct sampler_reason *reason, struct walk_sampler **ret_sampler);
void walk_sampler_free(struct walk_sampler *sampler);

/* Starts the timer of CPU. -ENODEV: it is offline. */
int walk_sampler_start(struct walk_sampler *sampler, uint32_t cpu);
bool walk_sampler_runs(const struct walk_sampler *sampler, uint32_t cpu);
/* Stops timers that are dead and those of CPUs that are not ONLINE. */
int walk_sampler_watch(
	struct walk_sampler *sampler, const struct cpu_list *online, uint64_t now_ns);

int walk_sampler_poll_fd(const struct walk_sampler *sampler);
int walk_sampler_drain(struct walk_sampler *sampler, sampler_sample_fn fn, void *context);
void walk_sampler_halt(struct walk_sampler *sampler);
int walk_sampler_counters(struct walk_sampler *sampler, uint64_t ret_values[COUNTER_MAX]);
uint64_t walk_sampler_period_ns(const struct walk_sampler *sampler);
const struct abilities *walk_sampler_abilities(const struct walk_sampler *sampler);
void walk_sampler_lend(struct walk_sampler *sampler, struct unwind_memory *ret_memory);
