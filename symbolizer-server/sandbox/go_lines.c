/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   record of a function: .. file steps, line steps, number of other steps, unit .. | other steps
 *                         | places of data
 *
 *   steps   a list of {zig-zag varint: to the next value, varint: to the next pc}, values from -1
 *   pieces  the steps of file, line and inlined call of a function, side by side
 *   tree    of inlined calls, by number: {name, the pc whose line is where it was called}
 *
 * The call of a piece is a number of the tree; that of the pc where it was called is its parent.
 */
#include "symbolizer-server/sandbox/go_lines.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/go_table.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* Fields of a record, behind its pc. */
#define RECORD_FILE_STEPS 16
#define RECORD_LINE_STEPS 20
#define RECORD_STEPS_COUNT 24
#define RECORD_UNIT 28
/* Behind them in Go 1.18; a field more in 1.20. */
#define RECORD_COUNTS 32
#define RECORD_COUNTS_1_20 36
#define COUNTS_BYTES 4
/* Which of the other steps and data those of inlined calls are. */
#define STEPS_OF_CALLS 2
#define DATA_OF_CALLS 3
#define NO_DATA UINT32_MAX
/* Where the description of the module has the address that data count from, in words. */
#define MODULE_DATA_WORD 38
#define MODULE_DATA_WORD_1_20 40
/* A function of generated code; more of one is left out. */
#define PIECE_COUNT_MAX (4u << 20)
#define TREE_COUNT_MAX (1u << 20)
#define SECTION_BYTES_MAX ((size_t)512 << 20)

struct piece {
	uint64_t start;
	uint64_t end;
	uint32_t file; /* string */
	uint32_t line;
	int32_t call; /* of the tree; -1: none */
};

struct go_lines {
	struct go_table table;
	struct string_table *strings;
	struct code_map *map;
	const struct code_ranges *code;
	/* The section that holds the trees; NULL: they were not found. */
	uint8_t *trees;
	size_t tree_bytes;
	uint64_t trees_at; /* where data count from, in it */

	/* Of the function that is read. */
	uint64_t start, end;
	uint64_t record; /* its offset in the table, behind its pc */
	uint64_t tree; /* offset in TREES */
	bool has_tree;
	struct piece *pieces;
	uint32_t piece_count, piece_capacity;
	uint32_t *calls; /* number of the tree -> call of the map; CODE_CALL_NONE: not known yet */
	uint32_t call_count, call_capacity;
};

/* ---- Steps ---- */

struct steps {
	const struct go_table *table;
	uint64_t at;
	uint64_t pc; /* where the value ends */
	uint32_t value;
	bool first;
	bool over;
};

static bool read_varint(struct steps *steps, uint32_t *ret_value)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 35 && steps->at < steps->table->byte_count; shift += 7) {
		uint8_t byte = steps->table->bytes[steps->at++];

		value |= (uint32_t)((uint64_t)(byte & 0x7f) << shift);
		if (!(byte & 0x80)) {
			*ret_value = value;
			return true;
		}
	}
	return false;
}

/* Goes on to the next value; behind the last it is -1 for ever. */
static void step(struct steps *steps)
{
	uint32_t to_value, to_pc;

	if (!steps->over && read_varint(steps, &to_value) && (to_value != 0 || steps->first) &&
		read_varint(steps, &to_pc)) {
		steps->first = false;
		steps->value += to_value & 1 ? ~(to_value >> 1) : to_value >> 1;
		steps->pc += (uint64_t)to_pc * steps->table->step_bytes;
		return;
	}
	steps->over = true;
	steps->value = UINT32_MAX;
	steps->pc = UINT64_MAX;
}

/* The steps that the number at OFFSET of the record leads to; 0 leads to none. */
static struct steps open_steps(const struct go_lines *lines, uint64_t offset)
{
	struct steps steps = {
		.table = &lines->table, .pc = lines->start, .value = UINT32_MAX, .first = true};
	uint64_t place = 0;

	steps.over = !go_table_number(&lines->table, lines->record + offset, 4, &place) ||
		place == 0 || place >= lines->table.byte_count ||
		lines->table.steps >= lines->table.byte_count - place;
	steps.at = lines->table.steps + place;
	step(&steps);
	return steps;
}

/* ---- Pieces ---- */

/* The path of file NUMBER of the function's unit. */
static int read_path(struct go_lines *lines, uint32_t number, uint32_t *ret_file)
{
	const struct go_table *table = &lines->table;
	uint64_t unit, offset, place;
	const char *path = NULL;
	size_t length;

	*ret_file = CODE_FILE_NONE;
	if (number == UINT32_MAX)
		return 0;
	if (table->layout == GO_LAYOUT_1_2) {
		uint64_t list =
			table->functions + (table->function_count * 2 + 1) * table->word_bytes;

		if (go_table_number(table, list, 4, &place) &&
			go_table_number(table, place + (uint64_t)number * 4, 4, &offset))
			path = go_table_text(table, 0, offset, &length);
	} else if (go_table_number(table, lines->record + RECORD_UNIT, 4, &unit) &&
		go_table_number(table, table->units + (unit + number) * 4, 4, &offset)) {
		path = go_table_text(table, table->files, offset, &length);
	}
	return path ? string_table_add(lines->strings, path, length, ret_file) : 0;
}

static uint64_t lower(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static int add_piece(struct go_lines *lines, const struct piece *piece)
{
	int r = grow_array(
		&lines->pieces, &lines->piece_capacity, lines->piece_count, PIECE_COUNT_MAX);

	if (r == 0)
		lines->pieces[lines->piece_count++] = *piece;
	return r;
}

static struct steps open_calls(const struct go_lines *lines)
{
	const struct go_table *table = &lines->table;
	uint64_t counts = table->layout == GO_LAYOUT_1_20 ? RECORD_COUNTS_1_20 : RECORD_COUNTS;

	return lines->has_tree
		? open_steps(lines, counts + COUNTS_BYTES + (uint64_t)STEPS_OF_CALLS * 4)
		: (struct steps){
			  .table = table, .over = true, .value = UINT32_MAX, .pc = UINT64_MAX};
}

static int read_pieces(struct go_lines *lines)
{
	struct steps file = open_steps(lines, RECORD_FILE_STEPS);
	struct steps line = open_steps(lines, RECORD_LINE_STEPS);
	struct steps call = open_calls(lines);
	uint64_t at = lines->start;
	int r = 0;

	lines->piece_count = 0;
	while (r == 0 && at < lines->end) {
		struct piece piece = {.start = at, .call = (int32_t)call.value};

		piece.end = lower(lower(file.pc, line.pc), lower(call.pc, lines->end));
		if (piece.end > at) {
			r = read_path(lines, file.value, &piece.file);
			piece.line = line.value == UINT32_MAX || !piece.file ? 0 : line.value;
			if (r == 0)
				r = add_piece(lines, &piece);
			at = piece.end;
		}
		if (file.pc <= at)
			step(&file);
		if (line.pc <= at)
			step(&line);
		if (call.pc <= at)
			step(&call);
	}
	return r;
}

static const struct piece *piece_at(const struct go_lines *lines, uint64_t address)
{
	uint32_t low = 0, high = lines->piece_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lines->pieces[middle].end <= address) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < lines->piece_count && lines->pieces[low].start <= address ? &lines->pieces[low]
									       : NULL;
}

/* ---- Inlined calls ---- */

static bool read_tree_number(const struct go_lines *lines, uint64_t offset, uint32_t *ret_value)
{
	if (offset > lines->tree_bytes || lines->tree_bytes - offset < 4)
		return false;
	*ret_value = image_u32(lines->table.image, lines->trees + offset);
	return true;
}

/* Entry NUMBER of the tree: its name, and the piece where it was called. False: damaged. */
static bool read_node(const struct go_lines *lines, uint32_t number, uint32_t *ret_name,
	const struct piece **ret_caller)
{
	bool old = lines->table.layout == GO_LAYOUT_1_18;
	uint64_t at = lines->tree + (uint64_t)number * (old ? 20 : 16);
	uint32_t pc;

	if (!read_tree_number(lines, at + (old ? 12 : 4), ret_name) ||
		!read_tree_number(lines, at + (old ? 16 : 8), &pc))
		return false;
	*ret_caller = piece_at(lines, lines->start + pc);
	return *ret_caller != NULL;
}

static int make_room(struct go_lines *lines, uint32_t number)
{
	int r = 0;

	while (r == 0 && lines->call_count <= number) {
		r = grow_array(
			&lines->calls, &lines->call_capacity, lines->call_count, TREE_COUNT_MAX);
		if (r == 0)
			lines->calls[lines->call_count++] = CODE_CALL_NONE;
	}
	return r;
}

/* Makes the call of one entry whose parent is PARENT. */
static int make_call(struct go_lines *lines, uint32_t number, uint32_t parent, uint32_t *ret_call)
{
	struct code_call call = {.parent = parent};
	const struct piece *caller;
	uint32_t name_offset;
	const char *name;
	size_t length;
	int r;

	*ret_call = parent;
	if (!read_node(lines, number, &name_offset, &caller))
		return 0;
	name = go_table_text(&lines->table, lines->table.names, name_offset, &length);
	if (!name)
		return 0;
	r = string_table_add(lines->strings, name, length, &call.name);
	call.call_file = caller->file;
	call.call_line = caller->line;
	return r < 0 ? r : code_map_add_call(lines->map, &call, ret_call);
}

/* The call of the map for entry NUMBER, and those around it; CODE_CALL_NONE: it is damaged. */
static int find_call(struct go_lines *lines, uint32_t number, uint32_t *ret_call)
{
	uint32_t path[SYMBOL_CALL_DEPTH_MAX], depth = 0, call = CODE_CALL_NONE;
	int r = make_room(lines, number);

	if (r == 0 && lines->calls[number] != CODE_CALL_NONE) {
		*ret_call = lines->calls[number];
		return 0;
	}
	for (int64_t at = number; at >= 0 && depth < SYMBOL_CALL_DEPTH_MAX;) {
		const struct piece *caller;
		uint32_t unused;

		if (!read_node(lines, (uint32_t)at, &unused, &caller))
			break;
		path[depth++] = (uint32_t)at;
		at = caller->call;
	}
	while (r == 0 && depth > 0)
		r = make_call(lines, path[--depth], call, &call);
	if (r == 0)
		lines->calls[number] = call;
	*ret_call = call;
	return r;
}

static int add_calls(struct go_lines *lines)
{
	int r = 0;

	lines->call_count = 0;
	for (uint32_t i = 0; r == 0 && i < lines->piece_count; i++) {
		const struct piece *piece = &lines->pieces[i];
		uint32_t call = CODE_CALL_NONE;

		if (piece->call < 0 || (uint32_t)piece->call >= TREE_COUNT_MAX)
			continue;
		r = find_call(lines, (uint32_t)piece->call, &call);
		if (r == 0 && call != CODE_CALL_NONE)
			r = code_map_add_range(lines->map, piece->start, piece->end, call);
	}
	return r;
}

/* Where the function's tree lies, if it has one. */
static bool find_tree(const struct go_lines *lines, uint64_t *ret_tree)
{
	const struct go_table *table = &lines->table;
	uint64_t counts = lines->record +
		(table->layout == GO_LAYOUT_1_20 ? RECORD_COUNTS_1_20 : RECORD_COUNTS);
	uint64_t word, steps_count, place;

	if (!lines->trees || !go_table_number(table, counts, 4, &word) ||
		!go_table_number(table, lines->record + RECORD_STEPS_COUNT, 4, &steps_count) ||
		steps_count <= STEPS_OF_CALLS)
		return false;
	/* The last byte of the word in the order of the file. */
	if (table->bytes[counts + 3] <= DATA_OF_CALLS ||
		!go_table_number(table, counts + COUNTS_BYTES + (steps_count + DATA_OF_CALLS) * 4,
			4, &place) ||
		place == NO_DATA)
		return false;
	*ret_tree = lines->trees_at + place;
	return true;
}

/* ---- The description of the module ---- */

static bool read_word(const struct go_lines *lines, const uint8_t *bytes, size_t byte_count,
	uint64_t index, uint64_t *ret_value)
{
	unsigned word_bytes = lines->table.word_bytes;
	uint64_t at = index * word_bytes;

	if (at > byte_count || byte_count - at < word_bytes)
		return false;
	*ret_value = word_bytes == 8 ? image_u64(lines->table.image, bytes + at)
				     : image_u32(lines->table.image, bytes + at);
	return true;
}

/* It begins with the address of the table, and then that of its names. */
static bool find_module(const struct go_lines *lines, const uint8_t *bytes, size_t byte_count,
	uint64_t *ret_data_at)
{
	const struct go_table *table = &lines->table;
	uint64_t word = table->layout == GO_LAYOUT_1_20 ? MODULE_DATA_WORD_1_20 : MODULE_DATA_WORD;
	uint64_t first, second;

	for (uint64_t i = 0; read_word(lines, bytes, byte_count, i + 1, &second); i++) {
		if (second == table->address + table->names &&
			read_word(lines, bytes, byte_count, i, &first) && first == table->address)
			return read_word(lines, bytes, byte_count, i + word, ret_data_at);
	}
	return false;
}

/* The section that holds ADDRESS, whole. */
static int read_section_at(
	struct go_lines *lines, const struct section_names *names, uint64_t address)
{
	const struct image *image = lines->table.image;

	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->type != SHT_PROGBITS || address < section->address ||
			address - section->address >= section->byte_count || section->address == 0)
			continue;
		lines->trees_at = address - section->address;
		return section_read(
			image, names, i, SECTION_BYTES_MAX, &lines->trees, &lines->tree_bytes);
	}
	return -ENOENT;
}

static int find_trees(struct go_lines *lines, const struct section_names *names)
{
	static const char *const sections[] = {".go.module", ".noptrdata", ".data"};
	const struct image *image = lines->table.image;
	int r = -ENOENT;

	if (lines->table.layout < GO_LAYOUT_1_18)
		return 0;
	for (size_t i = 0; r == -ENOENT && i < sizeof(sections) / sizeof(sections[0]); i++) {
		uint8_t *bytes = NULL;
		uint64_t address;
		size_t byte_count;

		r = section_read(image, names, section_find(image, names, sections[i]),
			SECTION_BYTES_MAX, &bytes, &byte_count);
		if (r == 0) {
			r = find_module(lines, bytes, byte_count, &address)
				? read_section_at(lines, names, address)
				: -ENOENT;
		}
		free(bytes);
	}
	return r == -ENOMEM ? r : 0;
}

/* ---- All functions ---- */

static int read_function(struct go_lines *lines)
{
	int r;

	lines->has_tree = find_tree(lines, &lines->tree);
	r = read_pieces(lines);
	for (uint32_t i = 0; r == 0 && i < lines->piece_count; i++) {
		r = code_map_add_line(lines->map, lines->pieces[i].start, lines->pieces[i].file,
			lines->pieces[i].line);
	}
	if (r == 0)
		r = code_map_end_lines(lines->map, lines->end);
	return r == 0 && lines->has_tree ? add_calls(lines) : r;
}

static int read_functions(struct go_lines *lines)
{
	const struct go_table *table = &lines->table;
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < table->function_count; i++) {
		const struct code_span *span;
		uint64_t record, unused;

		if (!go_table_entry(table, i, &lines->start, &record) ||
			!go_table_entry(table, i + 1, &lines->end, &unused))
			return -EBADMSG;
		span = code_ranges_find(lines->code, lines->start);
		if (!span || record > table->byte_count)
			continue;
		lines->end = lower(lines->end, span->end);
		lines->record = table->records + record + table->field_bytes;
		r = read_function(lines);
	}
	return r;
}

int go_lines_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings, struct code_map *map)
{
	struct go_lines lines = {.strings = strings, .map = map, .code = code};
	int r = go_table_open(image, names, &lines.table);

	if (r < 0)
		return r;
	r = find_trees(&lines, names);
	if (r == 0)
		r = read_functions(&lines);
	free(lines.trees);
	free(lines.pieces);
	free(lines.calls);
	go_table_done(&lines.table);
	return r;
}
