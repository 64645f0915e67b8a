/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/task_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#define DATA_BYTES 4096

static struct tally tally;

/* A ring that the test fills instead of the kernel. */
static void make_ring(struct task_ring *ring)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, page_bytes + DATA_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	*ring = (struct task_ring){
		.perf = {.fd = dup(STDERR_FILENO),
			.page = (struct perf_event_mmap_page *)pages,
			.data = pages + page_bytes,
			.data_bytes = DATA_BYTES},
		.tally = &tally,
	};
}

static void put(struct task_ring *ring, const void *bytes, size_t byte_count)
{
	for (size_t i = 0; i < byte_count; i++)
		ring->perf.data[(ring->perf.page->data_head + i) % DATA_BYTES] =
			((const uint8_t *)bytes)[i];
	ring->perf.page->data_head += byte_count;
}

struct comm_record {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t tid;
	char name[16];
	uint64_t time_ns;
};

static void put_name(struct task_ring *ring, uint32_t pid, uint64_t time_ns)
{
	struct comm_record record = {
		{PERF_RECORD_COMM, 0, sizeof(record)}, pid, pid, "name", time_ns};

	put(ring, &record, sizeof(record));
}

static void records_come_out_in_order_even_where_they_wrap(void)
{
	struct task_ring ring;
	struct task_record record;

	make_ring(&ring);
	CHECK(!task_ring_peek(&ring));
	/* 40 bytes a record: of 4096 bytes the 103rd record wraps, and so on for many rounds. */
	for (uint32_t i = 1; i < 1000; i++) {
		put_name(&ring, i, i * 10);
		put_name(&ring, i, i * 10 + 1);
		CHECK(task_ring_peek(&ring));
		CHECK_EQ(ring.next_time_ns, i * 10);
		CHECK(task_ring_peek(&ring));
		CHECK_EQ(task_ring_take(&ring, &record), 0);
		CHECK_EQ(record.pid, i);
		CHECK_STR(record.named.name, "name");
		task_ring_release(&ring);
		CHECK(task_ring_peek(&ring));
		CHECK_EQ(ring.next_time_ns, i * 10 + 1);
		task_ring_release(&ring);
		CHECK(!task_ring_peek(&ring));
	}
	task_ring_close(&ring);
}

static void a_broken_header_empties_the_ring_and_is_counted(void)
{
	static const uint16_t sizes[] = {0, 7, 12, 4000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event_header header = {PERF_RECORD_COMM, 0, sizes[i]};
		uint64_t before = tally_value(&tally, TALLY_task_records_malformed);
		struct task_ring ring;

		make_ring(&ring);
		put(&ring, &header, sizeof(header));
		CHECK(!task_ring_peek(&ring));
		CHECK_EQ(ring.perf.page->data_tail, ring.perf.page->data_head);
		CHECK_EQ(tally_value(&tally, TALLY_task_records_malformed), before + 1);
		put_name(&ring, 1, 1);
		CHECK(task_ring_peek(&ring));
		task_ring_close(&ring);
	}
}

/* A child that starts /bin/true on the CPU of the ring and ends. */
static pid_t run_program(uint32_t cpu)
{
	pid_t pid = fork();
	cpu_set_t cpus;

	CHECK(pid >= 0);
	if (pid == 0) {
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus) == 0)
			execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Kernels before 5.12 tell the inode in place of the build-ID. */
static void without_build_ids_a_file_is_told_by_its_inode(void)
{
	struct task_ring ring;
	struct task_record record;
	struct stat expected;
	unsigned found = 0;
	pid_t pid;
	int r = task_ring_open(&ring, 0, 64 << 10, false, &tally);

	if (r < 0)
		fprintf(stderr, "this test needs root or CAP_PERFMON\n");
	CHECK_EQ(r, 0);
	CHECK_EQ(stat("/bin/true", &expected), 0);
	pid = run_program(0);
	for (; task_ring_peek(&ring); task_ring_release(&ring)) {
		if (task_ring_take(&ring, &record) < 0 || record.pid != (uint32_t)pid ||
			record.kind != TASK_MAPPED || !strstr(record.mapped.path, "/true"))
			continue;
		CHECK(!build_id_known(&record.mapped.build_id));
		CHECK_EQ(record.mapped.inode, expected.st_ino);
		found++;
	}
	CHECK(found >= 1);
	task_ring_close(&ring);
}

static void closing_twice_is_harmless(void)
{
	struct task_ring ring;

	make_ring(&ring);
	task_ring_close(&ring);
	task_ring_close(&ring);
}

int main(void)
{
	RUN(records_come_out_in_order_even_where_they_wrap);
	RUN(a_broken_header_empties_the_ring_and_is_counted);
	RUN(without_build_ids_a_file_is_told_by_its_inode);
	RUN(closing_twice_is_harmless);
	return 0;
}
