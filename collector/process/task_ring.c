/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/task_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "store/base/must.h"

static int open_event(uint32_t cpu, size_t data_bytes, bool with_build_ids)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = TASK_RECORD_SAMPLE_TYPE,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = with_build_ids,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* Records wait for the next look at all rings; only a half-full ring wakes. */
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(data_bytes / 2),
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == E2BIG ? -EINVAL : -errno;
	return (int)fd;
}

int task_ring_open(struct task_ring *ring, uint32_t cpu, size_t data_bytes, bool with_build_ids,
	struct tally *tally)
{
	struct perf_ring perf;
	int fd = open_event(cpu, data_bytes, with_build_ids);
	int r;

	if (fd < 0)
		return fd;
	r = perf_ring_open(&perf, fd, data_bytes);
	if (r < 0) {
		close(fd);
		return r;
	}
	*ring = (struct task_ring){.perf = perf, .cpu = cpu, .tally = tally};
	return 0;
}

void task_ring_close(struct task_ring *ring)
{
	perf_ring_close(&ring->perf);
	ring->next_bytes = 0;
}

bool task_ring_peek(struct task_ring *ring)
{
	const void *record;
	int r;

	if (ring->next_bytes != 0)
		return true;
	r = perf_ring_peek(&ring->perf, &record);
	if (r <= 0) {
		if (r < 0)
			tally_add(ring->tally, TALLY_task_records_malformed, 1);
		return false;
	}
	ring->next_bytes = (size_t)r;
	ring->next_time_ns = task_record_time(record, ring->next_bytes);
	return true;
}

int task_ring_take(struct task_ring *ring, struct task_record *ret_record)
{
	const void *record;
	int r;

	must(ring->next_bytes != 0);
	/* What was found once is found again. */
	r = perf_ring_peek(&ring->perf, &record);
	must((size_t)r == ring->next_bytes);
	return task_record_parse(record, ring->next_bytes, ret_record);
}

void task_ring_release(struct task_ring *ring)
{
	perf_ring_release(&ring->perf, ring->next_bytes);
	ring->next_bytes = 0;
}
