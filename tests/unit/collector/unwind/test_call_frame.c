/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/call_frame.h"

#include <errno.h>

#include "tests/support/check.h"

#define FROM UINT64_C(0x1000)
#define UNTIL UINT64_C(0x1100)
#define ROWS_MAX 16

struct row {
	uint64_t from, until;
	struct unwind_rule rule;
};

static struct row rows[ROWS_MAX];
static unsigned row_count;

static int take_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	(void)context;
	CHECK(row_count < ROWS_MAX);
	rows[row_count++] = (struct row){from, until, *rule};
	return 0;
}

/* What every compiler writes for x86-64: CFA = rsp + 8, return address at CFA - 8. */
static struct call_frame_common common_of_x86(void)
{
	static const uint8_t initial[] = {0x0c, 7, 8, 0x90, 1};
	struct call_frame_common common;
	struct bytes_reader reader;

	call_frame_common_init(&common);
	common.code_alignment = 1;
	common.data_alignment = -8;
	bytes_reader_init(&reader, initial, sizeof(initial));
	CHECK_EQ(call_frame_set_initial(&common, &reader), 0);
	return common;
}

static int run_with(const struct call_frame_common *common, const uint8_t *bytes, size_t byte_count)
{
	static const struct frame_bases bases = {0};
	const struct call_frame_code code = {FROM, UNTIL, &bases, bytes};
	struct bytes_reader reader;

	row_count = 0;
	bytes_reader_init(&reader, bytes, byte_count);
	return call_frame_run(common, &reader, &code, take_row, NULL);
}

static int run_bytes(const uint8_t *bytes, size_t byte_count)
{
	struct call_frame_common common = common_of_x86();

	return run_with(&common, bytes, byte_count);
}

#define RUN_CFI(...) \
	run_bytes((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void expect_row(unsigned index, uint64_t from, uint64_t until)
{
	CHECK(index < row_count);
	CHECK_EQ(rows[index].from, FROM + from);
	CHECK_EQ(rows[index].until, FROM + until);
}

static void expect_cfa(unsigned index, unsigned number, int offset)
{
	CHECK_EQ(rows[index].rule.cfa, UNWIND_CFA_register);
	CHECK_EQ(rows[index].rule.cfa_register, number);
	CHECK_EQ(rows[index].rule.cfa_offset, offset);
	CHECK_EQ(rows[index].rule.returns, UNWIND_RETURN_at_cfa);
	CHECK_EQ(rows[index].rule.return_detail, -1);
}

static void a_function_without_instructions_is_one_row(void)
{
	struct call_frame_common common = common_of_x86();

	CHECK_EQ(run_with(&common, NULL, 0), 0);
	CHECK_EQ(row_count, 1);
	expect_row(0, 0, 0x100);
	expect_cfa(0, UNWIND_RSP, 8);
	CHECK_EQ(rows[0].rule.rbp, UNWIND_SAVED_unchanged);
}

static void a_prologue_with_a_frame_pointer_is_followed(void)
{
	/* push %rbp; mov %rsp,%rbp; ... leave; ret */
	CHECK_EQ(RUN_CFI(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0xf0, 0x0c, 7, 8, 0xc6), 0);
	CHECK_EQ(row_count, 4);
	expect_cfa(0, UNWIND_RSP, 8);
	expect_row(1, 1, 4);
	expect_cfa(1, UNWIND_RSP, 16);
	CHECK_EQ(rows[1].rule.rbp, UNWIND_SAVED_at_cfa);
	CHECK_EQ(rows[1].rule.rbp_offset, -16);
	expect_row(2, 4, 0xf4);
	expect_cfa(2, UNWIND_RBP, 16);
	expect_row(3, 0xf4, 0x100);
	expect_cfa(3, UNWIND_RSP, 8);
	CHECK_EQ(rows[3].rule.rbp, UNWIND_SAVED_unchanged);
}

static void registers_that_no_walk_needs_are_skipped(void)
{
	/* r12 at CFA-24, r15 by an expression, rdx undefined. */
	CHECK_EQ(RUN_CFI(0x8c, 3, 0x10, 15, 2, 0x77, 8, 0x07, 1, 0x83, 4), 0);
	CHECK_EQ(row_count, 1);
	CHECK_EQ(rows[0].rule.rbx, UNWIND_SAVED_at_cfa);
	CHECK_EQ(rows[0].rule.rbx_offset, -32);
}

static void what_is_remembered_comes_back_with_its_cfa(void)
{
	CHECK_EQ(RUN_CFI(0x0e, 32, 0x0a, 0x41, 0x0e, 8, 0x41, 0x0b), 0);
	CHECK_EQ(row_count, 3);
	expect_cfa(0, UNWIND_RSP, 32);
	expect_cfa(1, UNWIND_RSP, 8);
	expect_cfa(2, UNWIND_RSP, 32);
}

static void a_stack_that_was_aligned_is_found_through_memory(void)
{
	/* DRAP: CFA in r10, then *(rbp - 8); rbp saved where rbp points. */
	CHECK_EQ(RUN_CFI(0x0c, 10, 0, 0x41, 0x10, 6, 2, 0x76, 0, 0x0f, 3, 0x76, 0x78, 0x06), 0);
	CHECK_EQ(row_count, 2);
	expect_cfa(0, 10, 0);
	CHECK_EQ(rows[1].rule.cfa, UNWIND_CFA_memory);
	CHECK_EQ(rows[1].rule.cfa_register, UNWIND_RBP);
	CHECK_EQ(rows[1].rule.cfa_offset, -8);
	CHECK_EQ(rows[1].rule.rbp, UNWIND_SAVED_at_rbp);
	CHECK_EQ(rows[1].rule.rbp_offset, 0);
}

static void a_signal_frame_is_told_from_others(void)
{
	static const uint8_t restore_rt[] = {
		0x0f, 4, 0x77, 0xa0, 0x01, 0x06, /* CFA = *(rsp + 160) */
		0x10, 6, 3, 0x77, 0xf8, 0x00, /* rbp at rsp + 120 */
		0x10, 16, 3, 0x77, 0xa8, 0x01, /* rip at rsp + 168 */
	};
	struct call_frame_common common = common_of_x86();

	common.is_signal_frame = true;
	CHECK_EQ(run_with(&common, restore_rt, sizeof(restore_rt)), 0);
	CHECK_EQ(row_count, 1);
	CHECK_EQ(rows[0].rule.cfa, UNWIND_CFA_memory);
	CHECK_EQ(rows[0].rule.cfa_offset, 160);
	CHECK_EQ(rows[0].rule.returns, UNWIND_RETURN_interrupted);
	CHECK_EQ(rows[0].rule.return_detail, 21);
	CHECK_EQ(rows[0].rule.rbp, UNWIND_SAVED_at_rsp);
	CHECK_EQ(rows[0].rule.rbp_offset, 120);
}

static void the_first_function_of_a_thread_has_no_caller(void)
{
	CHECK_EQ(RUN_CFI(0x07, 16), 0);
	CHECK_EQ(rows[0].rule.returns, UNWIND_RETURN_none);
}

static void a_return_address_in_a_register_is_known(void)
{
	/* vfork: pop %rdi */
	CHECK_EQ(RUN_CFI(0x0e, 0, 0x09, 16, 5), 0);
	CHECK_EQ(rows[0].rule.returns, UNWIND_RETURN_in_register);
	CHECK_EQ(rows[0].rule.return_detail, 5);
}

static void what_no_rule_can_say_is_unknown(void)
{
	CHECK_EQ(RUN_CFI(0x0f, 2, 0x9c, 0x06), 0);
	CHECK_EQ(rows[0].rule.cfa, UNWIND_CFA_unknown);
	/* A CFA beyond 32 bits. */
	CHECK_EQ(RUN_CFI(0x0e, 0xff, 0xff, 0xff, 0xff, 0x7f), 0);
	CHECK_EQ(rows[0].rule.cfa, UNWIND_CFA_unknown);
	/* rbp farther from the CFA than a rule can say: lost, the rest holds. */
	CHECK_EQ(RUN_CFI(0x86, 0x80, 0x80, 0x04), 0);
	CHECK_EQ(rows[0].rule.cfa, UNWIND_CFA_register);
	CHECK_EQ(rows[0].rule.rbp, UNWIND_SAVED_lost);
}

static void broken_instructions_keep_the_rows_before_them(void)
{
	CHECK_EQ(RUN_CFI(0x41, 0x0e, 16, 0x41, 0x3f), -EBADMSG);
	CHECK_EQ(row_count, 2);
	/* Restored without having been remembered; past the end; nested too deep. */
	CHECK_EQ(RUN_CFI(0x0b), -EBADMSG);
	CHECK_EQ(RUN_CFI(0x03, 0x01, 0x02), -EBADMSG);
	CHECK_EQ(RUN_CFI(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a), -EBADMSG);
	/* Cut off within an operand. */
	CHECK_EQ(RUN_CFI(0x0e, 0x80), -EBADMSG);
}

static int refuse_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	(void)context;
	(void)from;
	(void)until;
	(void)rule;
	return -ENOSPC;
}

static void a_refusal_is_passed_on(void)
{
	static const struct frame_bases bases = {0};
	const struct call_frame_code code = {FROM, UNTIL, &bases, NULL};
	struct call_frame_common common = common_of_x86();
	struct bytes_reader reader;

	bytes_reader_init(&reader, NULL, 0);
	CHECK_EQ(call_frame_run(&common, &reader, &code, refuse_row, NULL), -ENOSPC);
}

int main(void)
{
	RUN(a_function_without_instructions_is_one_row);
	RUN(a_prologue_with_a_frame_pointer_is_followed);
	RUN(registers_that_no_walk_needs_are_skipped);
	RUN(what_is_remembered_comes_back_with_its_cfa);
	RUN(a_stack_that_was_aligned_is_found_through_memory);
	RUN(a_signal_frame_is_told_from_others);
	RUN(the_first_function_of_a_thread_has_no_caller);
	RUN(a_return_address_in_a_register_is_known);
	RUN(what_no_rule_can_say_is_unknown);
	RUN(broken_instructions_keep_the_rows_before_them);
	RUN(a_refusal_is_passed_on);
	return 0;
}
