/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unwind rule: how the caller's registers are found from those of a frame.
 *
 * What it is   what a table of call frame information says about one stretch of code, reduced to
 *              what a walk needs: the stack pointer before the call (the canonical frame address,
 *              CFA), the return address, rbp and rbx. A walk needs rbx because some code (the lazy
 *              binder of glibc) keeps its CFA there while it calls others.
 * Ownership    held by value; user space writes tables of them, the unwinder reads them.
 * Threads      no shared state.
 * Errors       UNWIND_CFA_unknown: nothing is known here, and a walk says so.
 */
#pragma once

#include <stdint.h>

/* DWARF's numbers of x86-64 registers. */
enum unwind_register {
	UNWIND_RBX = 3,
	UNWIND_RBP = 6,
	UNWIND_RSP = 7,
	UNWIND_REGISTER_COUNT = 16,
	UNWIND_RETURN_ADDRESS = 16,
};

enum unwind_cfa {
	UNWIND_CFA_unknown,
	/* cfa_register + cfa_offset */
	UNWIND_CFA_register,
	/* the word at cfa_register + cfa_offset, plus cfa_add */
	UNWIND_CFA_memory,
	/* A stub of 16 bytes in a procedure linkage table: rsp + cfa_offset, and 8 more from the
	 * stub's byte number cfa_add on, where it has pushed a word. */
	UNWIND_CFA_plt,
};

enum unwind_return {
	/* The word at CFA + 8 * return_detail. */
	UNWIND_RETURN_at_cfa,
	/* Register number return_detail still holds it: true of a leaf only. */
	UNWIND_RETURN_in_register,
	/* The kernel's signal frame: the word at rsp + 8 * return_detail, and the code there was
	 * interrupted, so that it is no return address. */
	UNWIND_RETURN_interrupted,
	/* There is no caller: here a thread begins. */
	UNWIND_RETURN_none,
};

/* Where the caller's value of a register is. */
enum unwind_saved {
	UNWIND_SAVED_unchanged,
	UNWIND_SAVED_at_cfa, /* the word at CFA + offset */
	UNWIND_SAVED_at_rsp, /* the word at rsp + offset */
	UNWIND_SAVED_at_rbp, /* the word at rbp + offset */
	UNWIND_SAVED_lost,
};

struct unwind_rule {
	uint8_t cfa; /* enum unwind_cfa */
	uint8_t cfa_register; /* 0..UNWIND_REGISTER_COUNT - 1 */
	uint8_t returns; /* enum unwind_return */
	int8_t return_detail;
	uint8_t rbp; /* enum unwind_saved */
	uint8_t rbx; /* enum unwind_saved */
	int16_t cfa_add; /* bytes */
	int32_t cfa_offset; /* bytes */
	int16_t rbp_offset; /* bytes */
	int16_t rbx_offset; /* bytes */
};

_Static_assert(sizeof(struct unwind_rule) == 16, "unwind_rule: size");
