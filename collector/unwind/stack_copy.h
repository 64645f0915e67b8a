/* SPDX-License-Identifier: Apache-2.0 */
/* Stack copy: a walk that goes on in user space.
 *
 * What it is   the registers of a frame and a piece of its thread's stack, from which the callers
 *              are found by the same rules as in the kernel.
 * Ownership    the memory is the caller's.
 * Threads      no shared state.
 * Errors       a stop reason. STOP_truncated: the copy ends before the stack does.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/unwind_step.h"

struct stack_copy {
	struct unwind_state state;
	const uint8_t *bytes; /* from the first frame's stack pointer on */
	uint64_t address; /* of bytes[0] */
	uint32_t byte_count;
	bool is_at_end; /* a word behind the copy was asked for */
};

/* REST is what follows the addresses of a sample with STACK_BYTES above 0. */
void stack_copy_init(struct stack_copy *copy, const void *rest, uint32_t stack_bytes);
enum stop stack_copy_step(struct stack_copy *copy, const struct unwind_rule *rule);
/* By the chain of frame pointers. */
enum stop stack_copy_step_frame_pointer(struct stack_copy *copy);
