/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/stack_copy.h"

#include <string.h>

void stack_copy_init(struct stack_copy *copy, const void *rest, uint32_t stack_bytes)
{
	const uint8_t *bytes = rest;

	*copy = (struct stack_copy){.byte_count = stack_bytes};
	memcpy(&copy->state, bytes, sizeof(copy->state));
	copy->bytes = bytes + sizeof(copy->state);
	copy->address = copy->state.registers.sp;
}

static long read_word(void *context, uint64_t address, uint64_t *ret_word)
{
	struct stack_copy *copy = context;
	uint64_t offset = address - copy->address;

	if (offset > copy->byte_count || copy->byte_count - offset < sizeof(*ret_word)) {
		copy->is_at_end = address > copy->address;
		return -1;
	}
	memcpy(ret_word, copy->bytes + offset, sizeof(*ret_word));
	return 0;
}

static enum stop end_of_copy(const struct stack_copy *copy, enum stop stop)
{
	return stop == STOP_unreadable && copy->is_at_end ? STOP_truncated : stop;
}

enum stop stack_copy_step(struct stack_copy *copy, const struct unwind_rule *rule)
{
	return end_of_copy(
		copy, unwind_step(rule, &copy->state.registers, copy->state.leaf, read_word, copy));
}

enum stop stack_copy_step_frame_pointer(struct stack_copy *copy)
{
	return end_of_copy(
		copy, unwind_step_frame_pointer(&copy->state.registers, read_word, copy));
}
