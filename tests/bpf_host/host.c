/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bpf_host/host.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/lib/maps.bpf.h"
#include "tests/support/check.h"

struct host host;

static struct walk walk_of_cpu;
static struct counter_values counters_of_cpu;
static struct memo memos_of_cpu[MEMOS_MAX];
static uint32_t ring_indices[RINGS_MAX]; /* the address of one stands for the ring */

/* The kernel side sees what the collector would write. */
static void reset_unwind(void)
{
	struct node_pool_config config = {.shard_count_max = 4,
		.make_shard = unwind_memory_make_shard,
		.context = &host.unwind};

	unwind_memory_init(&host.unwind);
	node_pool_init(&host.nodes, &config);
	CHECK_EQ(rule_set_init(&host.rules, host.unwind.rules), 0);
}

static void end_unwind(void)
{
	if (!host.unwind.rules)
		return;
	rule_set_done(&host.rules);
	node_pool_done(&host.nodes);
	unwind_memory_done(&host.unwind);
}

struct unwind_mapping_leaf *host_mappings(void)
{
	return node_pool_at(&host.nodes, host.process.root);
}

void host_map_everything(void)
{
	struct unwind_mapping_leaf *leaf;

	host.process_count = 1;
	host.process = (struct unwind_process){.started_at_ns = host.leader.start_boottime,
		.exec_number = host.leader.self_exec_id,
		.version = 1};
	CHECK_EQ(node_pool_take(&host.nodes, &host.process.root), 0);
	leaf = host_mappings();
	leaf->mappings[0] =
		(struct unwind_mapping){.end = CODE_ADDRESS_MAX, .table = UNWIND_NO_TABLE};
	leaf->head.count = 1;
}

void host_reset(void)
{
	end_unwind();
	memset(&host, 0, sizeof(host));
	memset(&walk_of_cpu, 0, sizeof(walk_of_cpu));
	memset(&counters_of_cpu, 0, sizeof(counters_of_cpu));
	memset(memos_of_cpu, 0, sizeof(memos_of_cpu));
	host.now_ns = 1000000000;
	woken_for_stack_at_ns = 0;
	host.pid_tgid = UINT64_C(100) << 32 | 101;
	strcpy(host.comm, "stone");
	host.cgroup_id = 77;
	host.task.stack = host.kernel_stack;
	host.task.mm = (struct mm_struct *)&host;
	host.task.group_leader = &host.leader;
	host.leader.start_boottime = 500;
	host.user_start = UINT64_C(0x7ffd00000000);
	host.user_bytes = HOST_USER_BYTES_MAX;
	host.ring_count = 1;
	for (uint32_t i = 0; i < RINGS_MAX; i++)
		ring_indices[i] = i;
	reset_unwind();
	host_map_everything();
	host_set((struct setting){.cpus_per_ring = 8,
		.ring_wake_bytes = 4096,
		.kernel_frame_count_max = KERNEL_FRAMES_MAX});
}

void host_set(struct setting wanted)
{
	long page_bytes = sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)&setting & ~(uintptr_t)(page_bytes - 1);
	uintptr_t end = (uintptr_t)(&setting + 1);
	struct setting *writable = (struct setting *)(uintptr_t)&setting;

	CHECK_EQ(mprotect((void *)start, end - start, PROT_READ | PROT_WRITE), 0);
	*writable = wanted;
}

struct pt_regs *host_entry_registers(void)
{
	char *top = (char *)host.kernel_stack + sizeof(host.kernel_stack);

	return (struct pt_regs *)(top - sizeof(struct pt_regs));
}

uint64_t host_counter(enum counter counter)
{
	return counters_of_cpu.values[counter];
}

const struct host_record *host_only_record(void)
{
	CHECK_EQ(host.record_count, 1);
	return &host.records[0];
}

bool host_has_enum_value(const char *name)
{
	if (strcmp(name, "BPF_FUNC_task_pt_regs") == 0)
		return !host.without_task_pt_regs;
	CHECK_STR(name, "memory_cgrp_id");
	return !host.without_memory_cgroup;
}

/* Of the maps that unwinding goes by. */
static void *find_unwind(void *map, uint32_t index)
{
	if (map == &unwind_shards)
		return index < host.unwind.shard_count ? host.unwind.shards[index] : NULL;
	if (map == &unwind_rules)
		return index < UNWIND_RULES_MAX ? &host.unwind.rules[index] : NULL;
	if (map == &unwind_tables)
		return index < UNWIND_TABLES_MAX ? &host.unwind.tables[index] : NULL;
	CHECK(map == &unwind_memos);
	return index < MEMOS_MAX ? &memos_of_cpu[index] : NULL;
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	uint32_t index = *(const uint32_t *)key;

	if (map == &rings)
		return index < host.ring_count ? &ring_indices[index] : NULL;
	if (map == &unwind_processes)
		return host.process_count && index == host.pid_tgid >> 32 ? &host.process : NULL;
	if (map == &unwind_shards || map == &unwind_rules || map == &unwind_tables ||
		map == &unwind_memos)
		return find_unwind(map, index);
	CHECK_EQ(index, 0);
	for (uint32_t i = 0; i < host.unwind.shard_count; i++)
		if (map == host.unwind.shards[i])
			return map;
	CHECK(map == &walks || map == &counters);
	return map == &walks ? (void *)&walk_of_cpu : (void *)&counters_of_cpu;
}

uint64_t bpf_ktime_get_ns(void)
{
	host.now_ns += host.ns_per_reading;
	return host.now_ns;
}

uint64_t bpf_get_current_pid_tgid(void)
{
	return host.pid_tgid;
}

uint64_t bpf_get_current_task(void)
{
	return (uintptr_t)&host.task;
}

struct task_struct *bpf_get_current_task_btf(void)
{
	CHECK(!host.without_task_pt_regs);
	return &host.task;
}

uint64_t bpf_get_current_cgroup_id(void)
{
	return host.cgroup_id;
}

uint32_t bpf_get_smp_processor_id(void)
{
	return host.cpu;
}

long bpf_get_current_comm(void *buffer, uint32_t byte_count)
{
	CHECK_EQ(byte_count, sizeof(host.comm));
	memcpy(buffer, host.comm, byte_count);
	return 0;
}

long bpf_task_pt_regs(struct task_struct *task)
{
	CHECK(task == &host.task && !host.without_task_pt_regs);
	return (long)(uintptr_t)host_entry_registers();
}

/* As the kernel does: what is not filled is zeroed. */
long bpf_get_stack(void *context, void *buffer, uint32_t byte_count, uint64_t flags)
{
	uint32_t frame_count = byte_count / sizeof(uint64_t);

	CHECK(context != NULL);
	CHECK_EQ(flags, 0);
	CHECK(frame_count <= KERNEL_FRAMES_MAX);
	memset(buffer, 0, byte_count);
	if (host.kernel_stack_error)
		return host.kernel_stack_error;
	if (frame_count > host.kernel_ip_count)
		frame_count = host.kernel_ip_count;
	memcpy(buffer, host.kernel_ips, frame_count * sizeof(uint64_t));
	return (long)(frame_count * sizeof(uint64_t));
}

long bpf_probe_read_user(void *buffer, uint32_t byte_count, const void *address)
{
	uint64_t offset = (uintptr_t)address - host.user_start;

	if (host.code_at && (uintptr_t)address == host.code_at && byte_count == sizeof(host.code)) {
		memcpy(buffer, &host.code, byte_count);
		return 0;
	}
	if (offset >= host.user_bytes || host.user_bytes - offset < byte_count) {
		memset(buffer, 0, byte_count);
		return -EFAULT;
	}
	memcpy(buffer, (const char *)host.user_memory + offset, byte_count);
	return 0;
}

long bpf_probe_read_kernel(void *buffer, uint32_t byte_count, const void *address)
{
	bool is_entry = address == (const void *)host_entry_registers();

	if (!address || (is_entry && host.entry_registers_unreadable)) {
		memset(buffer, 0, byte_count);
		return -EFAULT;
	}
	memcpy(buffer, address, byte_count);
	return 0;
}

uint64_t bpf_ringbuf_query(void *ring, uint64_t flags)
{
	CHECK(ring != NULL);
	CHECK_EQ(flags, BPF_RB_AVAIL_DATA);
	return host.ring_pending_bytes;
}

long bpf_ringbuf_output(void *ring, void *record, uint64_t byte_count, uint64_t flags)
{
	struct host_record *sent;

	CHECK(byte_count <= EVENT_SAMPLE_BYTES_MAX);
	if (host.ring_is_full)
		return -EAGAIN;
	CHECK(host.record_count < HOST_RECORDS_MAX);
	sent = &host.records[host.record_count++];
	sent->ring_index = *(const uint32_t *)ring;
	sent->flags = flags;
	sent->byte_count = byte_count;
	memcpy(sent->bytes, record, byte_count);
	return 0;
}
