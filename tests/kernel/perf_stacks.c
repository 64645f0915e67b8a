/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/perf_stacks.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <asm/perf_regs.h>
#include <linux/perf_event.h>

#include "bpf/abi/unwind_rule.h"
#include "tests/support/check.h"

#define PAGE_BYTES 4096
/* Some 500 stacks a CPU. */
#define RING_BYTES ((uint64_t)32 << 20)
#define CPUS_MAX 1024

/* The kernel's number of each of DWARF's registers, the instruction pointer last. */
static const uint8_t kernel_number[PERF_STACK_REGISTERS] = {PERF_REG_X86_AX, PERF_REG_X86_DX,
	PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_BP,
	PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP};

struct ring {
	int fd;
	struct perf_event_mmap_page *head;
};

struct perf_stacks {
	struct ring rings[CPUS_MAX];
	uint32_t count;
	uint64_t lost;
	uint8_t record[UINT16_MAX + 1]; /* one that wraps around */
};

static uint64_t register_mask(void)
{
	uint64_t mask = 0;

	for (int i = 0; i < PERF_STACK_REGISTERS; i++)
		mask |= UINT64_C(1) << kernel_number[i];
	return mask;
}

static int open_event(pid_t pid, int cpu, uint64_t period_ns)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = register_mask(),
		.sample_stack_user = PERF_STACK_BYTES_MAX,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void open_ring(struct perf_stacks *stacks, int fd, int program_fd)
{
	struct ring *ring = &stacks->rings[stacks->count++];

	ring->fd = fd;
	ring->head = mmap(NULL, PAGE_BYTES + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(ring->head != MAP_FAILED);
	CHECK_EQ(ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd), 0);
}

struct perf_stacks *perf_stacks_new(pid_t pid, uint64_t period_ns, int program_fd)
{
	struct perf_stacks *stacks = calloc(1, sizeof(*stacks));
	long cpu_count = sysconf(_SC_NPROCESSORS_CONF);

	CHECK(stacks && cpu_count <= CPUS_MAX);
	for (int cpu = 0; cpu < cpu_count; cpu++) {
		int fd = open_event(pid, cpu, period_ns);

		CHECK(fd >= 0 || errno == ENODEV);
		if (fd >= 0)
			open_ring(stacks, fd, program_fd);
	}
	return stacks;
}

void perf_stacks_free(struct perf_stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->count; i++) {
		munmap(stacks->rings[i].head, PAGE_BYTES + RING_BYTES);
		close(stacks->rings[i].fd);
	}
	free(stacks);
}

uint64_t perf_stacks_lost(const struct perf_stacks *stacks)
{
	return stacks->lost;
}

static const uint8_t *record_at(struct perf_stacks *stacks, const struct ring *ring, uint64_t tail)
{
	const uint8_t *bytes = (const uint8_t *)ring->head + PAGE_BYTES;
	const struct perf_event_header *header = (const void *)(bytes + tail % RING_BYTES);
	uint64_t first = RING_BYTES - tail % RING_BYTES;

	if (header->size <= first)
		return (const uint8_t *)header;
	memcpy(stacks->record, header, first);
	memcpy(stacks->record + first, bytes, header->size - first);
	return stacks->record;
}

/* False: the thread had no registers of user mode. */
static bool parse_sample(const uint8_t *record, struct perf_stack *ret_stack)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t time_ns;
		uint32_t cpu, reserved;
		uint64_t abi;
	} fixed;
	const uint64_t *words;
	struct perf_stack stack;
	uint64_t mask = register_mask();

	memcpy(&fixed, record, sizeof(fixed));
	if (fixed.abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	stack = (struct perf_stack){fixed.pid, fixed.tid, fixed.cpu, fixed.time_ns, {0}, NULL, 0};
	words = (const uint64_t *)(const void *)(record + sizeof(fixed));
	for (int i = 0; i < PERF_STACK_REGISTERS; i++) {
		uint64_t before = mask & ((UINT64_C(1) << kernel_number[i]) - 1);

		stack.registers[i] = words[__builtin_popcountll(before)];
	}
	words += PERF_STACK_REGISTERS;
	stack.stack = (const uint8_t *)(words + 1);
	if (words[0] > 0)
		stack.stack_bytes = words[1 + words[0] / 8];
	*ret_stack = stack;
	return true;
}

static uint64_t time_of(const uint8_t *record)
{
	uint64_t time_ns;

	memcpy(&time_ns, record + sizeof(struct perf_event_header) + 2 * sizeof(uint32_t),
		sizeof(time_ns));
	return time_ns;
}

static void drain_ring(struct perf_stacks *stacks, struct ring *ring, uint64_t until_ns,
	perf_stack_fn *fn, void *context)
{
	uint64_t head = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->head->data_tail;

	while (tail < head) {
		const uint8_t *record = record_at(stacks, ring, tail);
		const struct perf_event_header *header = (const void *)record;
		struct perf_stack stack;

		if (header->type == PERF_RECORD_SAMPLE && time_of(record) >= until_ns)
			break;
		if (header->type == PERF_RECORD_SAMPLE && parse_sample(record, &stack))
			fn(context, &stack);
		if (header->type == PERF_RECORD_LOST)
			stacks->lost += ((const uint64_t *)(const void *)record)[2];
		tail += header->size;
	}
	__atomic_store_n(&ring->head->data_tail, tail, __ATOMIC_RELEASE);
}

void perf_stacks_drain(
	struct perf_stacks *stacks, uint64_t until_ns, perf_stack_fn *fn, void *context)
{
	for (uint32_t i = 0; i < stacks->count; i++)
		drain_ring(stacks, &stacks->rings[i], until_ns, fn, context);
}
