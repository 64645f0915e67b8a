/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/task_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open_event(cpu, data_bytes, with_build_ids);
	void *pages;

	if (fd < 0)
		return fd;
	pages = mmap(NULL, page_bytes + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED) {
		int error = errno;

		close(fd);
		/* The event was allowed, so it is the limit of locked memory. */
		return error == EPERM ? -ENOBUFS : -error;
	}
	*ring = (struct task_ring){
		.fd = fd,
		.cpu = cpu,
		.page = pages,
		.data = (uint8_t *)pages + page_bytes,
		.data_bytes = data_bytes,
		.tally = tally,
	};
	return 0;
}

void task_ring_close(struct task_ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, (size_t)(ring->data - (uint8_t *)ring->page) + ring->data_bytes);
	close(ring->fd);
	free(ring->joined);
	*ring = (struct task_ring){.fd = -1};
}

static uint64_t head_of(const struct task_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void set_tail(struct task_ring *ring, uint64_t tail)
{
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* The span [at, at + byte_count) of the ring in one piece, or NULL for lack of memory. */
static const uint8_t *in_one_piece(struct task_ring *ring, uint64_t at, size_t byte_count)
{
	size_t offset = at & (ring->data_bytes - 1);
	size_t first = ring->data_bytes - offset;

	if (byte_count <= first)
		return ring->data + offset;
	if (ring->joined_bytes < byte_count) {
		uint8_t *joined = realloc(ring->joined, byte_count);

		if (!joined)
			return NULL;
		ring->joined = joined;
		ring->joined_bytes = byte_count;
	}
	memcpy(ring->joined, ring->data + offset, first);
	memcpy(ring->joined + first, ring->data, byte_count - first);
	return ring->joined;
}

/* Nothing behind a broken header can be found again, so all that waits is given up. */
static void give_up(struct task_ring *ring, uint64_t head)
{
	set_tail(ring, head);
	tally_add(ring->tally, TALLY_task_records_malformed, 1);
}

bool task_ring_peek(struct task_ring *ring)
{
	uint64_t tail = ring->page->data_tail;
	uint64_t head = head_of(ring);
	struct perf_event_header header;
	const uint8_t *record;

	if (ring->next_bytes != 0)
		return true;
	if (head == tail)
		return false;
	/* Records are aligned to 8 bytes, so that a header never wraps. */
	memcpy(&header, ring->data + (tail & (ring->data_bytes - 1)), sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 != 0 || header.size > head - tail) {
		give_up(ring, head);
		return false;
	}
	record = in_one_piece(ring, tail, header.size);
	if (!record) {
		give_up(ring, head);
		return false;
	}
	ring->next_bytes = header.size;
	ring->next_time_ns = task_record_time(record, header.size);
	return true;
}

int task_ring_take(struct task_ring *ring, struct task_record *ret_record)
{
	const uint8_t *record;

	must(ring->next_bytes != 0);
	record = in_one_piece(ring, ring->page->data_tail, ring->next_bytes);
	if (!record)
		return -ENOMEM;
	return task_record_parse(record, ring->next_bytes, ret_record);
}

void task_ring_release(struct task_ring *ring)
{
	set_tail(ring, ring->page->data_tail + ring->next_bytes);
	ring->next_bytes = 0;
}
