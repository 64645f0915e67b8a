/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/walk_sampler.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/kernel/counters.h"
#include "collector/kernel/pace.h"
#include "collector/kernel/probes.h"
#include "collector/kernel/refusal.h"
#include "collector/kernel/ring_layout.h"
#include "collector/kernel/rings.h"
#include "collector/kernel/timers.h"
#include "collector/kernel/unwind_maps.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"

struct walk_sampler {
	struct abilities abilities;
	struct probes probes;
	struct counters counters;
	struct rings rings;
	struct timers timers;
	struct unwind_maps unwind;
};

DEFINE_SCOPED(struct walk_sampler *, walk_sampler_free)

void walk_sampler_free(struct walk_sampler *sampler)
{
	if (!sampler)
		return;
	timers_done(&sampler->timers);
	rings_done(&sampler->rings);
	counters_done(&sampler->counters);
	unwind_maps_done(&sampler->unwind);
	probes_done(&sampler->probes);
	free(sampler);
}

/* Makes everything that a CPU needs to be started. */
static int prepare(struct walk_sampler *sampler, uint32_t hz, uint32_t cpu_count,
	const struct ring_layout *layout)
{
	int r = counters_init(&sampler->counters, probes_counters_fd(&sampler->probes), cpu_count);

	if (r == 0)
		r = unwind_maps_init(&sampler->unwind, &sampler->probes);
	if (r == 0)
		r = rings_init(&sampler->rings, layout, probes_rings_fd(&sampler->probes));
	if (r == 0)
		r = timers_init(&sampler->timers, probes_on_cpu(&sampler->probes),
			pace_period_ns(hz), cpu_count);
	return r;
}

int walk_sampler_new(const struct sampler_config *config, uint32_t cpu_count,
	struct sampler_reason *reason, struct walk_sampler **ret_sampler)
{
	SCOPED(walk_sampler_free) struct walk_sampler *sampler = calloc(1, sizeof(*sampler));
	struct ring_layout layout;
	int r;

	if (!sampler)
		return refusal_of(-ENOMEM, "preparing to sample", reason);
	r = ring_layout_choose(
		cpu_count, config->hz, config->cpus_per_ring, config->ring_bytes, &layout);
	if (r < 0) {
		return refusal_of_config(reason,
			"a ring buffer of %u bytes: must be a power of two from 64 KiB to 64 MiB",
			config->ring_bytes);
	}
	if (config->rings_bytes_max)
		ring_layout_limit(&layout, config->rings_bytes_max);
	r = probes_load(&sampler->probes, &layout, config->btf_path, reason);
	if (r < 0)
		return r;
	r = abilities_read(config->btf_path, &sampler->abilities);
	if (r < 0)
		return refusal_of(r, "reading the kernel's type information", reason);
	r = prepare(sampler, config->hz, cpu_count, &layout);
	if (r < 0)
		return refusal_of(r, "preparing to sample", reason);
	*ret_sampler = TAKE(sampler);
	return 0;
}

int walk_sampler_start(struct walk_sampler *sampler, uint32_t cpu)
{
	int r = rings_cover(&sampler->rings, cpu);

	if (r < 0)
		return r;
	return timers_start(
		&sampler->timers, cpu, counters_of_cpu(&sampler->counters, COUNTER_received, cpu));
}

bool walk_sampler_runs(const struct walk_sampler *sampler, uint32_t cpu)
{
	return timers_running(&sampler->timers, cpu);
}

int walk_sampler_watch(struct walk_sampler *sampler, const struct cpu_list *online, uint64_t now_ns)
{
	int r = counters_refresh(&sampler->counters);

	if (r == 0)
		timers_watch(&sampler->timers, online, &sampler->counters, now_ns);
	return r;
}

int walk_sampler_poll_fd(const struct walk_sampler *sampler)
{
	return rings_poll_fd(&sampler->rings);
}

int walk_sampler_drain(struct walk_sampler *sampler, sampler_sample_fn fn, void *context)
{
	return rings_drain(&sampler->rings, fn, context);
}

void walk_sampler_halt(struct walk_sampler *sampler)
{
	timers_halt(&sampler->timers);
}

int walk_sampler_counters(struct walk_sampler *sampler, uint64_t ret_values[COUNTER_MAX])
{
	uint64_t now_ns = clock_monotonic_ns();
	int r = counters_refresh(&sampler->counters);

	if (r < 0)
		return r;
	for (int i = 0; i < COUNTER_MAX; i++)
		ret_values[i] = counters_sum(&sampler->counters, (enum counter)i);
	ret_values[COUNTER_ticks_missed] =
		timers_ticks_missed(&sampler->timers, &sampler->counters, now_ns);
	ret_values[COUNTER_malformed] = sampler->rings.malformed;
	ret_values[COUNTER_cpu_restarted] = sampler->timers.restart_count;
	return 0;
}

uint64_t walk_sampler_period_ns(const struct walk_sampler *sampler)
{
	return sampler->timers.period_ns;
}

const struct abilities *walk_sampler_abilities(const struct walk_sampler *sampler)
{
	return &sampler->abilities;
}

void walk_sampler_lend(struct walk_sampler *sampler, struct unwind_memory *ret_memory)
{
	unwind_maps_lend(&sampler->unwind, ret_memory);
}
