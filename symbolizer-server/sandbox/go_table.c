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
#include "symbolizer-server/sandbox/go_table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/sandbox/symbol_index.h"

/* The table of a program of a gigabyte. */
#define TABLE_BYTES_MAX ((size_t)512 << 20)
/* Before the first word. */
#define FIXED_BYTES 8
#define FUNCTION_COUNT_MAX (16u << 20)

bool go_table_number(
	const struct go_table *table, uint64_t offset, unsigned byte_count, uint64_t *ret_value)
{
	if (offset > table->byte_count || table->byte_count - offset < byte_count)
		return false;
	*ret_value = byte_count == 8 ? image_u64(table->image, table->bytes + offset)
				     : image_u32(table->image, table->bytes + offset);
	return true;
}

/* The INDEX-th word behind the fixed part. */
static bool read_word(const struct go_table *table, unsigned index, uint64_t *ret_value)
{
	return go_table_number(table, FIXED_BYTES + (uint64_t)index * table->word_bytes,
		table->word_bytes, ret_value);
}

static int read_layout(struct go_table *table)
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
		table->layout = GO_LAYOUT_1_2;
	else if (magic == (uint32_t)MAGIC_1_16)
		table->layout = GO_LAYOUT_1_16;
	else if (magic == (uint32_t)MAGIC_1_18)
		table->layout = GO_LAYOUT_1_18;
	else if (magic == (uint32_t)MAGIC_1_20)
		table->layout = GO_LAYOUT_1_20;
	else
		return -ENOTSUP;
	table->step_bytes = table->bytes[6];
	table->field_bytes = table->layout >= GO_LAYOUT_1_18 ? 4 : table->word_bytes;
	return 0;
}

/* A program that may lie anywhere leaves the start of its code to the loader: it is .text then. */
static uint64_t text_address(const struct image *image, const struct section_names *names)
{
	uint32_t index = section_find(image, names, ".text");

	return index > 0 ? image->sections[index].address : 0;
}

static int read_parts(struct go_table *table, const struct section_names *names)
{
	unsigned first = table->layout >= GO_LAYOUT_1_18 ? 3 : 2;
	bool whole = read_word(table, 0, &table->function_count);

	if (table->layout == GO_LAYOUT_1_2) {
		table->functions = FIXED_BYTES + table->word_bytes;
	} else {
		whole = whole && read_word(table, first, &table->names) &&
			read_word(table, first + 1, &table->units) &&
			read_word(table, first + 2, &table->files) &&
			read_word(table, first + 3, &table->steps) &&
			read_word(table, first + 4, &table->functions);
		table->records = table->functions;
	}
	if (table->layout >= GO_LAYOUT_1_18) {
		whole = whole && read_word(table, 2, &table->code_start);
		if (table->code_start == 0)
			table->code_start = text_address(table->image, names);
	}
	return whole && table->function_count <= FUNCTION_COUNT_MAX ? 0 : -EBADMSG;
}

bool go_table_entry(
	const struct go_table *table, uint64_t index, uint64_t *ret_pc, uint64_t *ret_record)
{
	uint64_t at = table->functions + index * 2 * table->field_bytes;

	if (!go_table_number(table, at, table->field_bytes, ret_pc))
		return false;
	*ret_pc += table->code_start;
	if (index == table->function_count) {
		*ret_record = 0;
		return true;
	}
	return go_table_number(table, at + table->field_bytes, table->field_bytes, ret_record);
}

const char *go_table_text(
	const struct go_table *table, uint64_t part, uint64_t offset, size_t *ret_length)
{
	const char *text;
	size_t room;

	if (part > table->byte_count || offset >= table->byte_count - part)
		return NULL;
	text = (const char *)table->bytes + part + offset;
	room = table->byte_count - (size_t)(part + offset);
	*ret_length = strnlen(text, room < SYMBOL_NAME_BYTES_MAX ? room : SYMBOL_NAME_BYTES_MAX);
	/* One that runs out of the table is none; one that is too long is cut. */
	if (*ret_length == room || *ret_length == 0)
		return NULL;
	if (*ret_length == SYMBOL_NAME_BYTES_MAX)
		(*ret_length)--;
	return text;
}

const char *go_table_name(const struct go_table *table, uint64_t record, size_t *ret_length)
{
	uint64_t offset, at = table->records + record + table->field_bytes;

	if (record > table->byte_count || !go_table_number(table, at, 4, &offset))
		return NULL;
	return go_table_text(table, table->names, offset, ret_length);
}

static uint32_t find_table(const struct image *image, const struct section_names *names)
{
	uint32_t index = section_find(image, names, ".gopclntab");

	return index > 0 ? index : section_find(image, names, ".data.rel.ro.gopclntab");
}

int go_table_open(
	const struct image *image, const struct section_names *names, struct go_table *ret_table)
{
	struct go_table table = {.image = image};
	uint32_t index = find_table(image, names);
	int r = section_read(image, names, index, TABLE_BYTES_MAX, &table.bytes, &table.byte_count);

	if (r < 0)
		return r;
	table.address = image->sections[index].address;
	r = read_layout(&table);
	if (r == 0)
		r = read_parts(&table, names);
	if (r < 0) {
		go_table_done(&table);
		return r;
	}
	*ret_table = table;
	return 0;
}

void go_table_done(struct go_table *table)
{
	free(table->bytes);
	*table = (struct go_table){0};
}
