/* SPDX-License-Identifier: Apache-2.0 */
/* The sampling program: whom it samples, what it writes down, what it counts. */
#include "bpf/probe/on_cpu.bpf.h"

#include <errno.h>

#include "bpf/lib/task.bpf.h"
#include "collector/kernel/event.h"
#include "tests/bpf_host/host.h"
#include "tests/bpf_host/made_stack.h"
#include "tests/support/check.h"

#define KERNEL_CODE_SEGMENT 0x10
#define KERNEL_LEAF UINT64_C(0xffffffff81001000)

static struct bpf_perf_event_data context;

/* A thread that computes, five records deep. */
static void begin_in_user_mode(void)
{
	host_reset();
	memset(&context, 0, sizeof(context));
	context.sample_period = 10101010;
	made_chain(5, &context.regs);
}

/* The same thread in a system call, with FRAME_COUNT kernel frames. */
static void begin_in_kernel_mode(uint32_t frame_count)
{
	begin_in_user_mode();
	made_chain(5, host_entry_registers());
	memset(&context.regs, 0, sizeof(context.regs));
	context.regs.cs = KERNEL_CODE_SEGMENT;
	context.regs.rip = KERNEL_LEAF;
	context.regs.rsp = (uintptr_t)host.kernel_stack + 8192;
	host.kernel_ip_count = frame_count;
	for (uint32_t i = 0; i < frame_count; i++)
		host.kernel_ips[i] = KERNEL_LEAF + i;
}

static const struct event_sample *run(void)
{
	const struct host_record *record;

	CHECK_EQ(on_cpu(&context), 0);
	record = host_only_record();
	CHECK(event_sample_in(&record->sample, record->byte_count) == &record->sample);
	CHECK_EQ(host_counter(COUNTER_received), 1);
	CHECK_EQ(host_counter(COUNTER_passed), 1);
	return &record->sample;
}

/* Nothing was sent, for the reason that COUNTER counts. */
static void check_nothing_sent(enum counter counter)
{
	CHECK_EQ(on_cpu(&context), 0);
	CHECK_EQ(host.record_count, 0);
	CHECK_EQ(host_counter(COUNTER_received), 1);
	CHECK_EQ(host_counter(COUNTER_passed), 0);
	CHECK_EQ(host_counter(counter), 1);
}

static void check_user_frames(const struct event_sample *sample)
{
	const uint64_t *ips = sample->ips + sample->kernel_frame_count;

	CHECK_EQ(sample->user_frame_count, 6);
	CHECK_EQ(sample->user_stop, STOP_complete);
	CHECK_EQ(ips[0], MADE_LEAF);
	for (uint32_t i = 1; i < 6; i++)
		CHECK_EQ(ips[i], MADE_RETURN(i - 1));
}

static void a_sample_says_who_and_when(void)
{
	const struct event_sample *sample;

	begin_in_user_mode();
	host.cpu = 5;
	sample = run();
	CHECK_EQ(sample->kind, EVENT_SAMPLE);
	CHECK_EQ(sample->flags, 0);
	CHECK_EQ(sample->taken_at_ns, 1000000000);
	CHECK_EQ(sample->weight_ns, 10101010);
	CHECK_EQ(sample->process_started_at_ns, 500);
	CHECK_EQ(sample->cgroup_id, 77);
	CHECK_EQ(sample->pid, 100);
	CHECK_EQ(sample->tid, 101);
	CHECK_EQ(sample->cpu, 5);
	CHECK_STR(sample->comm, "stone");
}

static void user_mode_has_no_kernel_part(void)
{
	const struct event_sample *sample;

	begin_in_user_mode();
	host.kernel_ip_count = 3;
	sample = run();
	CHECK_EQ(sample->kernel_frame_count, 0);
	CHECK_EQ(sample->kernel_stop, STOP_absent);
	check_user_frames(sample);
}

static void kernel_mode_has_both_parts(void)
{
	const struct event_sample *sample;

	begin_in_kernel_mode(7);
	sample = run();
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL);
	CHECK_EQ(sample->kernel_frame_count, 7);
	CHECK_EQ(sample->kernel_stop, STOP_complete);
	for (uint32_t i = 0; i < 7; i++)
		CHECK_EQ(sample->ips[i], KERNEL_LEAF + i);
	check_user_frames(sample);
}

static void user_registers_are_found_without_the_helper_too(void)
{
	begin_in_kernel_mode(7);
	host.without_task_pt_regs = true;
	check_user_frames(run());
}

static void a_deep_kernel_stack_is_marked(void)
{
	const struct event_sample *sample;

	begin_in_kernel_mode(KERNEL_FRAMES_MAX);
	sample = run();
	CHECK_EQ(sample->kernel_frame_count, KERNEL_FRAMES_MAX);
	CHECK_EQ(sample->kernel_stop, STOP_truncated);
	CHECK_EQ(host_counter(COUNTER_kernel_truncated), 1);
	check_user_frames(sample);

	begin_in_kernel_mode(50);
	host_set((struct setting){
		.cpus_per_ring = 8, .ring_wake_bytes = 4096, .kernel_frame_count_max = 20});
	sample = run();
	CHECK_EQ(sample->kernel_frame_count, 20);
	CHECK_EQ(sample->kernel_stop, STOP_truncated);
	check_user_frames(sample);
}

static void a_refused_kernel_stack_leaves_the_leaf(void)
{
	const struct event_sample *sample;

	begin_in_kernel_mode(0);
	host.kernel_stack_error = -EFAULT;
	sample = run();
	CHECK_EQ(sample->kernel_frame_count, 1);
	CHECK_EQ(sample->ips[0], KERNEL_LEAF);
	CHECK_EQ(sample->kernel_stop, STOP_refused);
	CHECK_EQ(host_counter(COUNTER_kernel_refused), 1);
	check_user_frames(sample);
}

static void the_deepest_stacks_fit_together(void)
{
	const struct event_sample *sample;

	begin_in_kernel_mode(KERNEL_FRAMES_MAX);
	made_chain(USER_FRAMES_MAX + 10, host_entry_registers());
	sample = run();
	CHECK_EQ(sample->kernel_frame_count, KERNEL_FRAMES_MAX);
	CHECK_EQ(sample->user_frame_count, USER_FRAMES_MAX);
	CHECK_EQ(host_only_record()->byte_count,
		sizeof(struct event_sample) + FRAMES_MAX * sizeof(uint64_t));
	CHECK_EQ(sample->ips[KERNEL_FRAMES_MAX], MADE_LEAF);
	CHECK_EQ(sample->ips[FRAMES_MAX - 1], MADE_RETURN(USER_FRAMES_MAX - 2));
}

static void a_kernel_thread_has_no_user_part(void)
{
	const struct event_sample *sample;

	begin_in_kernel_mode(4);
	host.task.flags = PF_KTHREAD;
	sample = run();
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL | EVENT_KERNEL_THREAD);
	CHECK_EQ(sample->user_frame_count, 0);
	CHECK_EQ(sample->user_stop, STOP_absent);
	CHECK_EQ(host_counter(COUNTER_user_stop_absent), 1);
}

/* Runs a sample in kernel mode whose user part can't be walked at all. */
static void check_no_user_part(enum stop stop)
{
	const struct event_sample *sample = run();

	CHECK_EQ(sample->kernel_frame_count, 4);
	CHECK_EQ(sample->user_frame_count, 0);
	CHECK_EQ(sample->user_stop, stop);
	CHECK_EQ(host_counter((enum counter)COUNTER_OF_USER_STOP(stop)), 1);
}

static void why_there_is_no_user_part_is_told(void)
{
	begin_in_kernel_mode(4);
	host.task.mm = NULL;
	check_no_user_part(STOP_no_memory);
	begin_in_kernel_mode(4);
	host.entry_registers_unreadable = true;
	check_no_user_part(STOP_no_registers);
	begin_in_kernel_mode(4);
	memset(host_entry_registers(), 0, sizeof(struct pt_regs));
	check_no_user_part(STOP_no_registers);
	begin_in_kernel_mode(4);
	host_entry_registers()->cs = 0x23;
	check_no_user_part(STOP_not_64_bit);
}

static void code_of_32_bits_is_told_in_user_mode_too(void)
{
	const struct event_sample *sample;

	begin_in_user_mode();
	context.regs.cs = 0x23;
	sample = run();
	CHECK_EQ(sample->user_stop, STOP_not_64_bit);
}

static void an_idle_cpu_is_skipped(void)
{
	begin_in_kernel_mode(3);
	host.pid_tgid = 0;
	check_nothing_sent(COUNTER_idle);
}

static void an_interrupt_of_an_idle_cpu_is_work(void)
{
	static const char interrupt_stack[64];
	const struct event_sample *sample;

	begin_in_kernel_mode(3);
	host.pid_tgid = 0;
	host.task.flags = PF_KTHREAD;
	context.regs.rsp = (uintptr_t)interrupt_stack;
	sample = run();
	CHECK_EQ(sample->pid, 0);
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL | EVENT_KERNEL_THREAD);
	CHECK_EQ(sample->kernel_frame_count, 3);
	CHECK_EQ(host_counter(COUNTER_idle), 0);
}

static void a_full_ring_is_counted(void)
{
	begin_in_user_mode();
	host.ring_is_full = true;
	check_nothing_sent(COUNTER_ring_full);
	CHECK_EQ(host_counter(COUNTER_user_stop_complete), 1);
}

static void a_missing_ring_is_counted(void)
{
	begin_in_user_mode();
	host.cpu = 8;
	check_nothing_sent(COUNTER_no_ring);
}

static void each_group_of_cpus_has_its_ring(void)
{
	begin_in_user_mode();
	host.ring_count = 4;
	host.cpu = 23;
	run();
	CHECK_EQ(host_only_record()->ring_index, 2);
}

static void only_a_well_filled_ring_wakes_user_space(void)
{
	begin_in_user_mode();
	host.ring_pending_bytes = 0;
	run();
	CHECK_EQ(host_only_record()->flags, BPF_RB_NO_WAKEUP);
	begin_in_user_mode();
	host.ring_pending_bytes = 4095;
	run();
	CHECK_EQ(host_only_record()->flags, BPF_RB_FORCE_WAKEUP);
}

static void the_memory_cgroup_stands_in_where_version_2_is_not_used(void)
{
	struct kernfs_node node = {.id = 4711};
	struct cgroup cgroup = {.kn = &node};
	struct cgroup_subsys_state state = {.cgroup = &cgroup};
	/* The kernel's array is as long as it has controllers; ours names the first. */
	struct cgroup_subsys_state *states[memory_cgrp_id + 1] = {[memory_cgrp_id] = &state};

	begin_in_user_mode();
	host.cgroup_id = CGROUP_ROOT_ID;
	host.task.cgroups = (struct css_set *)states;
	CHECK_EQ(run()->cgroup_id, 4711);

	begin_in_user_mode();
	host.cgroup_id = CGROUP_ROOT_ID;
	host.without_memory_cgroup = true;
	CHECK_EQ(run()->cgroup_id, CGROUP_ROOT_ID);
}

static void a_walk_leaves_nothing_behind_for_the_next(void)
{
	begin_in_kernel_mode(KERNEL_FRAMES_MAX);
	run();
	host.record_count = 0;
	memset(&context, 0, sizeof(context));
	made_chain(2, &context.regs);
	CHECK_EQ(on_cpu(&context), 0);
	CHECK_EQ(host_only_record()->sample.kernel_frame_count, 0);
	CHECK_EQ(host_only_record()->sample.user_frame_count, 3);
	CHECK_EQ(host_only_record()->sample.kernel_stop, STOP_absent);
	CHECK_EQ(host_only_record()->sample.flags, 0);
	CHECK_EQ(host_only_record()->sample.ips[0], MADE_LEAF);
}

int main(void)
{
	RUN(a_sample_says_who_and_when);
	RUN(user_mode_has_no_kernel_part);
	RUN(kernel_mode_has_both_parts);
	RUN(user_registers_are_found_without_the_helper_too);
	RUN(a_deep_kernel_stack_is_marked);
	RUN(a_refused_kernel_stack_leaves_the_leaf);
	RUN(the_deepest_stacks_fit_together);
	RUN(a_kernel_thread_has_no_user_part);
	RUN(why_there_is_no_user_part_is_told);
	RUN(code_of_32_bits_is_told_in_user_mode_too);
	RUN(an_idle_cpu_is_skipped);
	RUN(an_interrupt_of_an_idle_cpu_is_work);
	RUN(a_full_ring_is_counted);
	RUN(a_missing_ring_is_counted);
	RUN(each_group_of_cpus_has_its_ring);
	RUN(only_a_well_filled_ring_wakes_user_space);
	RUN(the_memory_cgroup_stands_in_where_version_2_is_not_used);
	RUN(a_walk_leaves_nothing_behind_for_the_next);
	return 0;
}
