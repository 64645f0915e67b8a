/* SPDX-License-Identifier: Apache-2.0 */
/* Host: a kernel made of plain variables, for BPF programs that run as plain C.
 *
 * What it is   everything that the programs can ask the kernel for, set by the test; and what they
 *              sent, for the test to look at. Structures are real, so that the sanitizers see every
 *              read out of bounds.
 * Ownership    static memory.
 * Threads      one.
 * Errors       a helper called against its rules fails the test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/abi/counter.h"
#include "bpf/abi/event.h"
#include "bpf/abi/setting.h"
#include "bpf/lib/kernel.bpf.h"
#include "collector/unwind/node_pool.h"
#include "collector/unwind/rule_set.h"
#include "tests/support/unwind_memory.h"

#define HOST_USER_BYTES_MAX (64 * 1024)
#define HOST_RECORDS_MAX 8

/* A record as it went to a ring. */
struct host_record {
	uint32_t ring_index;
	uint64_t flags;
	uint64_t byte_count;
	union {
		struct event_sample sample;
		uint8_t bytes[EVENT_SAMPLE_BYTES_MAX];
	};
};

struct host {
	/* The clock moves by so much each time it is read. */
	uint64_t now_ns, ns_per_reading;
	uint32_t cpu;
	uint64_t pid_tgid;
	char comm[COMM_BYTES];
	uint64_t cgroup_id;
	struct task_struct task, leader;
	uint64_t kernel_stack[KERNEL_STACK_BYTES_USUAL / sizeof(uint64_t)];
	bool entry_registers_unreadable;
	bool without_task_pt_regs, without_memory_cgroup;
	/* What bpf_get_stack gives: frames, or an error. */
	uint64_t kernel_ips[KERNEL_FRAMES_MAX];
	uint32_t kernel_ip_count;
	long kernel_stack_error;
	/* The one mapped range of user memory. */
	uint64_t user_start;
	uint64_t user_memory[HOST_USER_BYTES_MAX / sizeof(uint64_t)];
	uint64_t user_bytes;
	/* One word of code that can be read as well; at 0: none. */
	uint64_t code_at, code;
	/* What user space wrote for walks; see host_map_everything. */
	struct unwind_memory_fixture unwind;
	struct node_pool nodes;
	struct rule_set rules;
	uint32_t process_count; /* 0 or 1: the current one */
	struct unwind_process process;
	/* Ring buffers: room and fill, the same for each. */
	uint32_t ring_count;
	uint64_t ring_pending_bytes;
	bool ring_is_full;
	struct host_record records[HOST_RECORDS_MAX];
	uint32_t record_count;
};

extern struct host host;

/* A quiet machine: one process in user mode with empty memory and one mapping, an empty ring, all
 * counters 0. */
void host_reset(void);
/* Walks know of one mapping over all code, memory without a file: they go by frame pointers. */
void host_map_everything(void);
/* The one leaf of the process's mappings. */
struct unwind_mapping_leaf *host_mappings(void);
/* What the loader does with the constants. */
void host_set(struct setting setting);
/* The registers that the kernel saved when the current thread entered it. */
struct pt_regs *host_entry_registers(void);
uint64_t host_counter(enum counter counter);
/* The only record sent. */
const struct host_record *host_only_record(void);
