/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/go_table.h"

#include <errno.h>
#include <string.h>

#include "store/base/bytes.h"

/* The first word of the table: from Go 1.20, and of 1.18 and 1.19. Before, addresses were written out. */
#define MAGIC_20 0xfffffff1u
#define MAGIC_18 0xfffffff0u
#define QUANTUM 1
#define POINTER_BYTES 8
/* The words behind the first eight bytes. */
enum {
	WORD_function_count,
	WORD_file_count,
	WORD_text,
	WORD_names,
	WORD_units,
	WORD_files,
	WORD_values,
	WORD_functions,
	WORD_count,
};
/* Two numbers for each function: where it begins, and where its record is. */
#define ENTRY_BYTES 8
/* In a record. */
#define STACK_VALUES_AT 16
#define FLAG_AT_20 41
#define FLAG_AT_18 37
/* Nothing calls it: here a thread or a goroutine begins. */
#define FLAG_TOP_FRAME 0x01
/* It moves to another stack, which its values say nothing about. */
#define FLAG_WRITES_SP 0x02
/* No frame of compiled code is that large. */
#define FRAME_BYTES_SENSIBLE (1 << 30)

static uint32_t u32_at(const struct go_table *table, size_t at)
{
	struct bytes_reader reader;

	bytes_reader_init(&reader, table->bytes + at, sizeof(uint32_t));
	return bytes_read_u32(&reader);
}

int go_table_open(
	const uint8_t *bytes, size_t byte_count, uint64_t text, struct go_table *ret_table)
{
	struct go_table table = {.bytes = bytes, .byte_count = byte_count, .text = text};
	uint64_t words[WORD_count], list_bytes;
	struct bytes_reader reader;
	uint32_t magic;

	bytes_reader_init(&reader, bytes, byte_count);
	magic = bytes_read_u32(&reader);
	(void)bytes_read_u16(&reader);
	if (magic != MAGIC_20 && magic != MAGIC_18)
		return -ENOENT;
	if (bytes_read_u8(&reader) != QUANTUM || bytes_read_u8(&reader) != POINTER_BYTES)
		return -EBADMSG;
	for (int i = 0; i < WORD_count; i++)
		words[i] = bytes_read_u64(&reader);
	if (bytes_reader_fault(&reader) || words[WORD_values] > byte_count ||
		words[WORD_functions] > byte_count || words[WORD_function_count] > byte_count)
		return -EBADMSG;
	/* One number more: where the last function ends. */
	list_bytes = words[WORD_function_count] * ENTRY_BYTES + sizeof(uint32_t);
	if (list_bytes > byte_count - words[WORD_functions])
		return -EBADMSG;
	if (words[WORD_text] != 0)
		table.text = words[WORD_text];
	table.function_count = (uint32_t)words[WORD_function_count];
	table.values = (size_t)words[WORD_values];
	table.functions = (size_t)words[WORD_functions];
	table.flag_at = magic == MAGIC_20 ? FLAG_AT_20 : FLAG_AT_18;
	*ret_table = table;
	return 0;
}

int go_table_function(
	const struct go_table *table, uint32_t index, struct eh_frame_function *ret_function)
{
	size_t at = table->functions + (size_t)index * ENTRY_BYTES;
	uint32_t from = u32_at(table, at), until = u32_at(table, at + ENTRY_BYTES);
	uint64_t record = table->functions + (uint64_t)u32_at(table, at + sizeof(uint32_t));

	if (until <= from || table->text > UINT64_MAX - until ||
		record + table->flag_at >= table->byte_count)
		return -EBADMSG;
	*ret_function =
		(struct eh_frame_function){table->text + from, table->text + until, (size_t)record};
	return 0;
}

static struct unwind_rule rule_of(int64_t frame_bytes)
{
	struct unwind_rule rule = {
		.cfa = UNWIND_CFA_register,
		.cfa_register = UNWIND_RSP,
		.returns = UNWIND_RETURN_at_cfa,
		.return_detail = -1,
		.rbx = UNWIND_SAVED_lost,
	};

	if (frame_bytes < 0 || frame_bytes > FRAME_BYTES_SENSIBLE)
		return (struct unwind_rule){.cfa = UNWIND_CFA_unknown};
	rule.cfa_offset = (int32_t)frame_bytes + POINTER_BYTES;
	/* Whatever has a frame keeps the caller's frame pointer at its end. */
	if (frame_bytes >= POINTER_BYTES) {
		rule.rbp = UNWIND_SAVED_at_cfa;
		rule.rbp_offset = -2 * POINTER_BYTES;
	}
	return rule;
}

/* Pairs of numbers: by how much the value changes, and how many bytes of code it holds for. */
static int run_values(struct bytes_reader *values, const struct eh_frame_function *function,
	call_frame_row_fn *on_row, void *context)
{
	uint64_t from = function->from;
	int64_t value = -1;

	while (from < function->until) {
		uint64_t delta = bytes_read_varint32(values);
		uint64_t byte_count = bytes_read_varint32(values);
		struct unwind_rule rule;
		int r;

		if (bytes_reader_fault(values) || byte_count == 0 ||
			(delta == 0 && from != function->from))
			return -EBADMSG;
		value += (int64_t)(delta >> 1) ^ -(int64_t)(delta & 1);
		if (byte_count > function->until - from)
			byte_count = function->until - from;
		rule = rule_of(value);
		r = on_row(context, from, from + byte_count, &rule);
		if (r < 0)
			return r;
		from += byte_count;
	}
	return 0;
}

int go_table_rows(const struct go_table *table, const struct eh_frame_function *function,
	call_frame_row_fn *on_row, void *context)
{
	static const struct unwind_rule top = {.cfa = UNWIND_CFA_register,
		.cfa_register = UNWIND_RSP,
		.returns = UNWIND_RETURN_none};
	static const struct unwind_rule unknown = {.cfa = UNWIND_CFA_unknown};
	uint8_t flags = table->bytes[function->offset + table->flag_at];
	uint64_t at = table->values + (uint64_t)u32_at(table, function->offset + STACK_VALUES_AT);
	struct bytes_reader values;

	if (flags & FLAG_TOP_FRAME)
		return on_row(context, function->from, function->until, &top);
	if (flags & FLAG_WRITES_SP)
		return on_row(context, function->from, function->until, &unknown);
	if (at == table->values || at >= table->byte_count)
		return on_row(context, function->from, function->until, &unknown);
	bytes_reader_init(&values, table->bytes + at, table->byte_count - at);
	return run_values(&values, function, on_row, context);
}
