/* SPDX-License-Identifier: Apache-2.0 */
/* Plain sampler: samples without BPF.
 *
 * What it is   a perf event of a fixed period on each online CPU, whose records bring the kernel's
 *              own call chain, the registers of user mode and a piece of the user's stack; each
 *              becomes a sample that user space goes on with (collector/unwind).
 * Ownership    plain_sampler_new makes it, plain_sampler_free ends it.
 * Threads      one: the one that made it.
 * Errors       negative errno, as the kernel gave them; as in sampler.h otherwise.
 */
#pragma once

#include <stdint.h>

#include "collector/kernel/cpu_list.h"
#include "collector/kernel/sampler.h"

struct plain_sampler;

/* For CPU_COUNT CPUs that could ever come online, ONLINE_COUNT of which are. Nothing runs yet. */
int plain_sampler_new(const struct sampler_config *config, uint32_t cpu_count,
	uint32_t online_count, struct plain_sampler **ret_sampler);
void plain_sampler_free(struct plain_sampler *sampler);

/* Starts the event of CPU. -ENODEV: it is offline. -ENOBUFS: the limit of locked memory. */
int plain_sampler_start(struct plain_sampler *sampler, uint32_t cpu);
bool plain_sampler_runs(const struct plain_sampler *sampler, uint32_t cpu);
/* Stops events that are dead and those of CPUs that are not ONLINE. */
void plain_sampler_watch(
	struct plain_sampler *sampler, const struct cpu_list *online, uint64_t now_ns);

int plain_sampler_poll_fd(const struct plain_sampler *sampler);
int plain_sampler_drain(struct plain_sampler *sampler, sampler_sample_fn fn, void *context);
void plain_sampler_halt(struct plain_sampler *sampler);
void plain_sampler_counters(const struct plain_sampler *sampler, uint64_t ret_values[COUNTER_MAX]);
uint64_t plain_sampler_period_ns(const struct plain_sampler *sampler);
void plain_sampler_lend(struct plain_sampler *sampler, struct unwind_memory *ret_memory);
