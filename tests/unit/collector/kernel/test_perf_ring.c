/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"

#define DATA_BYTES 4096

/* A ring that the test fills instead of the kernel. */
static void make_ring(struct perf_ring *ring)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, page_bytes + DATA_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	*ring = (struct perf_ring){
		.fd = dup(STDERR_FILENO),
		.page = (struct perf_event_mmap_page *)pages,
		.data = pages + page_bytes,
		.data_bytes = DATA_BYTES,
	};
}

struct record {
	struct perf_event_header header;
	uint64_t words[11];
};

static void put(struct perf_ring *ring, uint64_t number, uint16_t size)
{
	struct record record = {{PERF_RECORD_SAMPLE, 0, size}, {number, [10] = ~number}};

	for (size_t i = 0; i < sizeof(record); i++)
		ring->data[(ring->page->data_head + i) % DATA_BYTES] = ((uint8_t *)&record)[i];
	ring->page->data_head += sizeof(record);
}

static void check_next(struct perf_ring *ring, uint64_t number)
{
	const void *bytes;
	struct record record;

	CHECK_EQ(perf_ring_peek(ring, &bytes), sizeof(record));
	memcpy(&record, bytes, sizeof(record));
	CHECK_EQ(record.words[0], number);
	CHECK_EQ(record.words[10], ~number);
	perf_ring_release(ring, sizeof(record));
}

static void records_come_in_one_piece_where_they_wrap(void)
{
	struct perf_ring ring;
	const void *bytes;

	make_ring(&ring);
	CHECK_EQ(perf_ring_peek(&ring, &bytes), 0);
	/* 96 bytes a record: of 4096 bytes every 43rd or so wraps, at ever other places. */
	for (uint64_t i = 1; i < 1000; i++) {
		put(&ring, i, sizeof(struct record));
		put(&ring, i + 1000, sizeof(struct record));
		check_next(&ring, i);
		check_next(&ring, i + 1000);
		CHECK_EQ(perf_ring_peek(&ring, &bytes), 0);
	}
	perf_ring_close(&ring);
}

static void a_broken_header_empties_the_ring(void)
{
	static const uint16_t sizes[] = {0, 7, 12, 4000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_ring ring;
		const void *bytes;

		make_ring(&ring);
		put(&ring, 1, sizes[i]);
		CHECK_EQ(perf_ring_peek(&ring, &bytes), -EBADMSG);
		CHECK_EQ(perf_ring_peek(&ring, &bytes), 0);
		put(&ring, 2, sizeof(struct record));
		check_next(&ring, 2);
		perf_ring_close(&ring);
	}
}

static void without_memory_for_one_that_wraps_the_ring_is_emptied(void)
{
	struct perf_ring ring;
	const void *bytes;

	make_ring(&ring);
	ring.page->data_head = ring.page->data_tail = DATA_BYTES - 48;
	put(&ring, 1, sizeof(struct record));
	fail_alloc_after(0);
	CHECK_EQ(perf_ring_peek(&ring, &bytes), -ENOMEM);
	fail_alloc_never();
	CHECK_EQ(perf_ring_peek(&ring, &bytes), 0);
	perf_ring_close(&ring);
}

static void a_real_event_has_a_ring_and_closing_twice_is_harmless(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	struct perf_ring ring;
	const void *bytes;
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(perf_ring_open(&ring, STDERR_FILENO, DATA_BYTES) < 0, 1);
	CHECK_EQ(perf_ring_open(&ring, (int)fd, DATA_BYTES), 0);
	CHECK_EQ(perf_ring_peek(&ring, &bytes), 0);
	perf_ring_close(&ring);
	perf_ring_close(&ring);
}

int main(void)
{
	RUN(records_come_in_one_piece_where_they_wrap);
	RUN(a_broken_header_empties_the_ring);
	RUN(without_memory_for_one_that_wraps_the_ring_is_emptied);
	RUN(a_real_event_has_a_ring_and_closing_twice_is_harmless);
	return 0;
}
