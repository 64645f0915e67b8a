/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frame pointer: the caller's frame by the chain of frame records.
 *
 * What it is   code built with frame pointers keeps, where rbp points, the caller's rbp and, above
 *              it, the return address. The chain leads up the stack and ends with a saved rbp of
 *              zero, which is what a thread begins with.
 * Ownership    the walk's registers.
 * Threads      the CPU that runs the program.
 * Errors       any register or memory that does not fit this order is a stop reason. What the
 *              order can't tell (docs/kernel.md): a function that has not set up its frame yet, or
 *              has none, hides its caller.
 */
#pragma once

#include "bpf/abi/stop.h"
#include "bpf/lib/kernel.bpf.h"
#include "bpf/lib/walk.bpf.h"

struct frame_record {
	uint64_t bp;
	uint64_t return_address;
};

/* No code of a process lies in its first page or above the lower half of the address space. */
#define CODE_ADDRESS_MIN UINT64_C(0x1000)
#define CODE_ADDRESS_MAX UINT64_C(0x00ffffffffffffff)

static __always_inline enum stop step_frame_pointer(struct walk *walk)
{
	struct walk_registers *registers = &walk->registers;
	uint64_t bp = registers->bp;
	struct frame_record record;

	/* A zero is the end of a chain only if there was a chain: the register of code without
	 * frame pointers may hold anything. */
	if (bp == 0 && walk->sample.user_frame_count > 1)
		return STOP_complete;
	/* Below the stack pointer, the distance wraps around to a huge one. */
	if (bp - registers->sp > FRAME_BYTES_MAX || bp % sizeof(bp) != 0)
		return STOP_bad_frame_pointer;
	if (bpf_probe_read_user(&record, sizeof(record), (const void *)bp))
		return STOP_unreadable;
	if (record.return_address < CODE_ADDRESS_MIN || record.return_address > CODE_ADDRESS_MAX)
		return STOP_bad_return_address;

	registers->ip = record.return_address;
	registers->sp = bp + sizeof(record);
	registers->bp = record.bp;
	return STOP_NONE;
}
