/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"

#define CALL_FIELDS 4
#define CALL_TAIL_BYTES 8
/* ---- Numbers ---- */

static int number_call(struct index_code *code, uint32_t call)
{
	const struct code_call *from = &code->map->calls[call];
	uint32_t unused;
	int r = index_texts_number(code->names, from->name, &unused);

	if (r == 0 && from->call_file != CODE_FILE_NONE)
		r = index_texts_number(code->files, from->call_file, &unused);
	code->used[code->used_count++] = call;
	code->numbers[call] = code->used_count;
	return r;
}

/* Outer calls first. What lies too deep takes the number of the deepest that is kept. */
static int number_chain(struct index_code *code, uint32_t call)
{
	uint32_t path[SYMBOL_CALL_DEPTH_MAX];
	uint32_t depth = 0, kept;
	int r = 0;

	for (uint32_t at = call; at != CODE_CALL_NONE; at = code->map->calls[at].parent)
		depth++;
	kept = call;
	for (; depth > SYMBOL_CALL_DEPTH_MAX; depth--)
		kept = code->map->calls[kept].parent;
	for (uint32_t i = depth, at = kept; i > 0; i--, at = code->map->calls[at].parent)
		path[i - 1] = at;
	for (uint32_t i = 0; r == 0 && i < depth; i++) {
		if (code->numbers[path[i]] == 0)
			r = number_call(code, path[i]);
	}
	if (r == 0)
		code->numbers[call] = code->numbers[kept];
	return r;
}

int index_code_init(struct index_code *code, const struct code_map *map, struct index_texts *names,
	struct index_texts *files)
{
	int r = 0;

	must(map->resolved);
	*code = (struct index_code){.map = map, .names = names, .files = files};
	code->numbers = calloc(map->call_count, sizeof(*code->numbers));
	code->used = calloc(map->call_count, sizeof(*code->used));
	if (!code->numbers || !code->used)
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < map->range_count; i++) {
		if (code->numbers[map->ranges[i].call] == 0)
			r = number_chain(code, map->ranges[i].call);
	}
	for (uint32_t i = 0; r == 0 && i < map->line_count; i++) {
		uint32_t unused;

		if (map->lines[i].file != CODE_FILE_NONE)
			r = index_texts_number(files, map->lines[i].file, &unused);
	}
	if (r < 0)
		index_code_done(code);
	return r;
}

void index_code_done(struct index_code *code)
{
	free(code->numbers);
	free(code->used);
	*code = (struct index_code){0};
}

uint32_t index_code_file(const struct index_code *code, uint32_t file)
{
	return file == CODE_FILE_NONE ? 0 : code->files->numbers[file] + 1;
}

/* ---- Calls ---- */

struct packed_calls {
	uint32_t bases[CALL_FIELDS];
	uint8_t widths[CALL_FIELDS];
	uint32_t bits_each;
	uint8_t *bits;
	uint64_t at;
};

static void fields_of(const struct index_code *code, uint32_t index, uint32_t fields[CALL_FIELDS])
{
	const struct code_call *call = &code->map->calls[code->used[index]];

	fields[0] = code->numbers[call->parent];
	fields[1] = code->names->numbers[call->name];
	fields[2] = index_code_file(code, call->call_file);
	fields[3] = call->call_line;
}

static void measure_calls(
	const struct index_code *code, uint32_t first, uint32_t count, struct packed_calls *packed)
{
	uint32_t highest[CALL_FIELDS] = {0};

	memset(packed->bases, 0xff, sizeof(packed->bases));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t fields[CALL_FIELDS];

		fields_of(code, first + i, fields);
		for (int field = 0; field < CALL_FIELDS; field++) {
			if (fields[field] < packed->bases[field])
				packed->bases[field] = fields[field];
			if (fields[field] > highest[field])
				highest[field] = fields[field];
		}
	}
	packed->bits_each = 0;
	for (int field = 0; field < CALL_FIELDS; field++) {
		uint32_t span = highest[field] - packed->bases[field];

		packed->widths[field] = span ? (uint8_t)(32 - __builtin_clz(span)) : 0;
		packed->bits_each += packed->widths[field];
	}
}

static void put_bits(struct packed_calls *packed, uint32_t value, unsigned width)
{
	for (unsigned done = 0; done < width;) {
		unsigned free_bits = 8 - (unsigned)(packed->at % 8);
		unsigned take = width - done < free_bits ? width - done : free_bits;
		uint32_t part = (value >> done) & ((1u << take) - 1);

		packed->bits[packed->at / 8] |= (uint8_t)(part << (packed->at % 8));
		packed->at += take;
		done += take;
	}
}

static int write_call_chunk(
	const struct index_code *code, uint32_t first, uint32_t count, struct index_chunks *chunks)
{
	struct packed_calls packed = {0};
	struct bytes_writer chunk;
	size_t bit_bytes;
	int r;

	measure_calls(code, first, count, &packed);
	bit_bytes = ((size_t)count * packed.bits_each + 7) / 8 + CALL_TAIL_BYTES;
	packed.bits = calloc(1, bit_bytes);
	if (!packed.bits)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t fields[CALL_FIELDS];

		fields_of(code, first + i, fields);
		for (int field = 0; field < CALL_FIELDS; field++)
			put_bits(
				&packed, fields[field] - packed.bases[field], packed.widths[field]);
	}
	bytes_writer_init(&chunk, SYMBOL_CHUNK_BYTES_MAX);
	bytes_write_u32(&chunk, count);
	for (int field = 0; field < CALL_FIELDS; field++)
		bytes_write_u32(&chunk, packed.bases[field]);
	bytes_write_span(&chunk, packed.widths, sizeof(packed.widths));
	bytes_write_span(&chunk, packed.bits, bit_bytes);
	free(packed.bits);
	r = bytes_writer_fault(&chunk);
	if (r == 0)
		r = index_chunks_add(
			chunks, SYMBOL_CHUNK_CALLS, first + 1, chunk.bytes, chunk.byte_count);
	bytes_writer_done(&chunk);
	return r;
}

int index_code_write(const struct index_code *code, struct index_chunks *chunks)
{
	int r = 0;

	for (uint32_t first = 0; r == 0 && first < code->used_count;
		first += SYMBOL_CHUNK_CALLS_AIM) {
		uint32_t left = code->used_count - first;

		r = write_call_chunk(code, first,
			left < SYMBOL_CHUNK_CALLS_AIM ? left : SYMBOL_CHUNK_CALLS_AIM, chunks);
	}
	return r;
}
