/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/timers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/libbpf.h>

#include "collector/kernel/pace.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/must.h"

/* A timer is silent when so many ticks, and at least so much time, passed without one. */
#define SILENT_TICKS 8
#define SILENT_NS (2 * NS_PER_S)

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

/* Time that the event of a timer has counted; 0 when it can't be told. */
static uint64_t time_counted(const struct timer *timer)
{
	uint64_t counted_ns = 0;

	if (read(timer->event_fd, &counted_ns, sizeof(counted_ns)) != sizeof(counted_ns))
		return 0;
	return counted_ns;
}

static void stop(struct timers *timers, struct timer *timer)
{
	timers->ticks_missed +=
		pace_ticks_missed(timers->period_ns, timer->moved_at_ns - timer->started_at_ns,
			timer->received - timer->received_at_start);
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
	*timer = (struct timer){
		.link = link,
		.event_fd = TAKE_FD(fd),
		.started_at_ns = clock_monotonic_ns(),
		.received_at_start = received,
		.received = received,
	};
	timer->moved_at_ns = timer->started_at_ns;
	return 0;
}

bool timers_running(const struct timers *timers, uint32_t cpu)
{
	must(cpu < timers->cpu_count);
	return timers->timers[cpu].link != NULL;
}

static bool is_silent(const struct timers *timers, const struct timer *timer, uint64_t now_ns)
{
	uint64_t silence_ns = SILENT_TICKS * timers->period_ns;

	if (silence_ns < SILENT_NS)
		silence_ns = SILENT_NS;
	return now_ns > timer->moved_at_ns + silence_ns;
}

/* A silent timer whose event still counts time is alive: some virtual machines leave the timers of
 * an idle CPU waiting. Asking wakes the CPU, so that it is done for silent ones only. */
static bool is_dead(const struct timers *timers, struct timer *timer, uint64_t now_ns)
{
	uint64_t counted_ns;

	if (!is_silent(timers, timer, now_ns))
		return false;
	counted_ns = time_counted(timer);
	if (counted_ns == timer->counted_ns)
		return true;
	timer->counted_ns = counted_ns;
	timer->moved_at_ns = now_ns;
	return false;
}

static void note_ticks(struct timer *timer, uint64_t received, uint64_t now_ns)
{
	if (received == timer->received)
		return;
	timer->received = received;
	timer->moved_at_ns = now_ns;
}

void timers_watch(struct timers *timers, const struct cpu_list *online,
	const struct counters *counters, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < timers->cpu_count; cpu++) {
		struct timer *timer = &timers->timers[cpu];

		if (!timer->link)
			continue;
		note_ticks(timer, counters_of_cpu(counters, COUNTER_received, cpu), now_ns);
		if (!cpu_list_has(online, cpu)) {
			stop(timers, timer);
		} else if (is_dead(timers, timer, now_ns)) {
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

		if (timer->link && now_ns > timer->started_at_ns) {
			missed +=
				pace_ticks_missed(timers->period_ns, now_ns - timer->started_at_ns,
					counters_of_cpu(counters, COUNTER_received, cpu) -
						timer->received_at_start);
		}
	}
	return missed;
}
