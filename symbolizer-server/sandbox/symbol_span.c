/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   head | guide: a u16 for each 1 << shift bytes of code | starts: a u32 for each block | blocks
 *             |                                                ^                            ^
 *             +--- the blocks between which the address lies --+--- the last one before it -+
 *
 * A look-up reads one line of the processor's cache of each part, and each part tells where in the
 * next it goes on: three misses, where a search over the blocks would have one for each half.
 */
#include "symbolizer-server/sandbox/symbol_span.h"

#include <errno.h>

#include "symbolizer-server/sandbox/symbol_block.h"

#define SHIFT_MAX 31u
struct span_table {
	const uint8_t *guide;
	const uint8_t *starts;
	const uint8_t *blocks;
	uint32_t guide_count;
	uint32_t block_count;
	uint32_t shift;
};

static int open_table(const uint8_t *bytes, size_t byte_count, struct span_table *ret_table)
{
	struct span_table table = {.guide = bytes + SYMBOL_SPAN_HEAD_BYTES};
	size_t starts, blocks;

	if (byte_count < SYMBOL_SPAN_HEAD_BYTES || byte_count > SYMBOL_CHUNK_BYTES_MAX)
		return -EBADMSG;
	table.block_count = symbol_load_u32(bytes);
	table.guide_count = symbol_load_u32(bytes + 4);
	table.shift = bytes[8];
	if (table.block_count == 0 || table.block_count > byte_count / SYMBOL_SPAN_BLOCK_BYTES ||
		table.guide_count == 0 || table.guide_count > byte_count / 2 ||
		table.shift > SHIFT_MAX)
		return -EBADMSG;
	starts = symbol_span_starts_offset(table.guide_count);
	blocks = symbol_span_blocks_offset(table.guide_count, table.block_count);
	if (blocks + (size_t)table.block_count * SYMBOL_SPAN_BLOCK_BYTES != byte_count)
		return -EBADMSG;
	table.starts = bytes + starts;
	table.blocks = bytes + blocks;
	*ret_table = table;
	return 0;
}

static uint32_t guide_at(const struct span_table *table, uint32_t index)
{
	const uint8_t *bytes = table->guide + (size_t)index * 2;

	return (uint32_t)(bytes[0] | bytes[1] << 8);
}

static uint32_t start_at(const struct span_table *table, uint32_t index)
{
	return symbol_load_u32(table->starts + (size_t)index * 4);
}

/* The last block that starts at OFFSET or before it. */
static int seek_block(const struct span_table *table, uint64_t offset, uint32_t *ret_index)
{
	uint64_t step = offset >> table->shift;
	uint32_t at = step < table->guide_count ? (uint32_t)step : table->guide_count - 1;
	uint32_t low = guide_at(table, at), last = table->block_count - 1, count;

	if (at + 1 < table->guide_count)
		last = guide_at(table, at + 1);
	if (low > last || last >= table->block_count || start_at(table, low) > offset)
		return -EBADMSG;
	/* Without a branch that depends on the address: no guess of it would be right. */
	for (count = last - low + 1; count > 1;) {
		uint32_t half = count / 2;

		low += start_at(table, low + half) <= offset ? half : 0;
		count -= half;
	}
	*ret_index = low;
	return 0;
}

/* ---- A block ---- */

/* Numbers that a block has come to: steps count from the last one that was not none. */
struct span_state {
	uint32_t call;
	uint32_t function;
	uint32_t file;
	uint32_t line;
};

static int next_call(struct symbol_block *block, struct span_state *state, struct symbol_span *span)
{
	uint64_t code, step;

	if (!symbol_block_varint(block, &code))
		return -EBADMSG;
	span->call_start = span->end;
	if (code == SYMBOL_SPAN_GAP) {
		span->function = SYMBOL_SPAN_NO_FUNCTION;
		span->call = span->file = span->line = 0;
		return 0;
	}
	if (code == SYMBOL_SPAN_OTHER_FUNCTION) {
		if (!symbol_block_varint(block, &step))
			return -EBADMSG;
		/* Steps outside of 32 bits wrap to a number that its look-up refuses. */
		state->function += (uint32_t)symbol_unzigzag(step);
		span->function = state->function - 1;
		if (!symbol_block_varint(block, &code) || code == SYMBOL_SPAN_OTHER_FUNCTION ||
			code == SYMBOL_SPAN_GAP)
			return -EBADMSG;
	}
	if (code >= SYMBOL_SPAN_STEPS)
		state->call += (uint32_t)symbol_unzigzag(code - SYMBOL_SPAN_STEPS);
	span->call = code == SYMBOL_SPAN_NO_CALL ? 0 : state->call;
	return 0;
}

static int next_line(struct symbol_block *block, struct span_state *state, struct symbol_span *span)
{
	uint64_t code, step = 0;

	if (!symbol_block_varint(block, &code))
		return -EBADMSG;
	if ((code & 1) && !symbol_block_varint(block, &step))
		return -EBADMSG;
	state->line += (uint32_t)symbol_unzigzag(code >> 1);
	state->file += (uint32_t)symbol_unzigzag(step);
	span->file = state->file;
	span->line = state->line;
	return 0;
}

/* Reads the next entry behind *SPAN. */
static int next_span(struct symbol_block *block, struct span_state *state, struct symbol_span *span)
{
	uint64_t head;
	int r = 0;

	if (!symbol_block_varint(block, &head) || head < 1 << 2)
		return -EBADMSG;
	span->start = span->end;
	if (head & 2)
		r = next_call(block, state, span);
	if (r == 0 && (head & 1))
		r = next_line(block, state, span);
	if (__builtin_add_overflow(span->start, head >> 2, &span->end))
		return -EBADMSG;
	block->left--;
	return r;
}

static void open_block(const struct span_table *table, uint32_t index, uint64_t first,
	struct symbol_block *ret_block)
{
	const uint8_t *bytes = table->blocks + (size_t)index * SYMBOL_SPAN_BLOCK_BYTES;

	*ret_block = (struct symbol_block){
		.at = bytes + 1,
		.end = bytes + SYMBOL_SPAN_BLOCK_BYTES,
		.address = first + start_at(table, index),
		.left = bytes[0],
	};
}

static struct symbol_span before_first(const struct symbol_block *block)
{
	return (struct symbol_span){.start = block->address,
		.end = block->address,
		.call_start = block->address,
		.function = SYMBOL_SPAN_NO_FUNCTION};
}

int symbol_span_find(const uint8_t *bytes, size_t byte_count, uint64_t first, uint64_t address,
	struct symbol_span *ret_span)
{
	struct span_state state = {0};
	struct symbol_block block;
	struct span_table table;
	struct symbol_span span;
	uint64_t end;
	uint32_t index;
	int r = open_table(bytes, byte_count, &table);

	if (r < 0)
		return r;
	if (address < first)
		return -EBADMSG;
	r = seek_block(&table, address - first, &index);
	if (r < 0)
		return r;
	open_block(&table, index, first, &block);
	span = before_first(&block);
	while (block.left > 0) {
		r = next_span(&block, &state, &span);
		if (r < 0)
			return r;
		if (address < span.end) {
			*ret_span = span;
			return 0;
		}
	}
	end = index + 1 < table.block_count ? first + start_at(&table, index + 1) : UINT64_MAX;
	if (address >= end && end != UINT64_MAX)
		return -EBADMSG;
	*ret_span = (struct symbol_span){
		.start = span.end,
		.end = end,
		.call_start = span.end,
		.function = SYMBOL_SPAN_NO_FUNCTION,
	};
	return 0;
}

/* ---- Check ---- */

static int check_block(const struct symbol_index_header *header, const struct span_table *table,
	uint32_t index, uint64_t first)
{
	struct span_state state = {0};
	struct symbol_block block;
	struct symbol_span span;
	int r = 0;

	open_block(table, index, first, &block);
	if (block.left == 0 || block.address < first)
		return -EBADMSG;
	span = before_first(&block);
	while (r == 0 && block.left > 0) {
		r = next_span(&block, &state, &span);
		if (r == 0 &&
			((span.function != SYMBOL_SPAN_NO_FUNCTION &&
				 span.function >= header->name_count) ||
				span.call > header->call_count || span.file > header->file_count))
			r = -EBADMSG;
	}
	if (r == 0 && index + 1 < table->block_count &&
		span.end - first > start_at(table, index + 1))
		r = -EBADMSG;
	return r;
}

/* Each entry of the guide is the last block that starts at its place or before it. */
static int check_guide(const struct span_table *table)
{
	uint32_t block = 0;

	if (start_at(table, 0) != 0)
		return -EBADMSG;
	for (uint32_t i = 0; i < table->guide_count; i++) {
		while (block + 1 < table->block_count &&
			start_at(table, block + 1) <= (uint64_t)i << table->shift)
			block++;
		if (guide_at(table, i) != block)
			return -EBADMSG;
	}
	return 0;
}

int symbol_span_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes)
{
	struct span_table table;
	int r = open_table(bytes, entry->byte_count, &table);

	for (uint32_t i = 1; r == 0 && i < table.block_count; i++) {
		if (start_at(&table, i) <= start_at(&table, i - 1))
			r = -EBADMSG;
	}
	if (r == 0)
		r = check_guide(&table);
	for (uint32_t i = 0; r == 0 && i < table.block_count; i++)
		r = check_block(header, &table, i, entry->first);
	return r;
}
