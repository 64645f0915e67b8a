/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bpf/life/life.bpf.h"

#include <linux/errno.h>

struct map_life_rows life_rows_0 SEC(".maps");
struct map_life_rows life_rows_1 SEC(".maps");
struct map_life_endings life_endings SEC(".maps");

struct life_shared life_shared = {.turn = LIFE_TURN(UINT64_MAX, 0)};

char life_licence[] SEC("license") = "Dual BSD/GPL";

static __always_inline int is_kernel_thread(const struct task_struct *task)
{
	return (BPF_CORE_READ(task, flags) & PF_KTHREAD) != 0;
}

/* The kernel leaves bytes of older names behind the NUL: only what stands before it counts. */
static __always_inline void read_name(const struct task_struct *task, char *ret_name)
{
	bpf_probe_read_kernel_str(ret_name, COMM_BYTES,
		(const char *)task + bpf_core_field_offset(struct task_struct, comm));
}

static __always_inline void read_parent(const struct task_struct *parent, struct life_key *key)
{
	const struct task_struct *leader = BPF_CORE_READ(parent, group_leader);

	read_name(leader, key->parent);
	if (is_kernel_thread(leader))
		key->flags |= LIFE_PARENT_IS_KERNEL;
}

static __always_inline uint32_t side_at(uint64_t now_ns)
{
	uint64_t turn = *(volatile uint64_t *)&life_shared.turn;

	return (uint32_t)(turn & 1) ^ (now_ns >= (turn & ~UINT64_C(1)));
}

static __always_inline struct life_values *find_row(uint32_t side, const struct life_key *key)
{
	return side ? bpf_map_lookup_elem(&life_rows_1, key)
		    : bpf_map_lookup_elem(&life_rows_0, key);
}

static __always_inline struct life_values *find_or_make_row(
	uint32_t side, const struct life_key *key)
{
	static const struct life_values none;
	struct life_values *row = find_row(side, key);

	if (row)
		return row;
	/* Another CPU may be first. */
	if (side)
		bpf_map_update_elem(&life_rows_1, key, &none, BPF_NOEXIST);
	else
		bpf_map_update_elem(&life_rows_0, key, &none, BPF_NOEXIST);
	return find_row(side, key);
}

/* clang makes an atomic OR of the addition of a zero that it knows, and Linux 5.10 has additions
 * only. */
static __always_inline void sum_up(uint64_t *sum, uint64_t value)
{
	if (value != 0)
		__sync_fetch_and_add(sum, value);
}

static __always_inline void add(const struct life_key *key, const struct life_values *values)
{
	uint32_t side = side_at(bpf_ktime_get_ns());
	struct life_values *row = find_or_make_row(side, key);

	if (!row) {
		row = &life_shared.other[side & 1];
		__sync_fetch_and_add(&life_shared.unnamed, 1);
	}
	sum_up(&row->execs, values->execs);
	sum_up(&row->forks, values->forks);
	sum_up(&row->exits, values->exits);
	sum_up(&row->bare_exits, values->bare_exits);
	sum_up(&row->cpu_ns, values->cpu_ns);
	sum_up(&row->lifetime_ns, values->lifetime_ns);
}

/* (task, old pid, binary): the task has its new name already. */
SEC("tp_btf/sched_process_exec")
int life_exec(const uint64_t *context)
{
	const struct task_struct *task = (const struct task_struct *)context[0];
	struct life_values values = {.execs = 1};
	struct life_key key = {.flags = 0};

	read_name(task, key.command);
	read_parent(BPF_CORE_READ(task, real_parent), &key);
	add(&key, &values);
	return 0;
}

/* (parent, child); the parent is the thread that forks, and gave the child its name. */
SEC("tp_btf/sched_process_fork")
int life_fork(const uint64_t *context)
{
	const struct task_struct *parent = (const struct task_struct *)context[0];
	const struct task_struct *child = (const struct task_struct *)context[1];
	struct life_values values = {.forks = 1};
	struct life_key key = {.flags = 0};

	if (BPF_CORE_READ(child, pid) != BPF_CORE_READ(child, tgid) || is_kernel_thread(child))
		return 0;
	read_name(child, key.command);
	read_parent(parent, &key);
	add(&key, &values);
	return 0;
}

static __always_inline void add_cpu_ns(const struct life_key *key, uint64_t cpu_ns)
{
	struct life_values values = {.cpu_ns = cpu_ns};

	add(key, &values);
}

/* What is known while the last thread still runs; the kernel books its time now and then only. */
static __always_inline uint64_t cpu_ns_so_far(
	const struct task_struct *task, const struct task_struct *leader)
{
	uint64_t cpu_ns = BPF_CORE_READ(leader, signal, sum_sched_runtime) +
		BPF_CORE_READ(leader, se.sum_exec_runtime);

	return task == leader ? cpu_ns : cpu_ns + BPF_CORE_READ(task, se.sum_exec_runtime);
}

/* Notes that the process of LEADER ends. Of two threads that end at once both may be the last:
 * false, if the other was first. Where the kernel did not tell that it freed the process which had
 * this place before, that one's time is added now. */
static __always_inline int note(const struct task_struct *leader, const struct life_ending *ending)
{
	uint64_t id = (uint64_t)leader;
	struct life_ending *noted = bpf_map_lookup_elem(&life_endings, &id);

	if (noted && noted->started_at_ns == ending->started_at_ns)
		return 0;
	if (noted) {
		struct life_ending lost = *noted;

		bpf_map_delete_elem(&life_endings, &id);
		add_cpu_ns(&lost.key, lost.cpu_ns);
		__sync_fetch_and_add(&life_shared.unnoted, 1);
	}
	/* An int: before Linux 6.4 the upper half of what comes back is not its sign. */
	if ((int)bpf_map_update_elem(&life_endings, &id, ending, BPF_NOEXIST) == -E2BIG) {
		add_cpu_ns(&ending->key, ending->cpu_ns);
		__sync_fetch_and_add(&life_shared.unnoted, 1);
	}
	return 1;
}

/* (task): a thread that ends. */
SEC("tp_btf/sched_process_exit")
int life_exit(const uint64_t *context)
{
	const struct task_struct *task = (const struct task_struct *)context[0];
	const struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	struct life_ending ending = {.zero = 0};
	struct life_values values = {.exits = 1};

	if (BPF_CORE_READ(task, signal, live.counter) != 0 || is_kernel_thread(task))
		return 0;
	read_name(leader, ending.key.command);
	read_parent(BPF_CORE_READ(leader, real_parent), &ending.key);
	ending.started_at_ns = BPF_CORE_READ(leader, start_time);
	ending.cpu_ns = cpu_ns_so_far(task, leader);
	if (!note(leader, &ending))
		return 0;
	values.bare_exits = (BPF_CORE_READ(leader, flags) & PF_FORKNOEXEC) != 0;
	values.lifetime_ns = bpf_ktime_get_ns() - ending.started_at_ns;
	add(&ending.key, &values);
	return 0;
}

/* While the parent takes a child away on one CPU, the child's main thread may still leave another:
 * its own sum is whole by now, the process's may lack the end of it. */
static __always_inline uint64_t cpu_ns_of(const struct task_struct *leader)
{
	uint64_t all_ns = BPF_CORE_READ(leader, signal, sum_sched_runtime);
	uint64_t own_ns = BPF_CORE_READ(leader, se.sum_exec_runtime);

	return own_ns > all_ns ? own_ns : all_ns;
}

/* (task): a thread that nothing refers to any more. The main thread is the last of its process; one
 * that gave its pid to another thread, which started a program, has no note. */
SEC("tp_btf/sched_process_free")
int life_free(const uint64_t *context)
{
	const struct task_struct *task = (const struct task_struct *)context[0];
	uint64_t id = (uint64_t)task;
	struct life_ending *noted = bpf_map_lookup_elem(&life_endings, &id);
	struct life_ending ending;

	if (!noted)
		return 0;
	ending = *noted;
	bpf_map_delete_elem(&life_endings, &id);
	add_cpu_ns(&ending.key, cpu_ns_of(task));
	return 0;
}
