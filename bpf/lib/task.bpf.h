/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Task: who was running.
 *
 * What it is   fills the part of a sample that describes the current thread.
 * Ownership    nothing is kept.
 * Threads      the CPU that runs the program.
 * Errors       what can't be read is zero.
 */
#pragma once

#include "bpf/abi/event.h"
#include "bpf/lib/kernel.bpf.h"

/* The root of every cgroup hierarchy. */
#define CGROUP_ROOT_ID 1

/* Where the memory controller still has a hierarchy of its own (cgroup v1), that one names the
 * container: every process then stands in the root of cgroup v2. */
static __always_inline uint64_t task_memory_cgroup_id(struct task_struct *task)
{
	struct cgroup_subsys_state *state = NULL;
	const char *set;

	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id))
		return CGROUP_ROOT_ID;
	set = (const char *)BPF_CORE_READ(task, cgroups);
	bpf_probe_read_kernel(&state, sizeof(state),
		set + bpf_core_field_offset(struct css_set, subsys) +
			bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id) * sizeof(state));
	return BPF_CORE_READ(state, cgroup, kn, id);
}

static __always_inline uint64_t task_cgroup_id(struct task_struct *task)
{
	uint64_t id = bpf_get_current_cgroup_id();

	return id == CGROUP_ROOT_ID ? task_memory_cgroup_id(task) : id;
}

static __always_inline void task_describe(struct task_struct *task, struct event_sample *sample)
{
	uint64_t pid_and_tid = bpf_get_current_pid_tgid();

	sample->pid = pid_and_tid >> 32;
	sample->tid = (uint32_t)pid_and_tid;
	sample->cpu = bpf_get_smp_processor_id();
	sample->exec_number = BPF_CORE_READ(task, group_leader, self_exec_id);
	sample->process_started_at_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	sample->cgroup_id = task_cgroup_id(task);
	bpf_get_current_comm(sample->comm, sizeof(sample->comm));
}
