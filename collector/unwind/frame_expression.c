/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/frame_expression.h"

#include <string.h>

#include "bpf/abi/unwind_rule.h"
#include "collector/unwind/frame_value.h"

/* DW_OP_* */
enum {
	OP_deref = 0x06,
	OP_and = 0x1a,
	OP_plus = 0x22,
	OP_plus_uconst = 0x23,
	OP_shl = 0x24,
	OP_ge = 0x2a,
	OP_lit0 = 0x30,
	OP_lit31 = 0x4f,
	OP_breg0 = 0x70,
	OP_breg15 = 0x7f,
	OP_breg16 = 0x80,
};

#define STUB_BYTES 16

/* After `rsp + offset`, linkers write for a procedure linkage table: is rip's place in its stub of
 * 16 bytes at or behind the instruction that pushes a word? Then add 8. */
static int read_plt_tail(struct bytes_reader *reader, int64_t *ret_pushed_at)
{
	static const uint8_t tail[] = {OP_ge, OP_lit0 + 3, OP_shl, OP_plus};
	static const uint8_t head[] = {OP_breg16, 0, OP_lit0 + STUB_BYTES - 1, OP_and};
	const uint8_t *span = bytes_read_span(reader, sizeof(head));
	uint8_t number = bytes_read_u8(reader);
	const uint8_t *rest = bytes_read_span(reader, sizeof(tail));

	if (!rest || memcmp(span, head, sizeof(head)) != 0 || memcmp(rest, tail, sizeof(tail)) != 0)
		return -1;
	if (number < OP_lit0 || number >= OP_lit0 + STUB_BYTES)
		return -1;
	*ret_pushed_at = number - OP_lit0;
	return 0;
}

static struct frame_expression read_tail(
	struct bytes_reader *reader, struct frame_expression expression)
{
	const struct frame_expression other = {FRAME_EXPRESSION_other, 0, 0, 0};

	if (bytes_left(reader) == 0)
		return expression;
	if (*reader->at == OP_breg16) {
		expression.kind = FRAME_EXPRESSION_plt;
		if (expression.number != UNWIND_RSP || read_plt_tail(reader, &expression.add) < 0)
			return other;
		return expression;
	}
	if (bytes_read_u8(reader) != OP_deref)
		return other;
	expression.kind = FRAME_EXPRESSION_memory;
	if (bytes_left(reader) == 0)
		return expression;
	if (bytes_read_u8(reader) != OP_plus_uconst)
		return other;
	expression.add = (int64_t)bytes_read_varint(reader);
	return expression;
}

struct frame_expression frame_expression_read(const uint8_t *bytes, size_t byte_count)
{
	struct frame_expression expression = {FRAME_EXPRESSION_other, 0, 0, 0};
	struct bytes_reader reader;
	uint8_t op;

	bytes_reader_init(&reader, bytes, byte_count);
	op = bytes_read_u8(&reader);
	if (op < OP_breg0 || op > OP_breg15)
		return expression;
	expression.kind = FRAME_EXPRESSION_register;
	expression.number = op - OP_breg0;
	expression.offset = frame_read_sleb(&reader);
	expression = read_tail(&reader, expression);
	if (bytes_reader_fault(&reader) || bytes_left(&reader))
		expression = (struct frame_expression){FRAME_EXPRESSION_other, 0, 0, 0};
	return expression;
}
