/* SPDX-License-Identifier: Apache-2.0 */
/*  .debug_cu_index:  version, columns, rows, slots
 *                    slots x id | slots x row | columns x section | rows x columns x offset
 *                    | rows x columns x length
 *
 * Slots are a hash table of ids with open addressing; rows count from 1.
 */
#include "symbolizer-server/sandbox/dwarf_split.h"

#include <errno.h>
#include <stdlib.h>

#include "symbolizer-server/sandbox/dwarf_abbrev.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"

#define HEADER_BYTES 16
#define ID_BYTES 8
#define CELL_BYTES 4
/* The standard knows eight. */
#define COLUMN_COUNT_MAX 16

static int read_index(struct dwarf_split *split)
{
	const struct dwarf_span *index = &split->file.sections[DWARF_CU_INDEX];
	struct dwarf_cursor cursor = dwarf_cursor_at(index, 0, split->file.swapped);
	uint64_t cells;

	split->version = dwarf_cursor_u32(&cursor);
	if (split->version != 2) {
		/* Since version 5 it has two bytes, and two that mean nothing. */
		cursor = dwarf_cursor_at(index, 0, split->file.swapped);
		split->version = dwarf_cursor_u16(&cursor);
		dwarf_cursor_u16(&cursor);
	}
	split->column_count = dwarf_cursor_u32(&cursor);
	split->row_count = dwarf_cursor_u32(&cursor);
	split->slot_count = dwarf_cursor_u32(&cursor);
	if (cursor.bad || (split->version != 2 && split->version != 5) ||
		split->column_count > COLUMN_COUNT_MAX ||
		(split->slot_count & (split->slot_count - 1)) != 0)
		return -EBADMSG;
	cells = (uint64_t)split->row_count * split->column_count;
	split->slots = HEADER_BYTES;
	split->rows = split->slots + (uint64_t)split->slot_count * ID_BYTES;
	split->columns = split->rows + (uint64_t)split->slot_count * CELL_BYTES;
	split->offsets = split->columns + (uint64_t)split->column_count * CELL_BYTES;
	split->lengths = split->offsets + cells * CELL_BYTES;
	return split->lengths + cells * CELL_BYTES <= index->byte_count ? 0 : -EBADMSG;
}

/* Before version 5 the id is an attribute of the root. */
static uint64_t id_of(
	struct dwarf_file *file, struct abbrev_table *table, const struct dwarf_unit_head *head)
{
	struct dwarf_unit unit;

	if (head->version >= 5)
		return head->id;
	if (abbrev_table_read(table, &file->sections[DWARF_ABBREV], head, file->swapped) < 0 ||
		dwarf_unit_open(file, head, table, &unit) < 0)
		return 0;
	return unit.dwo_id;
}

static int read_ids(struct dwarf_split *split)
{
	struct dwarf_file *file = &split->file;
	struct abbrev_table table = {0};

	split->ids = calloc(file->unit_count ? file->unit_count : 1, sizeof(*split->ids));
	if (!split->ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < file->unit_count; i++)
		split->ids[i] = id_of(file, &table, &file->units[i]);
	abbrev_table_done(&table);
	return 0;
}

int dwarf_split_open(const struct image *image, const struct section_names *names,
	struct dwarf_scratch *scratch, struct dwarf_split *ret_split)
{
	struct dwarf_split split = {0};
	int r = dwarf_file_open(image, names, DWARF_SPLIT, scratch, &split.file);

	if (r < 0)
		return r;
	split.is_package = split.file.sections[DWARF_CU_INDEX].bytes != NULL;
	r = split.is_package ? read_index(&split) : read_ids(&split);
	if (r < 0) {
		dwarf_split_done(&split);
		return r;
	}
	*ret_split = split;
	return 0;
}

void dwarf_split_done(struct dwarf_split *split)
{
	dwarf_file_done(&split->file);
	free(split->ids);
	*split = (struct dwarf_split){0};
}

static uint32_t cell(const struct dwarf_split *split, uint64_t table, uint64_t number)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(&split->file.sections[DWARF_CU_INDEX],
		table + number * CELL_BYTES, split->file.swapped);

	return dwarf_cursor_u32(&cursor);
}

/* The row of ID, counted from 0; UINT32_MAX: it has none. */
static uint32_t find_row(const struct dwarf_split *split, uint64_t id)
{
	uint32_t mask = split->slot_count - 1;
	uint32_t at = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < split->slot_count; i++, at = (at + step) & mask) {
		struct dwarf_cursor cursor = dwarf_cursor_at(&split->file.sections[DWARF_CU_INDEX],
			split->slots + (uint64_t)at * ID_BYTES, split->file.swapped);
		uint64_t found = dwarf_cursor_u64(&cursor);
		uint32_t row = cell(split, split->rows, at);

		if (row == 0)
			return UINT32_MAX;
		if (found == id)
			return row <= split->row_count ? row - 1 : UINT32_MAX;
	}
	return UINT32_MAX;
}

static struct dwarf_span part_of(const struct dwarf_split *split, enum dwarf_section which,
	uint64_t offset, uint64_t byte_count)
{
	const struct dwarf_span *section = &split->file.sections[which];

	if (offset > section->byte_count || byte_count > section->byte_count - offset)
		return (struct dwarf_span){0};
	return (struct dwarf_span){section->bytes + offset, byte_count};
}

static const struct dwarf_unit_head *find_in_package(
	const struct dwarf_split *split, uint64_t id, struct dwarf_parts *ret_parts)
{
	uint32_t row = find_row(split, id);
	const struct dwarf_unit_head *head = NULL;

	*ret_parts = (struct dwarf_parts){0};
	for (uint32_t i = 0; row != UINT32_MAX && i < split->column_count; i++) {
		uint64_t number = (uint64_t)row * split->column_count + i;
		uint64_t offset = cell(split, split->offsets, number);
		uint64_t byte_count = cell(split, split->lengths, number);

		switch (cell(split, split->columns, i)) {
		case DW_SECT_INFO:
			head = dwarf_file_unit_at(&split->file, offset);
			break;
		case DW_SECT_ABBREV:
			ret_parts->abbrev = part_of(split, DWARF_ABBREV, offset, byte_count);
			break;
		case DW_SECT_STR_OFFSETS:
			ret_parts->str_offsets =
				part_of(split, DWARF_STR_OFFSETS, offset, byte_count);
			break;
		case DW_SECT_RNGLISTS:
			if (split->version >= 5)
				ret_parts->rnglists =
					part_of(split, DWARF_RNGLISTS, offset, byte_count);
			break;
		default:
			break;
		}
	}
	return ret_parts->abbrev.bytes ? head : NULL;
}

const struct dwarf_unit_head *dwarf_split_find(
	const struct dwarf_split *split, uint64_t id, struct dwarf_parts *ret_parts)
{
	if (split->is_package)
		return find_in_package(split, id, ret_parts);
	for (uint32_t i = 0; i < split->file.unit_count; i++) {
		if (split->ids[i] != id)
			continue;
		*ret_parts = (struct dwarf_parts){
			split->file.sections[DWARF_ABBREV],
			split->file.sections[DWARF_STR_OFFSETS],
			split->file.sections[DWARF_RNGLISTS],
		};
		return &split->file.units[i];
	}
	return NULL;
}
