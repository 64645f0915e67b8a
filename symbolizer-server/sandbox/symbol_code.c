/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_code.h"

#include <errno.h>

#include "symbolizer-server/sandbox/symbol_block.h"

#define CALL_BASES 4
#define CALL_WIDTHS (CALL_BASES + SYMBOL_CODE_FIELDS * 4)
#define CALL_BITS (CALL_WIDTHS + SYMBOL_CODE_FIELDS)
/* Zeros behind the calls, so that eight bytes can be read at any bit of them. */
#define CALL_TAIL_BYTES 8
#define CALL_WIDTH_MAX 32u

int symbol_code_open(const uint8_t *bytes, size_t byte_count, uint64_t first_call,
	struct symbol_code_table *ret_table)
{
	struct symbol_code_table table = {0};

	if (byte_count < CALL_BITS + CALL_TAIL_BYTES || first_call == 0 || first_call > UINT32_MAX)
		return -EBADMSG;
	table.bits = bytes + CALL_BITS;
	table.first = (uint32_t)first_call;
	table.count = symbol_load_u32(bytes);
	for (int i = 0; i < SYMBOL_CODE_FIELDS; i++) {
		table.bases[i] = symbol_load_u32(bytes + CALL_BASES + (size_t)i * 4);
		table.widths[i] = bytes[CALL_WIDTHS + i];
		if (table.widths[i] > CALL_WIDTH_MAX)
			return -EBADMSG;
		table.bits_each += table.widths[i];
	}
	if (((uint64_t)table.count * table.bits_each + 7) / 8 !=
		byte_count - CALL_BITS - CALL_TAIL_BYTES)
		return -EBADMSG;
	*ret_table = table;
	return 0;
}

static uint32_t take_bits(const uint8_t *bits, uint64_t at, unsigned width)
{
	uint64_t value = symbol_load_u64(bits + at / 8) >> (at % 8);

	return (uint32_t)(value & ((UINT64_C(1) << width) - 1));
}

int symbol_code_find_call(
	const struct symbol_code_table *table, uint32_t call, struct symbol_code_call *ret_call)
{
	uint32_t fields[SYMBOL_CODE_FIELDS];
	uint64_t at;

	if (call < table->first || call - table->first >= table->count)
		return -EBADMSG;
	at = (uint64_t)(call - table->first) * table->bits_each;
	for (int i = 0; i < SYMBOL_CODE_FIELDS; i++) {
		uint32_t bits = take_bits(table->bits, at, table->widths[i]);

		if (__builtin_add_overflow(table->bases[i], bits, &fields[i]))
			return -EBADMSG;
		at += table->widths[i];
	}
	if (fields[0] >= call)
		return -EBADMSG;
	*ret_call = (struct symbol_code_call){fields[0], fields[1], fields[2], fields[3]};
	return 0;
}

int symbol_code_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes)
{
	struct symbol_code_table table;
	int r = symbol_code_open(bytes, entry->byte_count, entry->first, &table);

	if (r < 0)
		return r;
	if (table.count == 0 || table.count > SYMBOL_CHUNK_CALLS_MAX ||
		table.first > header->call_count ||
		table.count > header->call_count - table.first + 1)
		return -EBADMSG;
	for (uint32_t i = 0; i < table.count; i++) {
		struct symbol_code_call call;

		r = symbol_code_find_call(&table, table.first + i, &call);
		if (r < 0)
			return r;
		if (call.name >= header->name_count || call.file > header->file_count)
			return -EBADMSG;
	}
	return 0;
}
