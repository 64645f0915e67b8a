/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "collector/kernel/counters.h"
#include "collector/kernel/cpu_list.h"
#include "collector/kernel/kernel_setting.h"
#include "collector/kernel/pace.h"
#include "collector/kernel/probes.h"
#include "collector/kernel/refusal.h"
#include "collector/kernel/ring_layout.h"
#include "collector/kernel/rings.h"
#include "collector/kernel/timers.h"
#include "collector/kernel/unwind_maps.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"

#define CPU_FOLDER_USUAL "/sys/devices/system/cpu"

struct sampler {
	char online_path[256];
	uint64_t period_ns;
	uint64_t ticks_missed; /* the most ever reported: counters never fall */
	struct abilities abilities;
	struct probes probes;
	struct counters counters;
	struct rings rings;
	struct timers timers;
	struct unwind_maps unwind;
};

DEFINE_SCOPED(struct sampler *, sampler_free)

void sampler_free(struct sampler *sampler)
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

static int set_paths(
	struct sampler *sampler, const struct sampler_config *config, struct sampler_reason *reason)
{
	const char *folder = config->cpu_folder ? config->cpu_folder : CPU_FOLDER_USUAL;
	int length =
		snprintf(sampler->online_path, sizeof(sampler->online_path), "%s/online", folder);

	if (length < 0 || (size_t)length >= sizeof(sampler->online_path))
		return refusal_of_config(reason, "the name of the CPU folder is too long");
	return 0;
}

/* Loads the programs and makes everything that a CPU needs to be started. */
static int prepare(
	struct sampler *sampler, const struct sampler_config *config, struct sampler_reason *reason)
{
	int cpu_count = libbpf_num_possible_cpus();
	struct ring_layout layout;
	int r;

	if (cpu_count <= 0 || cpu_count > CPU_LIST_MAX)
		return refusal_of(cpu_count < 0 ? cpu_count : -E2BIG, "counting the CPUs", reason);
	r = ring_layout_choose((uint32_t)cpu_count, config->hz, config->cpus_per_ring,
		config->ring_bytes, &layout);
	if (r < 0) {
		return refusal_of_config(reason,
			"a ring buffer of %u bytes: must be a power of two from 64 KiB to 64 MiB",
			config->ring_bytes);
	}
	r = probes_load(&sampler->probes, &layout, config->btf_path, reason);
	if (r < 0)
		return r;
	r = abilities_read(config->btf_path, &sampler->abilities);
	if (r < 0)
		return refusal_of(r, "reading the kernel's type information", reason);
	r = counters_init(
		&sampler->counters, probes_counters_fd(&sampler->probes), (uint32_t)cpu_count);
	if (r == 0)
		r = unwind_maps_init(&sampler->unwind, &sampler->probes);
	if (r == 0)
		r = rings_init(&sampler->rings, &layout, probes_rings_fd(&sampler->probes));
	if (r == 0)
		r = timers_init(&sampler->timers, probes_on_cpu(&sampler->probes),
			sampler->period_ns, (uint32_t)cpu_count);
	return r < 0 ? refusal_of(r, "preparing to sample", reason) : 0;
}

static int start_cpu(struct sampler *sampler, uint32_t cpu)
{
	int r = rings_cover(&sampler->rings, cpu);

	if (r < 0)
		return r;
	return timers_start(
		&sampler->timers, cpu, counters_of_cpu(&sampler->counters, COUNTER_received, cpu));
}

static void sleep_until(uint64_t monotonic_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(monotonic_ns / NS_PER_S),
		.tv_nsec = (long)(monotonic_ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* Each CPU in its turn of one period. One that goes offline meanwhile is no fault. */
static int start_all(struct sampler *sampler, struct sampler_reason *reason)
{
	uint64_t begin_ns = clock_monotonic_ns();
	uint32_t online_count, index = 0;
	struct cpu_list online;
	int r = cpu_list_read(sampler->online_path, &online);

	if (r < 0)
		return refusal_of(r, "reading the list of online CPUs", reason);
	online_count = cpu_list_count(&online);
	for (uint32_t cpu = 0; cpu < sampler->timers.cpu_count; cpu++) {
		if (!cpu_list_has(&online, cpu))
			continue;
		sleep_until(begin_ns + pace_delay_ns(sampler->period_ns, index++, online_count));
		r = start_cpu(sampler, cpu);
		if (r < 0 && r != -ENODEV)
			return refusal_of_timer(
				r, cpu, kernel_setting_read("perf_event_paranoid", 0), reason);
	}
	return index > 0 ? 0 : refusal_of(-ENODEV, "finding an online CPU", reason);
}

int sampler_open(const struct sampler_config *config, struct sampler_reason *reason,
	struct sampler **ret_sampler)
{
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	int r;

	if (config->hz == 0 || config->hz > SAMPLER_HZ_MAX)
		return refusal_of_config(
			reason, "%u Hz: must be from 1 to %d", config->hz, SAMPLER_HZ_MAX);
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return refusal_of(-ENOMEM, "preparing to sample", reason);
	sampler->period_ns = pace_period_ns(config->hz);
	r = set_paths(sampler, config, reason);
	if (r == 0)
		r = prepare(sampler, config, reason);
	if (r == 0)
		r = start_all(sampler, reason);
	if (r < 0)
		return r;
	*ret_sampler = TAKE(sampler);
	return 0;
}

int sampler_poll_fd(const struct sampler *sampler)
{
	return rings_poll_fd(&sampler->rings);
}

int sampler_drain(struct sampler *sampler, sampler_sample_fn fn, void *context)
{
	return rings_drain(&sampler->rings, fn, context);
}

void sampler_halt(struct sampler *sampler)
{
	timers_halt(&sampler->timers);
}

int sampler_counters(struct sampler *sampler, uint64_t ret_values[COUNTER_MAX])
{
	uint64_t now_ns = clock_monotonic_ns(), missed;
	int r = counters_refresh(&sampler->counters);

	if (r < 0)
		return r;
	missed = timers_ticks_missed(&sampler->timers, &sampler->counters, now_ns);
	if (missed > sampler->ticks_missed)
		sampler->ticks_missed = missed;
	for (int i = 0; i < COUNTER_MAX; i++)
		ret_values[i] = counters_sum(&sampler->counters, (enum counter)i);
	ret_values[COUNTER_ticks_missed] = sampler->ticks_missed;
	ret_values[COUNTER_malformed] = sampler->rings.malformed;
	ret_values[COUNTER_cpu_restarted] = sampler->timers.restart_count;
	return 0;
}

int sampler_cpus_changed(struct sampler *sampler, uint32_t *ret_online_count)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct cpu_list online;
	int fault = 0, r = cpu_list_read(sampler->online_path, &online);

	if (r < 0)
		return r;
	r = counters_refresh(&sampler->counters);
	if (r < 0)
		return r;
	*ret_online_count = cpu_list_count(&online);
	timers_watch(&sampler->timers, &online, &sampler->counters, now_ns);
	for (uint32_t cpu = 0; cpu < sampler->timers.cpu_count; cpu++) {
		if (!cpu_list_has(&online, cpu) || timers_running(&sampler->timers, cpu))
			continue;
		r = start_cpu(sampler, cpu);
		if (r < 0)
			fault = r;
	}
	return fault;
}

const struct abilities *sampler_abilities(const struct sampler *sampler)
{
	return &sampler->abilities;
}

struct unwind_maps *sampler_unwind_maps(struct sampler *sampler)
{
	return &sampler->unwind;
}

uint64_t sampler_period_ns(const struct sampler *sampler)
{
	return sampler->period_ns;
}
