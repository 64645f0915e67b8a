/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_code.h"

#include <errno.h>

#include "symbolizer-server/sandbox/symbol_block.h"

/* ---- Calls ---- */

#define CALL_FIELDS 4
#define CALL_BASES 4
#define CALL_WIDTHS (CALL_BASES + CALL_FIELDS * 4)
#define CALL_BITS (CALL_WIDTHS + CALL_FIELDS)
/* Zeros behind the calls, so that eight bytes can be read at any bit of them. */
#define CALL_TAIL_BYTES 8
#define CALL_WIDTH_MAX 32u

struct call_table {
	const uint8_t *bits;
	uint32_t count;
	uint32_t bits_each;
	uint32_t bases[CALL_FIELDS];
	uint8_t widths[CALL_FIELDS];
};

static int open_calls(const uint8_t *bytes, size_t byte_count, struct call_table *table)
{
	if (byte_count < CALL_BITS + CALL_TAIL_BYTES)
		return -EBADMSG;
	table->bits = bytes + CALL_BITS;
	table->count = symbol_load_u32(bytes);
	table->bits_each = 0;
	for (int i = 0; i < CALL_FIELDS; i++) {
		table->bases[i] = symbol_load_u32(bytes + CALL_BASES + (size_t)i * 4);
		table->widths[i] = bytes[CALL_WIDTHS + i];
		if (table->widths[i] > CALL_WIDTH_MAX)
			return -EBADMSG;
		table->bits_each += table->widths[i];
	}
	if (((uint64_t)table->count * table->bits_each + 7) / 8 !=
		byte_count - CALL_BITS - CALL_TAIL_BYTES)
		return -EBADMSG;
	return 0;
}

static uint32_t take_bits(const uint8_t *bits, uint64_t at, unsigned width)
{
	uint64_t value = symbol_load_u64(bits + at / 8) >> (at % 8);

	return (uint32_t)(value & ((UINT64_C(1) << width) - 1));
}

/* INDEX is below the table's count. */
static int read_call(const struct call_table *table, uint32_t index, uint32_t number,
	struct symbol_code_call *ret_call)
{
	uint64_t at = (uint64_t)index * table->bits_each;
	uint32_t fields[CALL_FIELDS];

	for (int i = 0; i < CALL_FIELDS; i++) {
		uint32_t bits = take_bits(table->bits, at, table->widths[i]);

		if (__builtin_add_overflow(table->bases[i], bits, &fields[i]))
			return -EBADMSG;
		at += table->widths[i];
	}
	if (fields[0] >= number)
		return -EBADMSG;
	*ret_call = (struct symbol_code_call){fields[0], fields[1], fields[2], fields[3]};
	return 0;
}

int symbol_code_find_call(const uint8_t *bytes, size_t byte_count, uint64_t first_call,
	uint32_t call, struct symbol_code_call *ret_call)
{
	struct call_table table;
	int r = open_calls(bytes, byte_count, &table);

	if (r < 0)
		return r;
	if (call < first_call || call - first_call >= table.count)
		return -EBADMSG;
	return read_call(&table, (uint32_t)(call - first_call), call, ret_call);
}

static int check_calls(const struct symbol_index_header *header, uint64_t first,
	const uint8_t *bytes, size_t byte_count)
{
	struct call_table table;
	int r = open_calls(bytes, byte_count, &table);

	if (r < 0)
		return r;
	if (table.count == 0 || table.count > SYMBOL_CHUNK_CALLS_MAX || first == 0 ||
		first > header->call_count || table.count > header->call_count - first + 1)
		return -EBADMSG;
	for (uint32_t i = 0; i < table.count; i++) {
		struct symbol_code_call call;

		r = read_call(&table, i, (uint32_t)first + i, &call);
		if (r < 0)
			return r;
		if (call.name >= header->name_count || call.file > header->file_count)
			return -EBADMSG;
	}
	return 0;
}

/* ---- Inlined ranges ---- */

/* Reads the next entry behind *READ, which begins as {address, address, 0}. */
static int next_inline(struct symbol_block *block, struct symbol_code_inline *read)
{
	uint64_t code, gap = 0, step;

	if (!symbol_block_varint(block, &code))
		return -EBADMSG;
	if ((code & 1) && (!symbol_block_varint(block, &gap) || gap == 0 || block->first))
		return -EBADMSG;
	if (!symbol_block_varint(block, &step) || code < 2)
		return -EBADMSG;
	if (__builtin_add_overflow(read->end, gap, &read->start) ||
		__builtin_add_overflow(read->start, code >> 1, &read->end))
		return -EBADMSG;
	/* Steps outside of 32 bits wrap to a number that the look-up of calls refuses. */
	read->call += (uint32_t)symbol_unzigzag(step);
	block->first = false;
	block->left--;
	return 0;
}

int symbol_code_find_inline(const uint8_t *bytes, size_t byte_count, uint64_t address,
	struct symbol_code_inline *ret_inline)
{
	struct symbol_code_inline read = {0};
	struct symbol_block block;
	uint32_t index, count;
	uint64_t end_before;
	int r = symbol_block_seek(bytes, byte_count, address, &index, &block);

	if (r < 0)
		return r == -ENOENT ? -EBADMSG : r;
	read.start = read.end = end_before = block.address;
	while (block.left > 0) {
		r = next_inline(&block, &read);
		if (r < 0)
			return r;
		if (address < read.end) {
			*ret_inline = address >= read.start
				? read
				: (struct symbol_code_inline){end_before, read.start, 0};
			return 0;
		}
		end_before = read.end;
	}
	r = symbol_block_count(bytes, byte_count, &count);
	if (r < 0)
		return r;
	*ret_inline = (struct symbol_code_inline){
		.start = end_before,
		.end = index + 1 < count ? symbol_block_start(bytes, index + 1) : UINT64_MAX,
	};
	return 0;
}

static int check_inlines(const struct symbol_index_header *header, uint64_t first,
	const uint8_t *bytes, size_t byte_count)
{
	uint64_t end_before = first;
	uint32_t count;
	int r = symbol_block_count(bytes, byte_count, &count);

	if (r == 0 && symbol_block_start(bytes, 0) != first)
		r = -EBADMSG;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		struct symbol_code_inline read = {0};
		struct symbol_block block;

		r = symbol_block_open(bytes, byte_count, i, &block);
		if (r < 0)
			return r;
		if (block.address < end_before)
			return -EBADMSG;
		read.start = read.end = block.address;
		while (r == 0 && block.left > 0) {
			r = next_inline(&block, &read);
			if (r == 0 && (read.call == 0 || read.call > header->call_count))
				r = -EBADMSG;
		}
		end_before = read.end;
	}
	return r;
}

/* ---- Lines ---- */

/* Reads the next entry behind *READ, which begins as {address, address, 0, 0}. */
static int next_line(struct symbol_block *block, struct symbol_code_line *read)
{
	uint64_t length, code, step = 0;

	if (!symbol_block_varint(block, &length) || length == 0 ||
		!symbol_block_varint(block, &code))
		return -EBADMSG;
	if ((code & 1) && !symbol_block_varint(block, &step))
		return -EBADMSG;
	read->start = read->end;
	if (__builtin_add_overflow(read->start, length, &read->end))
		return -EBADMSG;
	read->line += (uint32_t)symbol_unzigzag(code >> 1);
	read->file += (uint32_t)symbol_unzigzag(step);
	block->left--;
	return 0;
}

int symbol_code_find_line(const uint8_t *bytes, size_t byte_count, uint64_t address,
	struct symbol_code_line *ret_line)
{
	struct symbol_code_line read = {0};
	struct symbol_block block;
	uint32_t index, count;
	int r = symbol_block_seek(bytes, byte_count, address, &index, &block);

	if (r < 0)
		return r == -ENOENT ? -EBADMSG : r;
	read.end = block.address;
	while (block.left > 0) {
		r = next_line(&block, &read);
		if (r < 0)
			return r;
		if (address < read.end) {
			*ret_line = read;
			return 0;
		}
	}
	r = symbol_block_count(bytes, byte_count, &count);
	if (r < 0)
		return r;
	*ret_line = (struct symbol_code_line){
		.start = read.end,
		.end = index + 1 < count ? symbol_block_start(bytes, index + 1) : UINT64_MAX,
	};
	return 0;
}

static int check_lines(const struct symbol_index_header *header, uint64_t first,
	const uint8_t *bytes, size_t byte_count)
{
	uint64_t end_before = first;
	uint32_t count;
	int r = symbol_block_count(bytes, byte_count, &count);

	if (r == 0 && symbol_block_start(bytes, 0) != first)
		r = -EBADMSG;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		struct symbol_code_line read = {0};
		struct symbol_block block;

		r = symbol_block_open(bytes, byte_count, i, &block);
		if (r < 0)
			return r;
		if (block.address < end_before)
			return -EBADMSG;
		read.end = block.address;
		while (r == 0 && block.left > 0) {
			r = next_line(&block, &read);
			if (r == 0 && read.file > header->file_count)
				r = -EBADMSG;
		}
		end_before = read.end;
	}
	return r;
}

int symbol_code_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes)
{
	if (entry->kind == SYMBOL_CHUNK_CALLS)
		return check_calls(header, entry->first, bytes, entry->byte_count);
	if (entry->kind == SYMBOL_CHUNK_INLINES)
		return check_inlines(header, entry->first, bytes, entry->byte_count);
	if (entry->kind == SYMBOL_CHUNK_LINES)
		return check_lines(header, entry->first, bytes, entry->byte_count);
	return 0;
}
