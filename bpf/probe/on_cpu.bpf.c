/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bpf/probe/on_cpu.bpf.h"

#include "bpf/lib/count.bpf.h"
#include "bpf/lib/finish.bpf.h"
#include "bpf/lib/maps.bpf.h"
#include "bpf/lib/process.bpf.h"
#include "bpf/lib/registers.bpf.h"
#include "bpf/lib/step.bpf.h"
#include "bpf/lib/task.bpf.h"

/* An idle CPU stands on the idle task's own stack. On any other it serves an interrupt, which is
 * work that /proc/stat books as busy time. */
static __always_inline int cpu_is_idle(
	const struct bpf_perf_event_data *context, struct task_struct *task)
{
	if ((uint32_t)bpf_get_current_pid_tgid() != 0)
		return 0;
	return context->regs.rsp - (uint64_t)BPF_CORE_READ(task, stack) < kernel_stack_bytes();
}

static __always_inline struct walk *walk_start(
	const struct bpf_perf_event_data *context, struct task_struct *task)
{
	uint32_t key = 0;
	struct walk *walk = bpf_map_lookup_elem(&walks, &key);
	uint64_t now_ns = bpf_ktime_get_ns();

	if (!walk)
		return NULL;
	walk->deadline_ns = now_ns + WALK_BUDGET_NS;
	walk->sample.kind = EVENT_SAMPLE;
	walk->sample.flags = BPF_CORE_READ(task, flags) & PF_KTHREAD ? EVENT_KERNEL_THREAD : 0;
	walk->sample.taken_at_ns = now_ns;
	walk->sample.weight_ns = context->sample_period;
	walk->sample.kernel_frame_count = 0;
	walk->sample.user_frame_count = 0;
	walk->sample.stack_bytes = 0;
	walk->sample.mappings_version = 0;
	task_describe(task, &walk->sample);
	return walk;
}

/* The kernel walks its own stack, and better than we could. When it gives none, the leaf is known
 * still. */
static __always_inline enum stop walk_kernel(struct bpf_perf_event_data *context, struct walk *walk)
{
	uint64_t frame_count_max = setting.kernel_frame_count_max;
	long bytes;

	if (frame_count_max > KERNEL_FRAMES_MAX)
		frame_count_max = KERNEL_FRAMES_MAX;
	bytes = bpf_get_stack(context, walk->words, frame_count_max * sizeof(uint64_t), 0);
	if (bytes <= 0) {
		count(COUNTER_kernel_refused);
		walk->words[0] = context->regs.rip;
		walk->sample.kernel_frame_count = 1;
		return STOP_refused;
	}
	walk->sample.kernel_frame_count = bytes / sizeof(uint64_t);
	if (walk->sample.kernel_frame_count < frame_count_max)
		return STOP_complete;
	count(COUNTER_kernel_truncated);
	return STOP_truncated;
}

static __always_inline enum stop walk_user(
	const struct bpf_perf_event_data *context, struct task_struct *task, struct walk *walk)
{
	enum stop stop;

	if (walk->sample.flags & EVENT_KERNEL_THREAD)
		return STOP_absent;
	stop = registers_of_user(context, task, walk);
	if (stop != STOP_NONE)
		return stop;
	process_find(walk);
	for (int i = 0; i < USER_FRAMES_MAX; i++) {
		stop = step_next();
		if (stop != STOP_NONE)
			return stop;
	}
	return STOP_truncated;
}

/* What the program gives the kernel: whether the event behind it writes its record, too. */
static __always_inline int result(void)
{
	return setting.event_goes_on != 0;
}

SEC("perf_event")
int on_cpu(struct bpf_perf_event_data *context)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct walk *walk;

	count(COUNTER_received);
	if (cpu_is_idle(context, task)) {
		count(COUNTER_idle);
		return result();
	}
	walk = walk_start(context, task);
	if (!walk) {
		count(COUNTER_no_record);
		return result();
	}
	if (registers_in_user_mode(context)) {
		walk->sample.kernel_stop = STOP_absent;
	} else {
		walk->sample.flags |= EVENT_IN_KERNEL;
		walk->sample.kernel_stop = walk_kernel(context, walk);
	}
	walk->sample.user_stop = walk_user(context, task, walk);
	finish_walk();
	return result();
}
