/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_range.h"

#include "symbolizer-server/sandbox/dwarf_constant.h"

static bool is_address(uint16_t form)
{
	return form == DW_FORM_addr || form == DW_FORM_addrx ||
		(form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4) ||
		form == DW_FORM_GNU_addr_index;
}

static void begin_one(struct dwarf_range_walk *walk, const struct dwarf_extent *extent)
{
	if (!dwarf_unit_address(walk->unit, &extent->low_pc, &walk->start))
		return;
	if (is_address(extent->high_pc.form)) {
		if (!dwarf_unit_address(walk->unit, &extent->high_pc, &walk->end))
			return;
	} else {
		/* A number is the length; one that goes round the end gives a reversed range. */
		walk->end = walk->start + extent->high_pc.number;
	}
	walk->way = DWARF_RANGE_ONE;
}

/* The place of list INDEX: the table of offsets stands at the base, and counts from there. */
static bool indexed_list(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret_offset)
{
	struct dwarf_cursor cursor =
		dwarf_cursor_at(&unit->parts.rnglists, unit->rnglists_base, unit->file->swapped);

	if (cursor.bad || index >= dwarf_cursor_left(&cursor) / unit->head.offset_bytes)
		return false;
	dwarf_cursor_skip(&cursor, index * unit->head.offset_bytes);
	*ret_offset = unit->rnglists_base + dwarf_cursor_number(&cursor, unit->head.offset_bytes);
	return !cursor.bad;
}

static void begin_list(struct dwarf_range_walk *walk, const struct dwarf_value *ranges)
{
	const struct dwarf_unit *unit = walk->unit;
	uint64_t offset = ranges->number;

	walk->base = unit->low_pc;
	if (unit->head.version >= 5) {
		if (ranges->form == DW_FORM_rnglistx && !indexed_list(unit, offset, &offset))
			return;
		walk->cursor = dwarf_cursor_at(&unit->parts.rnglists, offset, unit->file->swapped);
		walk->way = DWARF_RANGE_NEW;
	} else {
		if (unit->is_split)
			offset += unit->ranges_base;
		walk->cursor = dwarf_cursor_at(&unit->ranges, offset, unit->file->swapped);
		walk->way = DWARF_RANGE_OLD;
	}
}

void dwarf_range_begin(const struct dwarf_unit *unit, const struct dwarf_extent *extent,
	struct dwarf_range_walk *ret_walk)
{
	*ret_walk = (struct dwarf_range_walk){.unit = unit, .left = DWARF_RANGES_MAX};
	if (extent->ranges.form)
		begin_list(ret_walk, &extent->ranges);
	else if (extent->low_pc.form && extent->high_pc.form)
		begin_one(ret_walk, extent);
}

static bool next_old(struct dwarf_range_walk *walk, uint64_t *ret_start, uint64_t *ret_end)
{
	unsigned byte_count = walk->unit->head.address_bytes;
	uint64_t highest = byte_count == 4 ? UINT32_MAX : UINT64_MAX;

	while (walk->left > 0) {
		uint64_t start = dwarf_cursor_number(&walk->cursor, byte_count);
		uint64_t end = dwarf_cursor_number(&walk->cursor, byte_count);

		walk->left--;
		if (walk->cursor.bad || (start == 0 && end == 0))
			return false;
		if (start == highest) {
			walk->base = end;
			continue;
		}
		*ret_start = walk->base + start;
		*ret_end = walk->base + end;
		return true;
	}
	return false;
}

/* Reads the operands of KIND. False: the list ends here. A base gives an empty range. */
static bool read_entry(struct dwarf_range_walk *walk, uint8_t kind, uint64_t *start, uint64_t *end)
{
	struct dwarf_cursor *cursor = &walk->cursor;
	unsigned byte_count = walk->unit->head.address_bytes;
	bool known = true;

	*start = *end = 0;
	switch (kind) {
	case DW_RLE_base_addressx:
		return dwarf_unit_address_at(walk->unit, dwarf_cursor_uleb(cursor), &walk->base);
	case DW_RLE_base_address:
		walk->base = dwarf_cursor_number(cursor, byte_count);
		return true;
	case DW_RLE_offset_pair:
		*start = walk->base + dwarf_cursor_uleb(cursor);
		*end = walk->base + dwarf_cursor_uleb(cursor);
		return true;
	case DW_RLE_startx_endx:
		known = dwarf_unit_address_at(walk->unit, dwarf_cursor_uleb(cursor), start);
		return dwarf_unit_address_at(walk->unit, dwarf_cursor_uleb(cursor), end) && known;
	case DW_RLE_startx_length:
		known = dwarf_unit_address_at(walk->unit, dwarf_cursor_uleb(cursor), start);
		*end = *start + dwarf_cursor_uleb(cursor);
		return known;
	case DW_RLE_start_end:
		*start = dwarf_cursor_number(cursor, byte_count);
		*end = dwarf_cursor_number(cursor, byte_count);
		return true;
	case DW_RLE_start_length:
		*start = dwarf_cursor_number(cursor, byte_count);
		*end = *start + dwarf_cursor_uleb(cursor);
		return true;
	default:
		return false;
	}
}

static bool next_new(struct dwarf_range_walk *walk, uint64_t *ret_start, uint64_t *ret_end)
{
	while (walk->left > 0) {
		uint8_t kind = dwarf_cursor_u8(&walk->cursor);
		uint64_t start, end;

		walk->left--;
		if (!read_entry(walk, kind, &start, &end) || walk->cursor.bad)
			return false;
		if (kind == DW_RLE_base_addressx || kind == DW_RLE_base_address)
			continue;
		*ret_start = start;
		*ret_end = end;
		return true;
	}
	return false;
}

bool dwarf_range_next(struct dwarf_range_walk *walk, uint64_t *ret_start, uint64_t *ret_end)
{
	switch (walk->way) {
	case DWARF_RANGE_ONE:
		walk->way = DWARF_RANGE_NONE;
		*ret_start = walk->start;
		*ret_end = walk->end;
		return true;
	case DWARF_RANGE_OLD:
		return next_old(walk, ret_start, ret_end);
	case DWARF_RANGE_NEW:
		return next_new(walk, ret_start, ret_end);
	case DWARF_RANGE_NONE:
	default:
		return false;
	}
}
