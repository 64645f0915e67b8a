/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel: the few fields of kernel structures that we read.
 *
 * What it is   our own subset; the loader finds each field's place in the running kernel by name
 *              (CO-RE), so order and gaps here mean nothing. A variant of another kernel would
 *              stand beside it with a ___suffix and be told apart by whether its field exists.
 * Ownership    all of it belongs to the kernel; read through bpf_core_read.h only.
 * Threads      any.
 * Errors       a field that the running kernel lacks makes the load fail.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define KERNEL_STRUCT __attribute__((preserve_access_index))

struct kernfs_node {
	uint64_t id; /* the inode number that user space sees */
} KERNEL_STRUCT;

struct cgroup {
	struct kernfs_node *kn;
} KERNEL_STRUCT;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
} KERNEL_STRUCT;

struct css_set {
	struct cgroup_subsys_state *subsys[1]; /* one for each controller of the kernel */
} KERNEL_STRUCT;

/* Only the value of this one is asked for, and only if it exists. */
enum cgroup_subsys_id { memory_cgrp_id = 4 };

struct mm_struct;

struct thread_count {
	int counter;
} KERNEL_STRUCT;

struct signal_struct {
	struct thread_count live; /* threads that have not begun to end */
	/* Time on CPU of the threads that are gone; of all once the process is. */
	unsigned long long sum_sched_runtime;
} KERNEL_STRUCT;

struct sched_entity {
	uint64_t sum_exec_runtime;
} KERNEL_STRUCT;

struct task_struct {
	unsigned int flags;
	void *stack; /* lowest address of the kernel stack */
	struct mm_struct *mm; /* NULL: kernel thread, or a process that is ending */
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	int pid; /* of the thread */
	int tgid; /* of the process */
	char comm[16];
	struct signal_struct *signal; /* shared by the threads of a process */
	struct sched_entity se;
	uint64_t start_time; /* CLOCK_MONOTONIC */
	uint64_t start_boottime; /* CLOCK_BOOTTIME */
	uint64_t self_exec_id; /* one more with each exec; a fork keeps it */
	struct css_set *cgroups;
} KERNEL_STRUCT;

/* x86-64 gives interrupt stacks and thread stacks the same size, and this is the one whose type
 * carries it. */
struct irq_stack {
	char stack[16384];
} KERNEL_STRUCT;

#define KERNEL_STACK_BYTES_USUAL 16384

/* task_struct.flags: a thread of the kernel; made by a fork and no program started since. */
#define PF_KTHREAD 0x00200000
#define PF_FORKNOEXEC 0x00000040

static __always_inline uint64_t kernel_stack_bytes(void)
{
	if (bpf_core_type_exists(struct irq_stack))
		return bpf_core_field_size(struct irq_stack, stack);
	return KERNEL_STACK_BYTES_USUAL;
}
