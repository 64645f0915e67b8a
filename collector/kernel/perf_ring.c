/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int perf_ring_open(struct perf_ring *ring, int fd, size_t data_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *pages =
		mmap(NULL, page_bytes + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	/* The event was allowed, so it is the limit of locked memory. */
	if (pages == MAP_FAILED)
		return errno == EPERM ? -ENOBUFS : -errno;
	*ring = (struct perf_ring){
		.fd = fd,
		.page = pages,
		.data = (uint8_t *)pages + page_bytes,
		.data_bytes = data_bytes,
	};
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, (size_t)(ring->data - (uint8_t *)ring->page) + ring->data_bytes);
	close(ring->fd);
	free(ring->joined);
	*ring = (struct perf_ring){.fd = -1};
}

static uint64_t head_of(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void set_tail(struct perf_ring *ring, uint64_t tail)
{
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* The span [at, at + byte_count) of the ring in one piece, or NULL for lack of memory. */
static const uint8_t *in_one_piece(struct perf_ring *ring, uint64_t at, size_t byte_count)
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

int perf_ring_peek(struct perf_ring *ring, const void **ret_record)
{
	uint64_t tail = ring->page->data_tail;
	uint64_t head = head_of(ring);
	struct perf_event_header header;
	const uint8_t *record;

	if (head == tail)
		return 0;
	/* Records are aligned to 8 bytes, so that a header never wraps. */
	memcpy(&header, ring->data + (tail & (ring->data_bytes - 1)), sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 != 0 || header.size > head - tail) {
		set_tail(ring, head);
		return -EBADMSG;
	}
	record = in_one_piece(ring, tail, header.size);
	if (!record) {
		set_tail(ring, head);
		return -ENOMEM;
	}
	*ret_record = record;
	return header.size;
}

void perf_ring_release(struct perf_ring *ring, size_t byte_count)
{
	set_tail(ring, ring->page->data_tail + byte_count);
}
