/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unwind step: from a frame's registers to its caller's, by a rule.
 *
 * What it is   the arithmetic of unwinding, without knowing where words come from: a walk in the
 *              kernel reads them from the thread's memory, one in user space from a copy.
 * Ownership    registers are the caller's.
 * Threads      any.
 * Errors       a stop reason; the registers are unchanged then.
 */
#pragma once

#include <stdbool.h>

#include "bpf/abi/limit.h"
#include "bpf/abi/stop.h"
#include "bpf/abi/unwind_search.h"

/* No code of a process lies in its first page or above the lower half of the address space. */
#define CODE_ADDRESS_MIN UINT64_C(0x1000)
#define CODE_ADDRESS_MAX UINT64_C(0x00ffffffffffffff)

/* What is known of a frame. */
struct unwind_registers {
	uint64_t ip;
	uint64_t sp;
	uint64_t bp;
	uint64_t bx;
	uint8_t bp_lost; /* the register's value is not known */
	uint8_t bx_lost;
	uint8_t is_exact; /* ip is where the CPU was, no return address */
	uint8_t is_leaf; /* the innermost frame, all of whose registers are known */
	uint8_t zero[4];
};

/* A frame from which a walk can go on elsewhere. */
struct unwind_state {
	struct unwind_registers registers;
	uint64_t leaf[UNWIND_REGISTER_COUNT]; /* by DWARF's numbers; mean something if is_leaf */
};

/* No stop: tables say nothing about this code, and frame pointers are to be tried. */
#define UNWIND_NO_RULE ((enum stop)STOP_MAX)

/* Reads the 8 bytes at ADDRESS of the thread's memory; nonzero if they can't be had. */
typedef long unwind_read_fn(void *context, uint64_t address, uint64_t *ret_word);

/* What a step starts from. */
struct unwind_start {
	const struct unwind_registers *now;
	const uint64_t *leaf; /* all registers of the innermost frame, which only it may use */
	unwind_read_fn *read;
	void *context;
};

UNWIND_INLINE enum stop unwind_register_value(
	const struct unwind_start *start, uint8_t number, uint64_t *ret_value)
{
	const struct unwind_registers *now = start->now;

	switch (number) {
	case UNWIND_RSP:
		*ret_value = now->sp;
		return STOP_NONE;
	case UNWIND_RBP:
		*ret_value = now->bp;
		return now->bp_lost ? STOP_lost_register : STOP_NONE;
	case UNWIND_RBX:
		*ret_value = now->bx;
		return now->bx_lost ? STOP_lost_register : STOP_NONE;
	default:
		if (!now->is_leaf || number >= UNWIND_REGISTER_COUNT)
			return STOP_lost_register;
		*ret_value = start->leaf[number];
		return STOP_NONE;
	}
}

UNWIND_INLINE enum stop unwind_cfa_value(
	const struct unwind_rule *rule, const struct unwind_start *start, uint64_t *ret_cfa)
{
	uint64_t cfa;
	enum stop stop = unwind_register_value(start, rule->cfa_register, &cfa);

	if (stop != STOP_NONE)
		return stop;
	cfa += (uint64_t)(int64_t)rule->cfa_offset;
	if (rule->cfa == UNWIND_CFA_memory) {
		if (start->read(start->context, cfa, &cfa))
			return STOP_unreadable;
		cfa += (uint64_t)(int64_t)rule->cfa_add;
	} else if (rule->cfa == UNWIND_CFA_plt && (int16_t)(start->now->ip & 15) >= rule->cfa_add) {
		cfa += 8;
	}
	*ret_cfa = cfa;
	return STOP_NONE;
}

/* The caller's value of a register that now holds VALUE. Its loss matters only once it is needed.
 * OFFSET is a rule's. */
UNWIND_INLINE void unwind_saved_value(const struct unwind_start *start, uint64_t cfa, uint8_t saved,
	int16_t offset, uint64_t *value, uint8_t *lost)
{
	const struct unwind_registers *now = start->now;
	uint64_t address = (uint64_t)(int64_t)offset;

	if (saved == UNWIND_SAVED_unchanged)
		return;
	if (saved == UNWIND_SAVED_at_cfa)
		address += cfa;
	else if (saved == UNWIND_SAVED_at_rsp)
		address += now->sp;
	else
		address += now->bp;
	*lost = saved == UNWIND_SAVED_lost || (saved == UNWIND_SAVED_at_rbp && now->bp_lost) ||
		start->read(start->context, address, value) != 0;
}

UNWIND_INLINE enum stop unwind_return_address(const struct unwind_rule *rule,
	const struct unwind_start *start, uint64_t cfa, uint64_t *ret_address)
{
	uint64_t at = (uint64_t)((int64_t)rule->return_detail * 8);

	if (rule->returns == UNWIND_RETURN_in_register)
		return unwind_register_value(start, (uint8_t)rule->return_detail, ret_address);
	at += rule->returns == UNWIND_RETURN_interrupted ? start->now->sp : cfa;
	return start->read(start->context, at, ret_address) ? STOP_unreadable : STOP_NONE;
}

/* Moves REGISTERS to the caller's frame. LEAF: all registers of the innermost frame. */
UNWIND_INLINE enum stop unwind_step(const struct unwind_rule *rule,
	struct unwind_registers *registers, const uint64_t *leaf, unwind_read_fn *read,
	void *context)
{
	const struct unwind_start start = {registers, leaf, read, context};
	struct unwind_registers caller = *registers;
	enum stop stop;

	if (rule->returns == UNWIND_RETURN_none)
		return STOP_complete;
	stop = unwind_cfa_value(rule, &start, &caller.sp);
	if (stop != STOP_NONE)
		return stop;
	stop = unwind_return_address(rule, &start, caller.sp, &caller.ip);
	if (stop != STOP_NONE)
		return stop;
	/* Where a coroutine begins, rules lead to a zero. */
	if (caller.ip == 0 && !registers->is_exact)
		return STOP_complete;
	if (caller.ip < CODE_ADDRESS_MIN || caller.ip > CODE_ADDRESS_MAX)
		return STOP_bad_return_address;
	caller.is_exact = rule->returns == UNWIND_RETURN_interrupted;
	caller.is_leaf = 0;
	/* A stack only shrinks on the way up, but a signal may have come on a stack of its own, and
	 * a leaf may have taken its return address off the stack already. */
	if (caller.sp < registers->sp + !registers->is_leaf && !caller.is_exact)
		return STOP_no_progress;
	unwind_saved_value(
		&start, caller.sp, rule->rbp, rule->rbp_offset, &caller.bp, &caller.bp_lost);
	unwind_saved_value(
		&start, caller.sp, rule->rbx, rule->rbx_offset, &caller.bx, &caller.bx_lost);
	*registers = caller;
	return STOP_NONE;
}

/* The first bytes of the code that handlers of signals return to, and of a function with a frame
 * pointer, as a little-endian word. */
#define CODE_SIGRETURN UINT64_C(0x0f0000000fc0c748) /* mov $15, %rax; syscall */
#define CODE_SIGRETURN_SHORT UINT64_C(0x050f0000000fb8) /* mov $15, %eax; syscall */
#define CODE_SIGRETURN_SHORT_MASK UINT64_C(0x00ffffffffffffff)
#define CODE_PUSH_RBP 0x55
#define CODE_MOV_RSP_RBP 0xe58948
#define CODE_MOV_RSP_RBP_TOO 0xec8b48
#define CODE_MOV_MASK 0xffffff
#define CODE_RET 0xc3

/* Where the kernel puts what a signal interrupted, seen from where its handler returned to. */
static const struct unwind_rule unwind_rule_of_signal = {
	.cfa = UNWIND_CFA_memory,
	.cfa_register = UNWIND_RSP,
	.cfa_offset = 160,
	.returns = UNWIND_RETURN_interrupted,
	.return_detail = 21,
	.rbp = UNWIND_SAVED_at_rsp,
	.rbp_offset = 120,
	.rbx = UNWIND_SAVED_at_rsp,
	.rbx_offset = 128,
};

/* Some C libraries, and Go, have no call frame information there; what it does tells it. */
UNWIND_INLINE bool unwind_is_sigreturn(uint64_t code)
{
	return code == CODE_SIGRETURN || (code & CODE_SIGRETURN_SHORT_MASK) == CODE_SIGRETURN_SHORT;
}

/* Words on the stack below the return address of a leaf whose frame pointer is not set up yet, or not
 * any more, as the code where it stands tells; negative: it is. */
UNWIND_INLINE int unwind_words_below_return(uint64_t code)
{
	uint32_t behind_push = (uint32_t)(code >> 8) & CODE_MOV_MASK;

	if ((code & CODE_MOV_MASK) == CODE_MOV_RSP_RBP ||
		(code & CODE_MOV_MASK) == CODE_MOV_RSP_RBP_TOO)
		return 1;
	if ((code & 0xff) == CODE_RET)
		return 0;
	return (code & 0xff) == CODE_PUSH_RBP &&
			(behind_push == CODE_MOV_RSP_RBP || behind_push == CODE_MOV_RSP_RBP_TOO)
		? 0
		: -1;
}

/* The same by the chain of frame pointers: code built with them keeps, where rbp points, the caller's
 * rbp and, above it, the return address; a saved rbp of zero is what a thread begins with. What the
 * order can't tell: a function that has no frame hides its caller. */
UNWIND_INLINE enum stop unwind_step_frame_pointer(
	struct unwind_registers *registers, unwind_read_fn *read, void *context)
{
	uint64_t bp = registers->bp;
	uint64_t return_address, saved;

	if (registers->bp_lost)
		return STOP_bad_frame_pointer;
	/* A zero is the end of a chain only if there was a chain: the register of code without
	 * frame pointers may hold anything. */
	if (bp == 0 && !registers->is_exact)
		return STOP_complete;
	/* Below the stack pointer, the distance wraps around to a huge one. */
	if (bp - registers->sp > FRAME_BYTES_MAX || bp % sizeof(bp) != 0)
		return STOP_bad_frame_pointer;
	if (read(context, bp, &saved) || read(context, bp + sizeof(bp), &return_address))
		return STOP_unreadable;
	if (return_address < CODE_ADDRESS_MIN || return_address > CODE_ADDRESS_MAX)
		return STOP_bad_return_address;
	*registers = (struct unwind_registers){
		.ip = return_address,
		.sp = bp + 2 * sizeof(bp),
		.bp = saved,
		.bx_lost = 1,
	};
	return STOP_NONE;
}

/* From a frame whose code tables say nothing about. */
UNWIND_INLINE enum stop unwind_step_without_rule(struct unwind_registers *registers,
	const uint64_t *leaf, unwind_read_fn *read, void *context)
{
	struct unwind_rule rule = {
		.cfa = UNWIND_CFA_register, .cfa_register = UNWIND_RSP, .return_detail = -1};
	uint64_t code;
	int words;

	if (read(context, registers->ip, &code))
		return unwind_step_frame_pointer(registers, read, context);
	if (unwind_is_sigreturn(code))
		return unwind_step(&unwind_rule_of_signal, registers, leaf, read, context);
	words = registers->is_exact ? unwind_words_below_return(code) : -1;
	if (words < 0)
		return unwind_step_frame_pointer(registers, read, context);
	rule.cfa_offset = (words + 1) * (int32_t)sizeof(uint64_t);
	rule.rbp = words ? UNWIND_SAVED_at_rsp : UNWIND_SAVED_unchanged;
	rule.rbx = UNWIND_SAVED_lost;
	return unwind_step(&rule, registers, leaf, read, context);
}
