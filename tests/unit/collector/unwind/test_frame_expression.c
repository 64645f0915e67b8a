/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/frame_expression.h"

#include "tests/support/check.h"

static struct frame_expression read_expression(const uint8_t *bytes, size_t byte_count)
{
	return frame_expression_read(bytes, byte_count);
}

#define READ(...) \
	read_expression((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void expect(struct frame_expression got, enum frame_expression_kind kind, unsigned number,
	int64_t offset, int64_t add)
{
	CHECK_EQ(got.kind, kind);
	CHECK_EQ(got.number, number);
	CHECK_EQ(got.offset, offset);
	CHECK_EQ(got.add, add);
}

static void a_register_with_an_offset_is_known(void)
{
	expect(READ(0x77, 0x08), FRAME_EXPRESSION_register, 7, 8, 0);
	expect(READ(0x76, 0x78), FRAME_EXPRESSION_register, 6, -8, 0);
}

static void a_word_in_memory_is_known(void)
{
	/* What gcc writes for a stack that it aligned. */
	expect(READ(0x76, 0x78, 0x06), FRAME_EXPRESSION_memory, 6, -8, 0);
	/* What OpenSSL's assembler writes. */
	expect(READ(0x77, 0x28, 0x06, 0x23, 0x08), FRAME_EXPRESSION_memory, 7, 40, 8);
}

static void a_linkage_table_is_known(void)
{
	expect(READ(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		FRAME_EXPRESSION_plt, 7, 8, 11);
}

static void any_other_shape_is_not_known(void)
{
	expect(READ(0x77), FRAME_EXPRESSION_other, 0, 0, 0);
	expect(READ(0x77, 8, 0x06, 0x06), FRAME_EXPRESSION_other, 0, 0, 0);
	expect(READ(0x77, 8, 0x06, 0x23, 8, 0x06), FRAME_EXPRESSION_other, 0, 0, 0);
	expect(READ(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24), FRAME_EXPRESSION_other,
		0, 0, 0);
	expect(READ(0x76, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		FRAME_EXPRESSION_other, 0, 0, 0);
	expect(READ(0x9c), FRAME_EXPRESSION_other, 0, 0, 0);
	expect(frame_expression_read(NULL, 0), FRAME_EXPRESSION_other, 0, 0, 0);
}

int main(void)
{
	RUN(a_register_with_an_offset_is_known);
	RUN(a_word_in_memory_is_known);
	RUN(a_linkage_table_is_known);
	RUN(any_other_shape_is_not_known);
	return 0;
}
