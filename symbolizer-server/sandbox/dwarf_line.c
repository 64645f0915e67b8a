/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a line program; dwarf_line_program.c runs it. */
#include "symbolizer-server/sandbox/dwarf_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"

/* A unit of a large program names some thousands. */
#define FILE_COUNT_MAX (1u << 20)
/* What a path may have on Linux; longer ones are cut. */
#define PATH_BYTES_MAX 4096
/* Version 5 says how entries are written; it knows five kinds of contents. */
#define FORMAT_COUNT_MAX 32

struct entry_format {
	uint16_t content;
	uint16_t form;
};

static int add_directory(struct dwarf_lines *lines, const char *text)
{
	int r = grow_array(&lines->directories, &lines->directory_capacity, lines->directory_count,
		FILE_COUNT_MAX);

	if (r == 0)
		lines->directories[lines->directory_count++] = text;
	return r;
}

int dwarf_lines_add_file(struct dwarf_lines *lines, const char *name, uint64_t directory)
{
	int r = grow_array(&lines->files, &lines->file_capacity, lines->file_count, FILE_COUNT_MAX);

	if (r == 0)
		lines->files[lines->file_count++] =
			(struct dwarf_line_file){name, directory, UINT32_MAX};
	return r;
}

/* Versions 2 to 4: texts, each list ended by an empty one. Directory 0 is that of the unit. */
static int read_old_lists(struct dwarf_lines *lines, struct dwarf_cursor *cursor)
{
	int r = add_directory(lines, NULL);

	while (r == 0) {
		const char *text = dwarf_cursor_text(cursor);

		if (!text)
			return -EBADMSG;
		if (!*text)
			break;
		r = add_directory(lines, text);
	}
	while (r == 0) {
		const char *name = dwarf_cursor_text(cursor);
		uint64_t directory;

		if (!name)
			return -EBADMSG;
		if (!*name)
			break;
		directory = dwarf_cursor_uleb(cursor);
		dwarf_cursor_uleb(cursor); /* time of last change */
		dwarf_cursor_uleb(cursor); /* length */
		r = dwarf_lines_add_file(lines, name, directory);
	}
	return r;
}

static int read_formats(
	struct dwarf_cursor *cursor, struct entry_format *formats, uint32_t *ret_count)
{
	uint32_t count = dwarf_cursor_u8(cursor);

	if (count > FORMAT_COUNT_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t content = dwarf_cursor_uleb(cursor), form = dwarf_cursor_uleb(cursor);

		if (form > UINT16_MAX)
			return -EBADMSG;
		formats[i] = (struct entry_format){
			content <= UINT16_MAX ? (uint16_t)content : 0, (uint16_t)form};
	}
	*ret_count = count;
	return cursor->bad ? -EBADMSG : 0;
}

/* One list of version 5: its format, its length, its entries. */
static int read_new_list(struct dwarf_lines *lines, struct dwarf_cursor *cursor, bool of_files)
{
	/* A line program has a format of its own, whatever its unit has. */
	const struct dwarf_unit_head head = {.version = lines->version,
		.address_bytes = lines->address_bytes,
		.offset_bytes = lines->offset_bytes};
	struct entry_format formats[FORMAT_COUNT_MAX];
	uint32_t format_count = 0;
	uint64_t count;
	int r = read_formats(cursor, formats, &format_count);

	count = r == 0 ? dwarf_cursor_uleb(cursor) : 0;
	/* Entries without contents would cost nothing to claim. */
	if (count > 0 && format_count == 0)
		return -EBADMSG;
	for (uint64_t i = 0; r == 0 && i < count; i++) {
		const char *text = NULL;
		uint64_t directory = 0;

		for (uint32_t f = 0; f < format_count; f++) {
			struct dwarf_value value =
				dwarf_form_read(cursor, formats[f].form, 0, &head);

			if (formats[f].content == DW_LNCT_path)
				text = dwarf_unit_text(lines->unit, &value);
			else if (formats[f].content == DW_LNCT_directory_index)
				directory = value.number;
		}
		if (cursor->bad)
			return -EBADMSG;
		r = of_files ? dwarf_lines_add_file(lines, text, directory)
			     : add_directory(lines, text);
	}
	return r;
}

static int read_lists(struct dwarf_lines *lines, struct dwarf_cursor *cursor)
{
	int r;

	lines->directory_count = lines->file_count = 0;
	lines->first_file = lines->version >= 5 ? 0 : 1;
	if (lines->version < 5)
		return read_old_lists(lines, cursor);
	r = read_new_list(lines, cursor, false);
	return r == 0 ? read_new_list(lines, cursor, true) : r;
}

static int read_settings(struct dwarf_lines *lines, struct dwarf_cursor *cursor)
{
	lines->instruction_bytes = dwarf_cursor_u8(cursor);
	lines->operations_max = lines->version >= 4 ? dwarf_cursor_u8(cursor) : 1;
	dwarf_cursor_u8(cursor); /* whether rows begin statements by default */
	lines->line_base = (int8_t)dwarf_cursor_u8(cursor);
	lines->line_range = dwarf_cursor_u8(cursor);
	lines->opcode_base = dwarf_cursor_u8(cursor);
	if (lines->operations_max == 0)
		lines->operations_max = 1;
	memset(lines->operand_counts, 0, sizeof(lines->operand_counts));
	for (unsigned i = 1; i < lines->opcode_base; i++)
		lines->operand_counts[i] = dwarf_cursor_u8(cursor);
	/* Special opcodes divide by it. */
	return cursor->bad || lines->line_range == 0 || lines->opcode_base == 0 ? -EBADMSG : 0;
}

int dwarf_lines_open(
	struct dwarf_lines *lines, const struct dwarf_unit *unit, struct string_table *strings)
{
	const struct dwarf_unit *holder = unit->skeleton ? unit->skeleton : unit;
	struct dwarf_cursor cursor = dwarf_cursor_at(
		&holder->file->sections[DWARF_LINE], unit->lines_offset, holder->file->swapped);
	uint64_t length = dwarf_cursor_u32(&cursor), header_bytes;
	int r;

	lines->unit = holder;
	lines->strings = strings;
	lines->offset_bytes = 4;
	lines->address_bytes = unit->head.address_bytes;
	if (length == UINT32_MAX) {
		length = dwarf_cursor_u64(&cursor);
		lines->offset_bytes = 8;
	}
	cursor = dwarf_cursor_part(&cursor, length);
	lines->version = dwarf_cursor_u16(&cursor);
	if (cursor.bad || lines->version < 2 || lines->version > 5)
		return -EBADMSG;
	if (lines->version >= 5) {
		lines->address_bytes = dwarf_cursor_u8(&cursor);
		dwarf_cursor_u8(&cursor); /* bytes of a segment selector */
	}
	header_bytes = dwarf_cursor_number(&cursor, lines->offset_bytes);
	lines->program = cursor;
	dwarf_cursor_skip(&lines->program, header_bytes);
	if (lines->program.bad)
		return -EBADMSG;
	cursor.end = lines->program.at;
	r = read_settings(lines, &cursor);
	return r == 0 ? read_lists(lines, &cursor) : r;
}

void dwarf_lines_done(struct dwarf_lines *lines)
{
	free(lines->directories);
	free(lines->files);
	*lines = (struct dwarf_lines){0};
}

/* Puts TEXT behind what PATH holds; an absolute one replaces it. */
static void join(char path[PATH_BYTES_MAX], size_t *length, const char *text)
{
	size_t text_bytes;

	if (!text || !*text)
		return;
	if (*text == '/')
		*length = 0;
	else if (*length > 0 && path[*length - 1] != '/' && *length < PATH_BYTES_MAX)
		path[(*length)++] = '/';
	text_bytes = strnlen(text, PATH_BYTES_MAX - *length);
	memcpy(path + *length, text, text_bytes);
	*length += text_bytes;
}

int dwarf_lines_path(struct dwarf_lines *lines, uint64_t number, uint32_t *ret_path)
{
	struct dwarf_line_file *file;
	char path[PATH_BYTES_MAX];
	size_t length = 0;
	int r;

	if (number < lines->first_file || number - lines->first_file >= lines->file_count) {
		*ret_path = CODE_FILE_NONE;
		return 0;
	}
	file = &lines->files[number - lines->first_file];
	if (file->path == UINT32_MAX) {
		join(path, &length, lines->unit->directory);
		if (file->directory < lines->directory_count)
			join(path, &length, lines->directories[file->directory]);
		join(path, &length, file->name);
		r = string_table_add(lines->strings, path, length, &file->path);
		if (r < 0)
			return r;
	}
	*ret_path = file->path;
	return 0;
}
