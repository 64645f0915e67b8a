/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "collector/kernel/cpu_list.h"
#include "collector/kernel/kernel_setting.h"
#include "collector/kernel/pace.h"
#include "collector/kernel/plain_sampler.h"
#include "collector/kernel/refusal.h"
#include "collector/kernel/walk_sampler.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"

#define CPU_FOLDER_USUAL "/sys/devices/system/cpu"

/* One of the two, and the other is NULL. */
struct sampler {
	struct walk_sampler *walking;
	struct plain_sampler *plain;
	struct sampler_reason refusal; /* why it is the plain one */
	int refusal_error; /* 0: it was asked for */
	char online_path[256];
	uint32_t cpu_count; /* that could ever come online */
	uint64_t ticks_missed; /* the most ever reported: counters never fall */
};

DEFINE_SCOPED(struct sampler *, sampler_free)

static void close_both(struct sampler *sampler)
{
	walk_sampler_free(sampler->walking);
	plain_sampler_free(sampler->plain);
	sampler->walking = NULL;
	sampler->plain = NULL;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	close_both(sampler);
	free(sampler);
}

/* --- start ------------------------------------------------------------------------------------- */

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

static int count_cpus(struct sampler *sampler, struct sampler_reason *reason)
{
	int count = libbpf_num_possible_cpus();

	if (count <= 0 || count > CPU_LIST_MAX)
		return refusal_of(count < 0 ? count : -E2BIG, "counting the CPUs", reason);
	sampler->cpu_count = (uint32_t)count;
	return 0;
}

static int start_cpu(struct sampler *sampler, uint32_t cpu)
{
	return sampler->plain ? plain_sampler_start(sampler->plain, cpu)
			      : walk_sampler_start(sampler->walking, cpu);
}

static bool cpu_runs(const struct sampler *sampler, uint32_t cpu)
{
	return sampler->plain ? plain_sampler_runs(sampler->plain, cpu)
			      : walk_sampler_runs(sampler->walking, cpu);
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
static int start_all(
	struct sampler *sampler, const struct cpu_list *online, struct sampler_reason *reason)
{
	uint64_t begin_ns = clock_monotonic_ns(), period_ns = sampler_period_ns(sampler);
	uint32_t online_count = cpu_list_count(online), index = 0;

	for (uint32_t cpu = 0; cpu < sampler->cpu_count; cpu++) {
		int r;

		if (!cpu_list_has(online, cpu))
			continue;
		sleep_until(begin_ns + pace_delay_ns(period_ns, index++, online_count));
		r = start_cpu(sampler, cpu);
		if (r < 0 && r != -ENODEV)
			return refusal_of_timer(
				r, cpu, kernel_setting_read("perf_event_paranoid", 0), reason);
	}
	return index > 0 ? 0 : refusal_of(-ENODEV, "finding an online CPU", reason);
}

static int start_walking(struct sampler *sampler, const struct sampler_config *config,
	const struct cpu_list *online, struct sampler_reason *reason)
{
	int r = walk_sampler_new(config, sampler->cpu_count, reason, &sampler->walking);

	return r < 0 ? r : start_all(sampler, online, reason);
}

static int start_plain(struct sampler *sampler, const struct sampler_config *config,
	const struct cpu_list *online, struct sampler_reason *reason)
{
	uint32_t online_count = cpu_list_count(online);
	int r;

	if (online_count == 0)
		return refusal_of(-ENODEV, "finding an online CPU", reason);
	r = plain_sampler_new(config, sampler->cpu_count, online_count, &sampler->plain);
	if (r < 0)
		return refusal_of(r, "preparing to sample", reason);
	return start_all(sampler, online, reason);
}

/* Whatever of BPF was refused, perf events may not be. */
static int start_either(struct sampler *sampler, const struct sampler_config *config,
	const struct cpu_list *online, struct sampler_reason *reason)
{
	struct sampler_reason plain_reason = {{0}};
	int r = start_walking(sampler, config, online, reason);

	if (r == 0)
		return 0;
	close_both(sampler);
	sampler->refusal = *reason;
	sampler->refusal_error = r;
	if (start_plain(sampler, config, online, &plain_reason) == 0)
		return 0;
	refusal_add(&plain_reason, reason);
	return r;
}

static int start_way(
	struct sampler *sampler, const struct sampler_config *config, struct sampler_reason *reason)
{
	struct cpu_list online;
	int r = cpu_list_read(sampler->online_path, &online);

	if (r < 0)
		return refusal_of(r, "reading the list of online CPUs", reason);
	if (config->way == SAMPLER_BPF)
		return start_walking(sampler, config, &online, reason);
	if (config->way == SAMPLER_AUTO)
		return start_either(sampler, config, &online, reason);
	snprintf(sampler->refusal.text, sizeof(sampler->refusal.text), "--sampler is perf");
	return start_plain(sampler, config, &online, reason);
}

int sampler_open(const struct sampler_config *config, struct sampler_reason *reason,
	struct sampler **ret_sampler)
{
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	struct sampler_config filled = *config;
	int r;

	if (config->hz == 0 || config->hz > SAMPLER_HZ_MAX)
		return refusal_of_config(
			reason, "%u Hz: must be from 1 to %d", config->hz, SAMPLER_HZ_MAX);
	if (filled.stack_bytes_per_s == 0)
		filled.stack_bytes_per_s = SAMPLER_STACK_BYTES_USUAL;
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return refusal_of(-ENOMEM, "preparing to sample", reason);
	r = set_paths(sampler, &filled, reason);
	if (r == 0)
		r = count_cpus(sampler, reason);
	if (r == 0)
		r = start_way(sampler, &filled, reason);
	if (r < 0)
		return r;
	*ret_sampler = TAKE(sampler);
	return 0;
}

/* --- samples ----------------------------------------------------------------------------------- */

int sampler_poll_fd(const struct sampler *sampler)
{
	return sampler->plain ? plain_sampler_poll_fd(sampler->plain)
			      : walk_sampler_poll_fd(sampler->walking);
}

int sampler_drain(struct sampler *sampler, sampler_sample_fn fn, void *context)
{
	return sampler->plain ? plain_sampler_drain(sampler->plain, fn, context)
			      : walk_sampler_drain(sampler->walking, fn, context);
}

void sampler_halt(struct sampler *sampler)
{
	if (sampler->plain)
		plain_sampler_halt(sampler->plain);
	else
		walk_sampler_halt(sampler->walking);
}

int sampler_counters(struct sampler *sampler, uint64_t ret_values[COUNTER_MAX])
{
	int r = 0;

	if (sampler->plain)
		plain_sampler_counters(sampler->plain, ret_values);
	else
		r = walk_sampler_counters(sampler->walking, ret_values);
	if (r < 0)
		return r;
	if (ret_values[COUNTER_ticks_missed] > sampler->ticks_missed)
		sampler->ticks_missed = ret_values[COUNTER_ticks_missed];
	ret_values[COUNTER_ticks_missed] = sampler->ticks_missed;
	return 0;
}

/* --- CPUs -------------------------------------------------------------------------------------- */

static int watch(struct sampler *sampler, const struct cpu_list *online)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (!sampler->plain)
		return walk_sampler_watch(sampler->walking, online, now_ns);
	plain_sampler_watch(sampler->plain, online, now_ns);
	return 0;
}

int sampler_cpus_changed(struct sampler *sampler, uint32_t *ret_online_count)
{
	struct cpu_list online;
	int fault = 0, r = cpu_list_read(sampler->online_path, &online);

	if (r == 0)
		r = watch(sampler, &online);
	if (r < 0)
		return r;
	*ret_online_count = cpu_list_count(&online);
	for (uint32_t cpu = 0; cpu < sampler->cpu_count; cpu++) {
		if (!cpu_list_has(&online, cpu) || cpu_runs(sampler, cpu))
			continue;
		r = start_cpu(sampler, cpu);
		if (r < 0)
			fault = r;
	}
	return fault;
}

/* --- what it is -------------------------------------------------------------------------------- */

bool sampler_walks_in_kernel(const struct sampler *sampler)
{
	return sampler->walking != NULL;
}

const char *sampler_refusal(const struct sampler *sampler, int *ret_error)
{
	*ret_error = sampler->refusal_error;
	return sampler->refusal.text;
}

const struct abilities *sampler_abilities(const struct sampler *sampler)
{
	return sampler->walking ? walk_sampler_abilities(sampler->walking) : NULL;
}

void sampler_lend_memory(struct sampler *sampler, struct unwind_memory *ret_memory)
{
	if (sampler->plain)
		plain_sampler_lend(sampler->plain, ret_memory);
	else
		walk_sampler_lend(sampler->walking, ret_memory);
}

uint64_t sampler_period_ns(const struct sampler *sampler)
{
	return sampler->plain ? plain_sampler_period_ns(sampler->plain)
			      : walk_sampler_period_ns(sampler->walking);
}
