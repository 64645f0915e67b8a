/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/kernel/kernel_setting.h"
#include "collector/kernel/perf_ring.h"
#include "collector/kernel/plain_idle.h"
#include "collector/kernel/plain_memory.h"
#include "collector/kernel/plain_pace.h"
#include "collector/kernel/plain_record.h"
#include "collector/kernel/tick_watch.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/must.h"

struct plain_cpu {
	struct perf_ring ring; /* may hold records when the event no longer runs */
	bool is_running;
	uint64_t received;
	uint64_t missed; /* ticks, from when the event was started to the last record */
	struct tick_watch watch;
	struct plain_idle idle;
};

struct plain_sampler {
	struct plain_cpu *cpus;
	uint32_t cpu_count;
	struct plain_pace pace;
	uint32_t kernel_frames_max;
	bool with_cgroup;
	int epoll_fd;
	/* Since the beginning. */
	uint64_t counts[COUNTER_MAX];
	uint64_t ticks_missed; /* of events that were stopped */
	struct event_sample *sample; /* room for the longest */
	struct plain_memory memory;
	/* While draining only. */
	sampler_sample_fn fn;
	void *context;
};

DEFINE_SCOPED(struct plain_sampler *, plain_sampler_free)

void plain_sampler_free(struct plain_sampler *sampler)
{
	if (!sampler)
		return;
	for (uint32_t i = 0; sampler->cpus && i < sampler->cpu_count; i++)
		perf_ring_close(&sampler->cpus[i].ring);
	free(sampler->cpus);
	free(sampler->sample);
	plain_memory_done(&sampler->memory);
	if (sampler->epoll_fd >= 0)
		close(sampler->epoll_fd);
	free(sampler);
}

int plain_sampler_new(const struct sampler_config *config, uint32_t cpu_count,
	uint32_t online_count, struct plain_sampler **ret_sampler)
{
	SCOPED(plain_sampler_free) struct plain_sampler *sampler = calloc(1, sizeof(*sampler));
	int r;

	if (!sampler)
		return -ENOMEM;
	sampler->cpu_count = cpu_count;
	sampler->pace = plain_pace_choose(config->hz, online_count, config->stack_bytes_per_s);
	if (config->ring_bytes)
		sampler->pace.ring_bytes = config->ring_bytes;
	sampler->kernel_frames_max =
		(uint32_t)kernel_setting_read("perf_event_max_stack", KERNEL_FRAMES_MAX);
	if (sampler->kernel_frames_max == 0 || sampler->kernel_frames_max > KERNEL_FRAMES_MAX)
		sampler->kernel_frames_max = KERNEL_FRAMES_MAX;
	sampler->with_cgroup = true;
	sampler->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (sampler->epoll_fd < 0)
		return -errno;
	sampler->cpus = calloc(cpu_count, sizeof(*sampler->cpus));
	sampler->sample = malloc(EVENT_SAMPLE_BYTES_MAX);
	if (!sampler->cpus || !sampler->sample)
		return -ENOMEM;
	r = plain_memory_init(&sampler->memory);
	if (r < 0)
		return r;
	*ret_sampler = TAKE(sampler);
	return 0;
}

/* --- events ------------------------------------------------------------------------------------ */

static int open_event(const struct plain_sampler *sampler, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = sampler->pace.period_ns,
		.sample_type = PLAIN_SAMPLE_TYPE | (sampler->with_cgroup ? PERF_SAMPLE_CGROUP : 0),
		.exclude_callchain_user = 1,
		.sample_regs_user = PLAIN_USER_REGISTERS,
		.sample_stack_user = STACK_COPY_BYTES_MAX,
		.sample_regs_intr = PLAIN_INTERRUPTED_REGISTERS,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.disabled = 1,
		/* Records wait for the next look at all rings; only a half-full ring wakes. */
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(sampler->pace.ring_bytes / 2),
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int open_ring(struct plain_sampler *sampler, uint32_t cpu, struct perf_ring *ret_ring)
{
	SCOPED_FD int fd = open_event(sampler, cpu);
	int r;

	if (fd == -EINVAL && sampler->with_cgroup) {
		/* A kernel without cgroups of perf events: a process's place is read once. */
		sampler->with_cgroup = false;
		fd = open_event(sampler, cpu);
	}
	if (fd < 0)
		return fd;
	r = perf_ring_open(ret_ring, fd, sampler->pace.ring_bytes);
	if (r == 0)
		TAKE_FD(fd);
	return r;
}

/* Where little memory may be locked, small rings for all CPUs that come from here on. */
static int open_ring_that_fits(
	struct plain_sampler *sampler, uint32_t cpu, struct perf_ring *ret_ring)
{
	int r = open_ring(sampler, cpu, ret_ring);

	while (r == -ENOBUFS && sampler->pace.ring_bytes > PLAIN_RING_BYTES_MIN) {
		sampler->pace.ring_bytes = sampler->pace.ring_bytes > PLAIN_RING_BYTES_MODEST
			? PLAIN_RING_BYTES_MODEST
			: PLAIN_RING_BYTES_MIN;
		r = open_ring(sampler, cpu, ret_ring);
	}
	return r;
}

static int enable(const struct plain_sampler *sampler, const struct perf_ring *ring)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (epoll_ctl(sampler->epoll_fd, EPOLL_CTL_ADD, ring->fd, &event) < 0)
		return -errno;
	return ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

int plain_sampler_start(struct plain_sampler *sampler, uint32_t cpu)
{
	struct plain_cpu *place = &sampler->cpus[cpu];
	int r;

	must(cpu < sampler->cpu_count && !place->is_running);
	/* What a stopped event left was read since, or nobody reads. */
	perf_ring_close(&place->ring);
	r = open_ring_that_fits(sampler, cpu, &place->ring);
	if (r == 0)
		r = enable(sampler, &place->ring);
	if (r < 0) {
		perf_ring_close(&place->ring);
		return r;
	}
	tick_watch_start(&place->watch, place->received, clock_monotonic_ns());
	place->is_running = true;
	return 0;
}

bool plain_sampler_runs(const struct plain_sampler *sampler, uint32_t cpu)
{
	must(cpu < sampler->cpu_count);
	return sampler->cpus[cpu].is_running;
}

/* Its records can still be read. */
static void stop(struct plain_sampler *sampler, struct plain_cpu *place)
{
	sampler->ticks_missed += tick_watch_missed_alive(&place->watch, sampler->pace.period_ns);
	ioctl(place->ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	place->is_running = false;
	place->missed = 0;
}

void plain_sampler_watch(
	struct plain_sampler *sampler, const struct cpu_list *online, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < sampler->cpu_count; cpu++) {
		struct plain_cpu *place = &sampler->cpus[cpu];

		if (!place->is_running)
			continue;
		tick_watch_note(&place->watch, place->received, now_ns);
		if (!cpu_list_has(online, cpu)) {
			stop(sampler, place);
		} else if (tick_watch_is_dead(&place->watch, sampler->pace.period_ns,
				   place->ring.fd, now_ns)) {
			stop(sampler, place);
			sampler->counts[COUNTER_cpu_restarted]++;
		}
	}
}

void plain_sampler_halt(struct plain_sampler *sampler)
{
	for (uint32_t cpu = 0; cpu < sampler->cpu_count; cpu++) {
		if (sampler->cpus[cpu].is_running)
			stop(sampler, &sampler->cpus[cpu]);
	}
}

/* --- records ----------------------------------------------------------------------------------- */

static void count_lost(struct plain_sampler *sampler, struct plain_cpu *place, uint64_t count)
{
	place->received += count;
	sampler->counts[COUNTER_received] += count;
	sampler->counts[COUNTER_ring_full] += count;
	/* Idle ticks among them can't be told from others. */
	sampler->counts[COUNTER_user_stop_not_walked] += count;
}

static bool is_idle(struct plain_cpu *place, const struct plain_record *record)
{
	if (record->tid != 0 || record->abi != PERF_SAMPLE_REGS_ABI_NONE)
		return false;
	return plain_idle_is(&place->idle, record->interrupted_sp);
}

static void count_passed(struct plain_sampler *sampler, const struct event_sample *sample)
{
	sampler->counts[COUNTER_passed]++;
	sampler->counts[COUNTER_OF_USER_STOP(sample->user_stop)]++;
	sampler->counts[COUNTER_kernel_truncated] += sample->kernel_stop == STOP_truncated;
	sampler->counts[COUNTER_kernel_refused] += sample->kernel_stop == STOP_refused;
}

/* 1 if the tick became a sample, 0 if the CPU was idle; or what the caller's function said: then
 * the tick was not counted, and will come again. */
static int hand_over(
	struct plain_sampler *sampler, struct plain_cpu *place, const struct plain_record *record)
{
	struct plain_idle before = place->idle;
	bool idle = is_idle(place, record);
	int r = 0;

	if (!idle) {
		plain_record_sample(record, sampler->kernel_frames_max, sampler->sample);
		r = sampler->fn(sampler->context, sampler->sample);
	}
	if (r < 0) {
		place->idle = before;
		return r;
	}
	place->received++;
	/* What was lost on the way has been told right before. */
	if (place->is_running)
		place->missed = tick_watch_missed(
			&place->watch, sampler->pace.period_ns, place->received, record->time_ns);
	sampler->counts[COUNTER_received]++;
	if (idle)
		sampler->counts[COUNTER_idle]++;
	else
		count_passed(sampler, sampler->sample);
	return !idle;
}

static int take(struct plain_sampler *sampler, struct plain_cpu *place, const void *bytes,
	size_t byte_count)
{
	struct plain_record record;
	int r = plain_record_parse(bytes, byte_count, sampler->with_cgroup, &record);

	if (r == -EBADMSG)
		sampler->counts[COUNTER_malformed]++;
	if (r < 0)
		return 0;
	if (record.kind == PLAIN_TICK)
		return hand_over(sampler, place, &record);
	count_lost(sampler, place, record.lost_count);
	return 0;
}

/* At most one ring's bytes, so that it ends however fast the kernel writes. */
static int drain_cpu(struct plain_sampler *sampler, struct plain_cpu *place)
{
	size_t taken_bytes = 0;
	const void *bytes;
	int byte_count, r, count = 0;

	while (taken_bytes < place->ring.data_bytes) {
		byte_count = perf_ring_peek(&place->ring, &bytes);
		if (byte_count < 0)
			sampler->counts[COUNTER_malformed]++;
		if (byte_count <= 0)
			break;
		r = take(sampler, place, bytes, (size_t)byte_count);
		if (r < 0)
			return r;
		count += r;
		perf_ring_release(&place->ring, (size_t)byte_count);
		taken_bytes += (size_t)byte_count;
	}
	return count;
}

int plain_sampler_drain(struct plain_sampler *sampler, sampler_sample_fn fn, void *context)
{
	int count = 0;

	sampler->fn = fn;
	sampler->context = context;
	for (uint32_t cpu = 0; cpu < sampler->cpu_count; cpu++) {
		int r = sampler->cpus[cpu].ring.page ? drain_cpu(sampler, &sampler->cpus[cpu]) : 0;

		if (r < 0)
			return r;
		count += r;
	}
	return count;
}

/* --- the rest ---------------------------------------------------------------------------------- */

int plain_sampler_poll_fd(const struct plain_sampler *sampler)
{
	return sampler->epoll_fd;
}

void plain_sampler_counters(const struct plain_sampler *sampler, uint64_t ret_values[COUNTER_MAX])
{
	memcpy(ret_values, sampler->counts, sizeof(sampler->counts));
	ret_values[COUNTER_ticks_missed] = sampler->ticks_missed;
	for (uint32_t cpu = 0; cpu < sampler->cpu_count; cpu++)
		ret_values[COUNTER_ticks_missed] += sampler->cpus[cpu].missed;
}

uint64_t plain_sampler_period_ns(const struct plain_sampler *sampler)
{
	return sampler->pace.period_ns;
}

void plain_sampler_lend(struct plain_sampler *sampler, struct unwind_memory *ret_memory)
{
	plain_memory_lend(&sampler->memory, ret_memory);
}
