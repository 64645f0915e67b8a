/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   functions   [   f   ]  [      g      ]
 *   ranges        [ 1 ]       [ 2 ][ 3 ]       a merge of the three, which are sorted and disjoint,
 *   lines       [ a ][ b    ][ c ] [ d ]       into pieces; pieces into blocks of one length;
 *   pieces      | | || |..|..| | | || | |      blocks into chunks
 */
#include "symbolizer-server/sandbox/index_spans.h"

#include <errno.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/sandbox/symbol_block.h"
#include "symbolizer-server/sandbox/symbol_span.h"

/* Longer pieces are foul, and their coding takes two bits of the length. */
#define PIECE_BYTES_MAX (UINT64_C(1) << 60)
/* Length, call with another function, line with another file. */
#define ENTRY_BYTES_MAX (10 + 1 + 5 + 5 + 6 + 5)
/* A guide for as many blocks: what is left to search of them lies on one line. */
#define BLOCKS_PER_GUIDE 4u

_Static_assert(
	1 + 2 * ENTRY_BYTES_MAX > SYMBOL_SPAN_BLOCK_BYTES, "two entries may need two blocks");
_Static_assert(1 + ENTRY_BYTES_MAX <= SYMBOL_SPAN_BLOCK_BYTES, "an entry fits a block");

struct piece {
	uint64_t start;
	uint64_t end;
	uint32_t function; /* number of its name + 1; 0: none */
	uint32_t call;
	uint32_t file;
	uint32_t line;
};

/* ---- Pieces ---- */

struct pieces {
	const struct function_list *functions;
	const struct index_code *code;
	uint32_t next_function;
	uint32_t next_range;
	uint32_t next_line;
	uint64_t at;
};

static uint64_t lower(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static void take_function(struct pieces *pieces, struct piece *piece)
{
	const struct function_list *list = pieces->functions;
	const struct function *function;

	while (pieces->next_function < list->count &&
		list->functions[pieces->next_function].end <= piece->start)
		pieces->next_function++;
	if (pieces->next_function == list->count)
		return;
	function = &list->functions[pieces->next_function];
	if (function->start > piece->start) {
		piece->end = lower(piece->end, function->start);
		return;
	}
	piece->function = pieces->code->names->numbers[function->name] + 1;
	piece->end = lower(piece->end, function->end);
}

static void take_range(struct pieces *pieces, struct piece *piece)
{
	const struct code_map *map = pieces->code->map;
	const struct code_range *range;

	while (pieces->next_range < map->range_count &&
		map->ranges[pieces->next_range].end <= piece->start)
		pieces->next_range++;
	if (pieces->next_range == map->range_count)
		return;
	range = &map->ranges[pieces->next_range];
	if (range->start > piece->start) {
		piece->end = lower(piece->end, range->start);
		return;
	}
	piece->call = pieces->code->numbers[range->call];
	piece->end = lower(piece->end, range->end);
}

/* The last row only says where the one before it ends. */
static void take_line(struct pieces *pieces, struct piece *piece)
{
	const struct code_map *map = pieces->code->map;
	const struct code_line *row;

	while (pieces->next_line + 1 < map->line_count &&
		map->lines[pieces->next_line + 1].address <= piece->start)
		pieces->next_line++;
	if (pieces->next_line + 1 >= map->line_count)
		return;
	row = &map->lines[pieces->next_line];
	if (row->address > piece->start) {
		piece->end = lower(piece->end, row->address);
		return;
	}
	piece->file = index_code_file(pieces->code, row->file);
	piece->line = row->line;
	piece->end = lower(piece->end, row[1].address);
}

static bool is_gap(const struct piece *piece)
{
	return !piece->function && !piece->call && !piece->file && !piece->line;
}

/* The next piece of which something is known. */
static bool next_piece(struct pieces *pieces, struct piece *ret_piece)
{
	while (pieces->at < UINT64_MAX) {
		struct piece piece = {.start = pieces->at, .end = UINT64_MAX};

		take_function(pieces, &piece);
		take_range(pieces, &piece);
		take_line(pieces, &piece);
		pieces->at = piece.end;
		if (!is_gap(&piece)) {
			*ret_piece = piece;
			return true;
		}
	}
	return false;
}

/* ---- Blocks ---- */

struct half_spans {
	struct index_chunks *chunks;
	struct bytes_writer starts; /* from the first of the chunk on */
	struct bytes_writer blocks;
	struct bytes_writer whole;
	struct bytes_writer entry; /* the one that may or may not fit the block */
	uint32_t block_count;
	uint64_t first;
	uint32_t last_start;
	/* The block that is being filled. */
	uint8_t block[SYMBOL_SPAN_BLOCK_BYTES];
	uint32_t used; /* 0: there is none */
	struct piece last; /* what holds behind its last entry */
	struct piece base; /* what steps are from */
};

/* Blocks below this one are found at or before it: the guide of a chunk that is whole. */
static void write_guide(struct half_spans *half, uint32_t shift, uint32_t guide_count)
{
	uint32_t block = 0;

	for (uint32_t i = 0; i < guide_count; i++) {
		while (block + 1 < half->block_count &&
			symbol_load_u32(half->starts.bytes + (size_t)(block + 1) * 4) <= (uint64_t)i
					<< shift)
			block++;
		bytes_write_u16(&half->whole, (uint16_t)block);
	}
}

static void pad(struct bytes_writer *writer, size_t byte_count)
{
	while (writer->byte_count < byte_count && bytes_writer_fault(writer) == 0)
		bytes_write_u8(writer, 0);
}

static int finish_chunk(struct half_spans *half)
{
	uint32_t shift = 0, guide_count;
	int r;

	if (half->block_count == 0)
		return 0;
	while (half->last_start >> shift > half->block_count / BLOCKS_PER_GUIDE)
		shift++;
	guide_count = (half->last_start >> shift) + 1;
	bytes_writer_reset(&half->whole);
	bytes_write_u32(&half->whole, half->block_count);
	bytes_write_u32(&half->whole, guide_count);
	bytes_write_u8(&half->whole, (uint8_t)shift);
	pad(&half->whole, SYMBOL_SPAN_HEAD_BYTES);
	write_guide(half, shift, guide_count);
	pad(&half->whole, symbol_span_starts_offset(guide_count));
	bytes_write_span(&half->whole, half->starts.bytes, half->starts.byte_count);
	pad(&half->whole, symbol_span_blocks_offset(guide_count, half->block_count));
	bytes_write_span(&half->whole, half->blocks.bytes, half->blocks.byte_count);
	r = bytes_writer_fault(&half->whole);
	if (r == 0)
		r = index_chunks_add(half->chunks, SYMBOL_CHUNK_SPANS, half->first,
			half->whole.bytes, half->whole.byte_count);
	bytes_writer_reset(&half->starts);
	bytes_writer_reset(&half->blocks);
	half->block_count = 0;
	return r;
}

static int finish_block(struct half_spans *half)
{
	int r;

	if (half->used == 0)
		return 0;
	bytes_write_span(&half->blocks, half->block, sizeof(half->block));
	half->used = 0;
	r = bytes_writer_fault(&half->blocks);
	if (r == 0)
		r = bytes_writer_fault(&half->starts);
	if (r == 0 && half->blocks.byte_count + half->starts.byte_count > SYMBOL_CHUNK_BYTES_AIM)
		r = finish_chunk(half);
	return r;
}

static int begin_block(struct half_spans *half, uint64_t start)
{
	int r = finish_block(half);

	if (r == 0 && half->block_count > 0 && start - half->first > UINT32_MAX)
		r = finish_chunk(half);
	if (r < 0)
		return r;
	if (half->block_count == 0)
		half->first = start;
	half->last_start = (uint32_t)(start - half->first);
	bytes_write_u32(&half->starts, half->last_start);
	half->block_count++;
	memset(half->block, 0, sizeof(half->block));
	half->used = 1;
	half->last = (struct piece){.start = start, .end = start};
	half->base = (struct piece){0};
	return 0;
}

static uint64_t zigzag(uint32_t to, uint32_t from)
{
	int64_t step = (int64_t)to - from;

	return step < 0 ? ~((uint64_t)step << 1) : (uint64_t)step << 1;
}

static void write_call(struct half_spans *half, const struct piece *piece)
{
	struct bytes_writer *entry = &half->entry;

	if (is_gap(piece)) {
		bytes_write_varint(entry, SYMBOL_SPAN_GAP);
		return;
	}
	if (piece->function != half->last.function) {
		bytes_write_varint(entry, SYMBOL_SPAN_OTHER_FUNCTION);
		bytes_write_varint(entry, zigzag(piece->function, half->base.function));
		half->base.function = piece->function;
	}
	if (piece->call == 0) {
		bytes_write_varint(entry, SYMBOL_SPAN_NO_CALL);
		return;
	}
	bytes_write_varint(entry, SYMBOL_SPAN_STEPS + zigzag(piece->call, half->base.call));
	half->base.call = piece->call;
}

static void write_line(struct half_spans *half, const struct piece *piece)
{
	bool other_file = piece->file != half->base.file;

	bytes_write_varint(&half->entry, zigzag(piece->line, half->base.line) << 1 | other_file);
	if (other_file)
		bytes_write_varint(&half->entry, zigzag(piece->file, half->base.file));
	half->base.line = piece->line;
	half->base.file = piece->file;
}

/* Codes PIECE behind the last one, in half->entry. */
static void code_piece(struct half_spans *half, const struct piece *piece)
{
	const struct piece *last = &half->last;
	bool gap = is_gap(piece);
	bool other_call = piece->function != last->function || piece->call != last->call || gap;
	bool other_line = !gap && (piece->file != last->file || piece->line != last->line);
	uint64_t length = piece->end - piece->start;

	if (length > PIECE_BYTES_MAX)
		length = PIECE_BYTES_MAX;
	bytes_writer_reset(&half->entry);
	bytes_write_varint(&half->entry, length << 2 | (uint64_t)other_call << 1 | other_line);
	if (other_call)
		write_call(half, piece);
	if (other_line)
		write_line(half, piece);
	half->last = *piece;
	half->last.end = piece->start + length;
}

/* False: there is no room for it in this block, which is as it was. */
static bool append(struct half_spans *half, const struct piece *piece)
{
	struct piece last = half->last, base = half->base;

	code_piece(half, piece);
	/* The caller looks at the writer: there is nothing to copy. */
	if (bytes_writer_fault(&half->entry) < 0)
		return true;
	if (half->used + half->entry.byte_count > sizeof(half->block)) {
		half->last = last;
		half->base = base;
		return false;
	}
	memcpy(half->block + half->used, half->entry.bytes, half->entry.byte_count);
	half->used += (uint32_t)half->entry.byte_count;
	half->block[0]++;
	return true;
}

static int add_piece(struct half_spans *half, const struct piece *piece)
{
	struct piece gap = {.start = half->last.end, .end = piece->start};
	bool near = gap.end - gap.start <= UINT32_MAX;
	int r;

	if (half->used > 0 && near && (gap.start == gap.end || append(half, &gap)) &&
		append(half, piece))
		return bytes_writer_fault(&half->entry);
	r = begin_block(half, piece->start);
	if (r == 0)
		must(append(half, piece));
	return r < 0 ? r : bytes_writer_fault(&half->entry);
}

int index_spans_write(const struct function_list *functions, const struct index_code *code,
	struct index_chunks *chunks)
{
	struct pieces pieces = {.functions = functions, .code = code};
	struct half_spans half = {.chunks = chunks};
	struct piece piece;
	int r = 0;

	bytes_writer_init(&half.starts, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&half.blocks, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&half.whole, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&half.entry, SYMBOL_SPAN_BLOCK_BYTES);
	while (r == 0 && next_piece(&pieces, &piece))
		r = add_piece(&half, &piece);
	if (r == 0)
		r = finish_block(&half);
	if (r == 0)
		r = finish_chunk(&half);
	bytes_writer_done(&half.starts);
	bytes_writer_done(&half.blocks);
	bytes_writer_done(&half.whole);
	bytes_writer_done(&half.entry);
	return r;
}
