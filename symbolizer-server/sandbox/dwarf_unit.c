/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_unit.h"

#include <errno.h>

#include "symbolizer-server/sandbox/dwarf_constant.h"

/* Attributes of a root entry that say where others are found. */
struct root {
	struct dwarf_value name, directory, low_pc, lines;
};

static void take_base(struct dwarf_unit *unit, uint16_t attribute, const struct dwarf_value *value)
{
	switch (attribute) {
	case DW_AT_str_offsets_base:
		unit->str_offsets_base = value->number;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		unit->addr_base = value->number;
		break;
	case DW_AT_rnglists_base:
		unit->rnglists_base = value->number;
		break;
	case DW_AT_GNU_ranges_base:
		unit->ranges_base = value->number;
		break;
	case DW_AT_GNU_dwo_id:
		unit->dwo_id = value->number;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		unit->wants_split = !unit->is_split;
		break;
	default:
		break;
	}
}

static void take_root(struct root *root, uint16_t attribute, const struct dwarf_value *value)
{
	switch (attribute) {
	case DW_AT_name:
		root->name = *value;
		break;
	case DW_AT_comp_dir:
		root->directory = *value;
		break;
	case DW_AT_low_pc:
		root->low_pc = *value;
		break;
	case DW_AT_stmt_list:
		root->lines = *value;
		break;
	default:
		break;
	}
}

/* Without a base of its own a split unit's tables start behind the header of its part. */
static uint64_t implied_base(const struct dwarf_unit *unit, bool of_ranges)
{
	if (!unit->is_split || unit->head.version < 5)
		return 0;
	if (of_ranges)
		return unit->head.offset_bytes == 8 ? 20 : 12;
	return unit->head.offset_bytes == 8 ? 16 : 8;
}

static int read_root(struct dwarf_unit *unit, const struct abbrev_table *table)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(
		&unit->file->sections[DWARF_INFO], unit->head.first_entry, unit->file->swapped);
	const struct abbrev *abbrev = abbrev_find(table, dwarf_cursor_uleb(&cursor));
	struct root root = {0};

	if (!abbrev || cursor.bad)
		return -EBADMSG;
	unit->tag = abbrev->tag;
	for (uint32_t i = 0; i < abbrev->attribute_count; i++) {
		const struct abbrev_attribute *attribute =
			&table->attributes[abbrev->attribute_first + i];
		struct dwarf_value value =
			dwarf_form_read(&cursor, attribute->form, attribute->constant, &unit->head);

		take_base(unit, attribute->name, &value);
		take_root(&root, attribute->name, &value);
	}
	if (cursor.bad)
		return -EBADMSG;
	/* Only now, since the bases may stand behind what is read by them. */
	if (root.name.form)
		unit->name = dwarf_unit_text(unit, &root.name);
	if (root.directory.form)
		unit->directory = dwarf_unit_text(unit, &root.directory);
	if (root.low_pc.form)
		dwarf_unit_address(unit, &root.low_pc, &unit->low_pc);
	unit->has_lines = unit->has_lines || root.lines.form;
	if (root.lines.form)
		unit->lines_offset = root.lines.number;
	return 0;
}

int dwarf_unit_open(struct dwarf_file *file, const struct dwarf_unit_head *head,
	const struct abbrev_table *table, struct dwarf_unit *ret_unit)
{
	struct dwarf_unit unit = {
		.file = file,
		.head = *head,
		.parts = {file->sections[DWARF_ABBREV], file->sections[DWARF_STR_OFFSETS],
			file->sections[DWARF_RNGLISTS]},
		.addr = file->sections[DWARF_ADDR],
		.ranges = file->sections[DWARF_RANGES],
		.dwo_id = head->type == DW_UT_skeleton ? head->id : 0,
		.wants_split = head->type == DW_UT_skeleton,
	};
	int r = read_root(&unit, table);

	if (r == 0)
		*ret_unit = unit;
	return r;
}

int dwarf_unit_open_split(struct dwarf_file *file, const struct dwarf_unit_head *head,
	const struct dwarf_parts *parts, const struct dwarf_unit *skeleton,
	const struct abbrev_table *table, struct dwarf_unit *ret_unit)
{
	struct dwarf_unit unit = {
		.file = file,
		.head = *head,
		.parts = *parts,
		.is_split = true,
		.addr = skeleton->addr,
		.ranges = skeleton->ranges,
		.skeleton = skeleton,
		.addr_base = skeleton->addr_base,
		.ranges_base = skeleton->ranges_base,
		.low_pc = skeleton->low_pc,
		.has_lines = skeleton->has_lines,
		.lines_offset = skeleton->lines_offset,
		.directory = skeleton->directory,
	};
	int r;

	unit.str_offsets_base = implied_base(&unit, false);
	unit.rnglists_base = implied_base(&unit, true);
	r = read_root(&unit, table);
	/* Lines stand in the file of the skeleton. */
	unit.lines_offset = skeleton->lines_offset;
	unit.has_lines = skeleton->has_lines;
	if (r == 0)
		*ret_unit = unit;
	return r;
}

static const char *indexed_text(const struct dwarf_unit *unit, uint64_t index)
{
	const struct dwarf_span *offsets = &unit->parts.str_offsets;
	struct dwarf_cursor cursor =
		dwarf_cursor_at(offsets, unit->str_offsets_base, unit->file->swapped);
	uint64_t offset;

	if (cursor.bad || index >= dwarf_cursor_left(&cursor) / unit->head.offset_bytes)
		return NULL;
	dwarf_cursor_skip(&cursor, index * unit->head.offset_bytes);
	offset = dwarf_cursor_number(&cursor, unit->head.offset_bytes);
	return cursor.bad ? NULL : dwarf_span_text(&unit->file->sections[DWARF_STR], offset);
}

const char *dwarf_unit_text(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
	const struct dwarf_file *file = unit->file;

	switch (value->form) {
	case DW_FORM_string:
		return value->text;
	case DW_FORM_strp:
		return dwarf_span_text(&file->sections[DWARF_STR], value->number);
	case DW_FORM_line_strp:
		return dwarf_span_text(&file->sections[DWARF_LINE_STR], value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return file->supplementary
			? dwarf_span_text(&file->supplementary->sections[DWARF_STR], value->number)
			: NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_text(unit, value->number);
	default:
		return NULL;
	}
}

bool dwarf_unit_address_at(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret_address)
{
	struct dwarf_cursor cursor =
		dwarf_cursor_at(&unit->addr, unit->addr_base, unit->file->swapped);
	uint64_t address;

	if (cursor.bad || index >= dwarf_cursor_left(&cursor) / unit->head.address_bytes)
		return false;
	dwarf_cursor_skip(&cursor, index * unit->head.address_bytes);
	address = dwarf_cursor_number(&cursor, unit->head.address_bytes);
	if (cursor.bad)
		return false;
	*ret_address = address;
	return true;
}

bool dwarf_unit_address(
	const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_address)
{
	switch (value->form) {
	case DW_FORM_addr:
		*ret_address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dwarf_unit_address_at(unit, value->number, ret_address);
	default:
		return false;
	}
}

bool dwarf_unit_reference(const struct dwarf_unit *unit, const struct dwarf_value *value,
	struct dwarf_file **ret_file, uint64_t *ret_offset)
{
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (value->number >= unit->head.end - unit->head.offset)
			return false;
		*ret_file = unit->file;
		*ret_offset = unit->head.offset + value->number;
		return true;
	case DW_FORM_ref_addr:
		*ret_file = unit->file;
		*ret_offset = value->number;
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*ret_file = unit->file->supplementary;
		*ret_offset = value->number;
		return *ret_file != NULL;
	default:
		return false;
	}
}
