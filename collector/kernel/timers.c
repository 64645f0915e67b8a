/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/timers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/libbpf.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/must.h"

int timers_init(
	struct timers *timers, struct bpf_program *program, uint64_t period_ns, uint32_t cpu_count)
{
	*timers = (struct timers){
		.program = program,
		.period_ns = period_ns,
		.cpu_count = cpu_count,
		.timers = calloc(cpu_count, sizeof(*timers->timers)),
	};
	return timers->timers ? 0 : -ENOMEM;
}

static void stop(struct timers *timers, struct timer *timer)
{
	timers->ticks_missed += tick_watch_missed_alive(&timer->watch, timers->period_ns);
	bpf_link__destroy(timer->link);
	timer->link = NULL;
}

void timers_halt(struct timers *timers)
{
	for (uint32_t cpu = 0; cpu < timers->cpu_count; cpu++) {
		if (timers->timers[cpu].link)
			stop(timers, &timers->timers[cpu]);
	}
}

void timers_done(struct timers *timers)
{
	for (uint32_t cpu = 0; timers->timers && cpu < timers->cpu_count; cpu++)
		bpf_link__destroy(timers->timers[cpu].link);
	free(timers->timers);
	timers->timers = NULL;
}

/* A disabled cpu-clock event on CPU that counts everything; its descriptor, or a negative errno. */
static int open_event(uint32_t cpu, uint64_t period_ns)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int timers_start(struct timers *timers, uint32_t cpu, uint64_t received)
{
	struct timer *timer;
	struct bpf_link *link;
	SCOPED_FD int fd = -1;

	must(cpu < timers->cpu_count && !timers->timers[cpu].link);
	fd = open_event(cpu, timers->period_ns);
	if (fd < 0)
		return fd;
	/* Takes the descriptor and enables the event: by a link, or by ioctl on kernels that have
	 * no links for perf events (before 5.15). Either goes when the descriptor goes. */
	link = bpf_program__attach_perf_event(timers->program, fd);
	if (!link)
		return -errno;
	timer = &timers->timers[cpu];
	*timer = (struct timer){.link = link, .event_fd = TAKE_FD(fd)};
	tick_watch_start(&timer->watch, received, clock_monotonic_ns());
	return 0;
}

bool timers_running(const struct timers *timers, uint32_t cpu)
{
	must(cpu < timers->cpu_count);
	return timers->timers[cpu].link != NULL;
}

void timers_watch(struct timers *timers, const struct cpu_list *online,
	const struct counters *counters, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < timers->cpu_count; cpu++) {
		struct timer *timer = &timers->timers[cpu];

		if (!timer->link)
			continue;
		tick_watch_note(
			&timer->watch, counters_of_cpu(counters, COUNTER_received, cpu), now_ns);
		if (!cpu_list_has(online, cpu)) {
			stop(timers, timer);
		} else if (tick_watch_is_dead(
				   &timer->watch, timers->period_ns, timer->event_fd, now_ns)) {
			stop(timers, timer);
			timers->restart_count++;
		}
	}
}

uint64_t timers_ticks_missed(
	const struct timers *timers, const struct counters *counters, uint64_t now_ns)
{
	uint64_t missed = timers->ticks_missed;

	for (uint32_t cpu = 0; cpu < timers->cpu_count; cpu++) {
		const struct timer *timer = &timers->timers[cpu];

		if (timer->link)
			missed += tick_watch_missed(&timer->watch, timers->period_ns,
				counters_of_cpu(counters, COUNTER_received, cpu), now_ns);
	}
	return missed;
}
