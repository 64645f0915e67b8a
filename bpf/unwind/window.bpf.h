/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Window: words of the thread's stack, read many at a time.
 *
 * What it is   an unwind_read_fn. A read of one word costs as much as one of 64, and the next frames'
 *              words lie close above.
 * Ownership    the walk's window.
 * Threads      the CPU that runs the program; the thread stands still meanwhile.
 * Errors       nonzero: the memory is not there.
 */
#pragma once

#include "bpf/lib/walk.bpf.h"

#define WINDOW_PAGE_BYTES UINT64_C(4096)

static __always_inline long window_read_one(uint64_t address, uint64_t *ret_word)
{
	return bpf_probe_read_user(ret_word, sizeof(*ret_word), (const void *)address);
}

/* Moves the window to ADDRESS, which is a multiple of 8 and not below the stack pointer; not beyond its
 * page, behind which the stack may end. Nonzero: it could not be read. */
static __noinline long window_move(struct walk *walk, uint64_t address)
{
	uint64_t bottom = (walk->state.registers.sp + 7) & ~UINT64_C(7);
	uint64_t start = address - STACK_WINDOW_BEHIND_BYTES;
	uint64_t byte_count;

	if (address - bottom < STACK_WINDOW_BEHIND_BYTES)
		start = bottom;
	byte_count = (address | (WINDOW_PAGE_BYTES - 1)) + 1 - start;
	if (byte_count > sizeof(walk->window.words))
		byte_count = sizeof(walk->window.words);
	walk->window.start = start;
	walk->window.byte_count = 0;
	if (byte_count == 0 ||
		bpf_probe_read_user(walk->window.words, byte_count, (const void *)start))
		return -1;
	walk->window.byte_count = byte_count;
	return 0;
}

static __always_inline long window_read_word(void *context, uint64_t address, uint64_t *ret_word)
{
	struct walk *walk = context;
	uint64_t offset = address - walk->window.start;

	if (address % sizeof(*ret_word) != 0 || address < walk->state.registers.sp)
		return window_read_one(address, ret_word);
	if (offset >= walk->window.byte_count) {
		if (window_move(walk, address))
			return window_read_one(address, ret_word);
		offset = address - walk->window.start;
	}
	if (offset / sizeof(*ret_word) >= STACK_WINDOW_WORDS)
		return -1;
	*ret_word = walk->window.words[offset / sizeof(*ret_word)];
	return 0;
}
