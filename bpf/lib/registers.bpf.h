/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers: where the current thread stands in user mode.
 *
 * What it is   from the sampled registers when the timer found user mode, else from those that the
 *              kernel saved at its entry, at the top of the thread's kernel stack.
 * Ownership    nothing is kept.
 * Threads      the CPU that runs the program.
 * Errors       a stop reason when there are none.
 */
#pragma once

#include "bpf/abi/stop.h"
#include "bpf/lib/kernel.bpf.h"
#include "bpf/lib/walk.bpf.h"

#define CODE_SEGMENT_MASK 0xffff
#define CODE_SEGMENT_USER_RING 3
#define CODE_SEGMENT_USER_32 0x23

static __always_inline int registers_in_user_mode(const struct bpf_perf_event_data *context)
{
	return (context->regs.cs & CODE_SEGMENT_USER_RING) == CODE_SEGMENT_USER_RING;
}

/* Address of the registers saved at the entry into the kernel. Kernels without bpf_task_pt_regs
 * (before 5.15) leave no room above them. */
static __always_inline const void *registers_saved_at_entry(struct task_struct *task)
{
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return (const char *)BPF_CORE_READ(task, stack) + kernel_stack_bytes() -
		sizeof(struct pt_regs);
}

/* Takes over what the walk needs of REGISTERS. */
static __always_inline void registers_keep(const struct pt_regs *registers, struct walk *walk)
{
	walk->state.registers = (struct unwind_registers){
		.ip = registers->rip,
		.sp = registers->rsp,
		.bp = registers->rbp,
		.bx = registers->rbx,
		.is_exact = 1,
		.is_leaf = 1,
	};
	walk->state.leaf[0] = registers->rax;
	walk->state.leaf[1] = registers->rdx;
	walk->state.leaf[2] = registers->rcx;
	walk->state.leaf[4] = registers->rsi;
	walk->state.leaf[5] = registers->rdi;
	walk->state.leaf[8] = registers->r8;
	walk->state.leaf[9] = registers->r9;
	walk->state.leaf[10] = registers->r10;
	walk->state.leaf[11] = registers->r11;
	walk->state.leaf[12] = registers->r12;
	walk->state.leaf[13] = registers->r13;
	walk->state.leaf[14] = registers->r14;
	walk->state.leaf[15] = registers->r15;
}

/* STOP_NONE on success. */
static __always_inline enum stop registers_saved(
	struct task_struct *task, struct walk *walk, uint64_t *ret_code_segment)
{
	struct pt_regs saved;

	if (!BPF_CORE_READ(task, mm))
		return STOP_no_memory;
	if (bpf_probe_read_kernel(&saved, sizeof(saved), registers_saved_at_entry(task)))
		return STOP_no_registers;
	*ret_code_segment = saved.cs;
	registers_keep(&saved, walk);
	return STOP_NONE;
}

/* STOP_NONE on success; else the walk's registers mean nothing. */
static __always_inline enum stop registers_of_user(
	const struct bpf_perf_event_data *context, struct task_struct *task, struct walk *walk)
{
	uint64_t code_segment = context->regs.cs;
	enum stop stop = STOP_NONE;

	if (registers_in_user_mode(context))
		registers_keep(&context->regs, walk);
	else
		stop = registers_saved(task, walk, &code_segment);
	if (stop != STOP_NONE)
		return stop;
	if ((code_segment & CODE_SEGMENT_MASK) == CODE_SEGMENT_USER_32)
		return STOP_not_64_bit;
	/* Threads that the kernel runs for a process (io_uring's workers) never were in user mode.
	 */
	return walk->state.registers.ip ? STOP_NONE : STOP_no_registers;
}
