/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/task_events.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "collector/kernel/cpu_list.h"
#include "collector/process/task_ring.h"

#define CPU_FOLDER "/sys/devices/system/cpu"
/* All rings together. Starting a program makes some 4 KB of records; a host that starts hundreds a
 * second and holds us up for some 100 ms still fits. */
#define RING_BYTES_TOTAL (4u << 20)
#define RING_BYTES_MIN (32u << 10)
#define RING_BYTES_MAX (256u << 10)

struct task_events {
	char online_path[PATH_MAX];
	struct tally *tally;
	int epoll_fd;
	bool with_build_ids;
	size_t ring_bytes;
	struct task_ring *rings; /* one for each CPU of online */
	uint32_t count;
	uint32_t taken; /* the ring of the record given last; count: none */
	struct cpu_list online;
};

static size_t ring_bytes_for(uint32_t cpu_count)
{
	size_t bytes = RING_BYTES_MAX;

	while (bytes > RING_BYTES_MIN && bytes * cpu_count > RING_BYTES_TOTAL)
		bytes /= 2;
	return bytes;
}

static int watch(struct task_events *events, const struct task_ring *ring)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = ring->cpu};

	return epoll_ctl(events->epoll_fd, EPOLL_CTL_ADD, ring->perf.fd, &event) < 0 ? -errno : 0;
}

static int open_ring(struct task_events *events, uint32_t cpu, struct task_ring *ret_ring)
{
	int r = task_ring_open(
		ret_ring, cpu, events->ring_bytes, events->with_build_ids, events->tally);

	if (r == -EINVAL && events->with_build_ids) {
		events->with_build_ids = false;
		r = task_ring_open(ret_ring, cpu, events->ring_bytes, false, events->tally);
	}
	while (r == -ENOBUFS && events->ring_bytes > RING_BYTES_MIN) {
		events->ring_bytes /= 2;
		r = task_ring_open(
			ret_ring, cpu, events->ring_bytes, events->with_build_ids, events->tally);
	}
	if (r < 0)
		return r;
	r = watch(events, ret_ring);
	if (r < 0)
		task_ring_close(ret_ring);
	return r;
}

/* Rings whose CPU went and that are empty. */
static void close_gone(struct task_events *events, const struct cpu_list *online)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < events->count; i++) {
		struct task_ring *ring = &events->rings[i];

		if (!cpu_list_has(online, ring->cpu) && !task_ring_peek(ring))
			task_ring_close(ring);
		else
			events->rings[kept++] = *ring;
	}
	events->count = kept;
	events->taken = kept;
}

static bool has_ring(const struct task_events *events, uint32_t cpu)
{
	for (uint32_t i = 0; i < events->count; i++) {
		if (events->rings[i].cpu == cpu)
			return true;
	}
	return false;
}

/* The CPUs that can't be opened are tried again at the next change; the last fault is told. */
static int open_new(struct task_events *events, const struct cpu_list *online)
{
	size_t count_max = events->count + cpu_list_count(online);
	struct task_ring *rings = realloc(events->rings, count_max * sizeof(*rings));
	int fault = 0;

	if (!rings)
		return -ENOMEM;
	events->rings = rings;
	for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
		int r;

		if (!cpu_list_has(online, cpu) || has_ring(events, cpu))
			continue;
		r = open_ring(events, cpu, &events->rings[events->count]);
		if (r < 0)
			fault = r;
		else
			events->count++;
	}
	events->taken = events->count;
	return fault;
}

int task_events_cpus_changed(struct task_events *events)
{
	struct cpu_list online;
	int r = cpu_list_read(events->online_path, &online);

	if (r < 0)
		return r;
	if (memcmp(&online, &events->online, sizeof(online)) == 0)
		return 0;
	close_gone(events, &online);
	if (events->ring_bytes == 0)
		events->ring_bytes = ring_bytes_for(cpu_list_count(&online));
	r = open_new(events, &online);
	if (r == 0)
		events->online = online;
	return r;
}

int task_events_restart(struct task_events *events)
{
	for (uint32_t i = 0; i < events->count; i++)
		task_ring_close(&events->rings[i]);
	events->count = 0;
	events->taken = 0;
	events->online = (struct cpu_list){{0}};
	return task_events_cpus_changed(events);
}

int task_events_new(const struct task_events_config *config, struct task_events **ret_events)
{
	struct task_events *events = calloc(1, sizeof(*events));
	int r;

	if (!events)
		return -ENOMEM;
	snprintf(events->online_path, sizeof(events->online_path), "%s/online",
		config->cpu_folder ? config->cpu_folder : CPU_FOLDER);
	events->tally = config->tally;
	events->with_build_ids = true;
	events->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r = events->epoll_fd < 0 ? -errno : task_events_cpus_changed(events);
	if (r < 0 && events->count == 0) {
		task_events_free(events);
		return r;
	}
	*ret_events = events;
	return 0;
}

void task_events_free(struct task_events *events)
{
	if (!events)
		return;
	for (uint32_t i = 0; i < events->count; i++)
		task_ring_close(&events->rings[i]);
	free(events->rings);
	if (events->epoll_fd >= 0)
		close(events->epoll_fd);
	free(events);
}

int task_events_poll_fd(const struct task_events *events)
{
	return events->epoll_fd;
}

bool task_events_have_build_ids(const struct task_events *events)
{
	return events->with_build_ids;
}

static uint32_t oldest_ring(struct task_events *events, uint64_t until_ns)
{
	uint64_t oldest_ns = until_ns;
	uint32_t oldest = events->count;

	for (uint32_t i = 0; i < events->count; i++) {
		struct task_ring *ring = &events->rings[i];

		if (task_ring_peek(ring) && ring->next_time_ns <= oldest_ns) {
			oldest = i;
			oldest_ns = ring->next_time_ns;
		}
	}
	return oldest;
}

int task_events_next(struct task_events *events, uint64_t until_ns, struct task_record *ret_record)
{
	for (;;) {
		int r;

		if (events->taken < events->count)
			task_ring_release(&events->rings[events->taken]);
		events->taken = oldest_ring(events, until_ns);
		if (events->taken == events->count)
			return 0;
		r = task_ring_take(&events->rings[events->taken], ret_record);
		if (r == 0) {
			tally_add(events->tally, TALLY_task_records, 1);
			if (ret_record->kind == TASK_LOST)
				tally_add(events->tally, TALLY_task_records_lost,
					ret_record->lost_count);
			return 1;
		}
		if (r != -ENOMSG)
			tally_add(events->tally, TALLY_task_records_malformed, 1);
	}
}
