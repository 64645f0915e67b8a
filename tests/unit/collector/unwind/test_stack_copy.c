/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/stack_copy.h"

#include "tests/support/check.h"

#define SP UINT64_C(0x7ffd00001000)
#define WORDS 32

static struct {
	struct unwind_state state;
	uint64_t words[WORDS];
} rest;

static const struct unwind_rule usual = {.cfa = UNWIND_CFA_register,
	.cfa_register = UNWIND_RSP,
	.cfa_offset = 32,
	.return_detail = -1};

static struct stack_copy begin(void)
{
	struct stack_copy copy;

	memset(&rest, 0, sizeof(rest));
	rest.state.registers =
		(struct unwind_registers){.ip = 0x401000, .sp = SP, .is_exact = 1, .is_leaf = 1};
	for (uint32_t i = 3; i < WORDS; i += 4)
		rest.words[i] = 0x402000 + i;
	stack_copy_init(&copy, &rest, sizeof(rest.words));
	return copy;
}

static void each_step_finds_the_caller(void)
{
	struct stack_copy copy = begin();

	for (uint32_t i = 3; i < WORDS; i += 4) {
		CHECK_EQ(stack_copy_step(&copy, &usual), STOP_NONE);
		CHECK_EQ(copy.state.registers.ip, 0x402000 + i);
		CHECK_EQ(copy.state.registers.sp, SP + (i + 1) * UINT64_C(8));
		CHECK(!copy.state.registers.is_exact);
	}
	CHECK_EQ(stack_copy_step(&copy, &usual), STOP_truncated);
}

static void memory_elsewhere_is_unreadable_and_not_the_end(void)
{
	struct unwind_rule by_rbp = {
		.cfa = UNWIND_CFA_register, .cfa_register = UNWIND_RBP, .return_detail = -1};
	struct stack_copy copy = begin();

	copy.state.registers.bp = SP - 4096;
	CHECK_EQ(stack_copy_step(&copy, &by_rbp), STOP_unreadable);
}

static void any_register_of_the_leaf_may_hold_the_frame_but_none_of_a_caller(void)
{
	struct unwind_rule by_r10 = {
		.cfa = UNWIND_CFA_register, .cfa_register = 10, .return_detail = -1};
	struct stack_copy copy = begin();

	copy.state.leaf[10] = SP + 32;
	CHECK_EQ(stack_copy_step(&copy, &by_r10), STOP_NONE);
	CHECK_EQ(copy.state.registers.ip, 0x402003);
	CHECK_EQ(stack_copy_step(&copy, &by_r10), STOP_lost_register);
	CHECK_EQ(copy.state.registers.ip, 0x402003);
}

static void frame_pointers_lead_up_to_a_zero(void)
{
	struct stack_copy copy = begin();

	copy.state.registers.bp = SP + 16;
	rest.words[2] = SP + 80;
	rest.words[10] = 0;
	rest.words[11] = 0x403000;
	CHECK_EQ(stack_copy_step_frame_pointer(&copy), STOP_NONE);
	CHECK_EQ(copy.state.registers.ip, 0x402003);
	CHECK_EQ(stack_copy_step_frame_pointer(&copy), STOP_NONE);
	CHECK_EQ(copy.state.registers.ip, 0x403000);
	CHECK_EQ(stack_copy_step_frame_pointer(&copy), STOP_complete);
}

static void a_zero_that_ends_no_chain_is_no_end(void)
{
	struct stack_copy copy = begin();

	CHECK_EQ(stack_copy_step_frame_pointer(&copy), STOP_bad_frame_pointer);
}

int main(void)
{
	RUN(each_step_finds_the_caller);
	RUN(memory_elsewhere_is_unreadable_and_not_the_end);
	RUN(any_register_of_the_leaf_may_hold_the_frame_but_none_of_a_caller);
	RUN(frame_pointers_lead_up_to_a_zero);
	RUN(a_zero_that_ends_no_chain_is_no_end);
	return 0;
}
