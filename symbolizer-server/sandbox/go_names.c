/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All layouts begin alike: u32 magic, u8 0, u8 0, u8 size of an instruction, u8 bytes of a word.
 *
 *   1.2    word functions, {word pc, word record} for each, word end
 *          a record (from the start of the table): word pc, i32 name (from the start of the table)
 *   1.16   words: functions, files, offsets of names, units, file names, pc tables, functions
 *          there: {word pc, word record} for each, word end; a record (from there): word pc, i32 name
 *   1.18   words: functions, files, start of the code, then the offsets as above
 *          there: {u32 pc, u32 record} for each, u32 end, from the start of the code on; a record:
 *          u32 pc, i32 name. 1.20 differs in its magic only.
 */
#include "symbolizer-server/sandbox/go_names.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* The table of a program of a gigabyte. */
#define TABLE_BYTES_MAX ((size_t)512 << 20)
/* Before the first word. */
#define FIXED_BYTES 8
#define FUNCTION_COUNT_MAX (16u << 20)

enum layout { LAYOUT_1_2, LAYOUT_1_16, LAYOUT_1_18 };

struct table {
	const struct image *image;
	const uint8_t *bytes;
	size_t byte_count;
	enum layout layout;
	unsigned word_bytes;
	unsigned field_bytes; /* of a pc and of the place of a record */
	uint64_t code_start; /* what pcs count from */
	uint64_t function_count;
	uint64_t names; /* offsets of its parts */
	uint64_t functions;
	uint64_t records;
};

/* A number of BYTE_COUNT bytes at OFFSET. False: it lies outside. */
static bool read_number(
	const struct table *table, uint64_t offset, unsigned byte_count, uint64_t *ret_value)
{
	if (offset > table->byte_count || table->byte_count - offset < byte_count)
		return false;
	*ret_value = byte_count == 8 ? image_u64(table->image, table->bytes + offset)
				     : image_u32(table->image, table->bytes + offset);
	return true;
}

/* The INDEX-th word behind the fixed part. */
static bool read_word(const struct table *table, unsigned index, uint64_t *ret_value)
{
	return read_number(table, FIXED_BYTES + (uint64_t)index * table->word_bytes,
		table->word_bytes, ret_value);
}

static int read_layout(struct table *table)
{
	enum { MAGIC_1_2 = 0xfffffffb, MAGIC_1_16 = 0xfffffffa, MAGIC_1_18 = 0xfffffff0 };
	enum { MAGIC_1_20 = 0xfffffff1 };
	uint32_t magic;

	if (table->byte_count < FIXED_BYTES)
		return -EBADMSG;
	magic = image_u32(table->image, table->bytes);
	table->word_bytes = table->bytes[7];
	if (table->bytes[4] || table->bytes[5] ||
		(table->word_bytes != 4 && table->word_bytes != 8))
		return -EBADMSG;
	if (magic == (uint32_t)MAGIC_1_2)
		table->layout = LAYOUT_1_2;
	else if (magic == (uint32_t)MAGIC_1_16)
		table->layout = LAYOUT_1_16;
	else if (magic == (uint32_t)MAGIC_1_18 || magic == (uint32_t)MAGIC_1_20)
		table->layout = LAYOUT_1_18;
	else
		return -ENOTSUP;
	table->field_bytes = table->layout == LAYOUT_1_18 ? 4 : table->word_bytes;
	return 0;
}

/* A program that may lie anywhere leaves the start of its code to the loader: it is .text then. */
static uint64_t text_address(const struct image *image, const struct section_names *names)
{
	uint32_t index = section_find(image, names, ".text");

	return index > 0 ? image->sections[index].address : 0;
}

static int read_parts(struct table *table, const struct section_names *names)
{
	unsigned first = table->layout == LAYOUT_1_18 ? 3 : 2;
	bool whole = read_word(table, 0, &table->function_count);

	if (table->layout == LAYOUT_1_2) {
		table->functions = FIXED_BYTES + table->word_bytes;
	} else {
		whole = whole && read_word(table, first, &table->names) &&
			read_word(table, first + 4, &table->functions);
		table->records = table->functions;
	}
	if (table->layout == LAYOUT_1_18) {
		whole = whole && read_word(table, 2, &table->code_start);
		if (table->code_start == 0)
			table->code_start = text_address(table->image, names);
	}
	return whole && table->function_count <= FUNCTION_COUNT_MAX ? 0 : -EBADMSG;
}

/* Where function INDEX begins (or, behind the last, where the code ends) and its record. */
static bool read_entry(
	const struct table *table, uint64_t index, uint64_t *ret_pc, uint64_t *ret_record)
{
	uint64_t at = table->functions + index * 2 * table->field_bytes;

	if (!read_number(table, at, table->field_bytes, ret_pc))
		return false;
	*ret_pc += table->code_start;
	if (index == table->function_count) {
		*ret_record = 0;
		return true;
	}
	return read_number(table, at + table->field_bytes, table->field_bytes, ret_record);
}

static const char *read_name(const struct table *table, uint64_t record, size_t *ret_length)
{
	uint64_t offset, at = table->records + record + table->field_bytes;
	const char *text;
	size_t room;

	if (record > table->byte_count || !read_number(table, at, 4, &offset) ||
		table->names > table->byte_count || offset >= table->byte_count - table->names)
		return NULL;
	text = (const char *)table->bytes + table->names + offset;
	room = table->byte_count - (size_t)(table->names + offset);
	*ret_length = strnlen(text, room < SYMBOL_NAME_BYTES_MAX ? room : SYMBOL_NAME_BYTES_MAX);
	/* One that runs out of the table is none; one that is too long is cut. */
	if (*ret_length == room || *ret_length == 0)
		return NULL;
	if (*ret_length == SYMBOL_NAME_BYTES_MAX)
		(*ret_length)--;
	return text;
}

static int add_functions(const struct table *table, const struct code_ranges *code,
	struct string_table *strings, struct function_list *list)
{
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < table->function_count; i++) {
		uint64_t start, end, record, unused;
		const struct code_span *span;
		const char *name;
		size_t length;
		uint32_t index;

		if (!read_entry(table, i, &start, &record) ||
			!read_entry(table, i + 1, &end, &unused))
			return -EBADMSG;
		span = code_ranges_find(code, start);
		name = span ? read_name(table, record, &length) : NULL;
		if (!name)
			continue;
		r = string_table_add(strings, name, length, &index);
		if (r == 0)
			r = function_list_add(
				list, start, end < span->end ? end : span->end, index, 0);
	}
	return r == 0 ? function_list_resolve(list) : r;
}

static uint32_t find_table(const struct image *image, const struct section_names *names)
{
	uint32_t index = section_find(image, names, ".gopclntab");

	return index > 0 ? index : section_find(image, names, ".data.rel.ro.gopclntab");
}

int go_names_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings,
	struct function_list *ret_list)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct function_list list = {0};
	struct table table = {.image = image};
	int r = section_read(
		image, names, find_table(image, names), TABLE_BYTES_MAX, &bytes, &table.byte_count);

	if (r < 0)
		return r;
	table.bytes = bytes;
	r = read_layout(&table);
	if (r == 0)
		r = read_parts(&table, names);
	if (r == 0)
		r = add_functions(&table, code, strings, &list);
	if (r < 0) {
		function_list_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}
