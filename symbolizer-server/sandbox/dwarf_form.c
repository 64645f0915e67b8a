/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_form.h"

#include "symbolizer-server/sandbox/dwarf_constant.h"

uint32_t dwarf_form_bytes(
	uint16_t form, uint16_t version, uint8_t address_bytes, uint8_t offset_bytes)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return address_bytes;
	case DW_FORM_ref_addr:
		return version <= 2 ? address_bytes : offset_bytes;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return offset_bytes;
	default:
		return DWARF_FORM_VARIES;
	}
}

/* A form that stands before its value. It must not be one that again stands elsewhere. */
static uint16_t read_indirect(struct dwarf_cursor *cursor)
{
	uint64_t form = dwarf_cursor_uleb(cursor);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX) {
		dwarf_cursor_refuse(cursor);
		return 0;
	}
	return (uint16_t)form;
}

static void skip_varying(struct dwarf_cursor *cursor, uint16_t form)
{
	switch (form) {
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		dwarf_cursor_uleb(cursor);
		break;
	case DW_FORM_string:
		dwarf_cursor_text(cursor);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		dwarf_cursor_skip(cursor, dwarf_cursor_uleb(cursor));
		break;
	case DW_FORM_block1:
		dwarf_cursor_skip(cursor, dwarf_cursor_u8(cursor));
		break;
	case DW_FORM_block2:
		dwarf_cursor_skip(cursor, dwarf_cursor_u16(cursor));
		break;
	case DW_FORM_block4:
		dwarf_cursor_skip(cursor, dwarf_cursor_u32(cursor));
		break;
	default:
		dwarf_cursor_refuse(cursor);
	}
}

void dwarf_form_skip(struct dwarf_cursor *cursor, uint16_t form, const struct dwarf_unit_head *head)
{
	uint32_t byte_count;

	if (form == DW_FORM_indirect)
		form = read_indirect(cursor);
	byte_count = dwarf_form_bytes(form, head->version, head->address_bytes, head->offset_bytes);
	if (byte_count != DWARF_FORM_VARIES)
		dwarf_cursor_skip(cursor, byte_count);
	else
		skip_varying(cursor, form);
}

struct dwarf_value dwarf_form_read(struct dwarf_cursor *cursor, uint16_t form, int64_t constant,
	const struct dwarf_unit_head *head)
{
	struct dwarf_value value = {0};
	uint32_t byte_count;

	if (form == DW_FORM_indirect)
		form = read_indirect(cursor);
	value.form = form;
	byte_count = dwarf_form_bytes(form, head->version, head->address_bytes, head->offset_bytes);
	switch (form) {
	case DW_FORM_implicit_const:
		value.number = (uint64_t)constant;
		break;
	case DW_FORM_flag_present:
		value.number = 1;
		break;
	case DW_FORM_sdata:
		value.number = (uint64_t)dwarf_cursor_sleb(cursor);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		value.number = dwarf_cursor_uleb(cursor);
		break;
	case DW_FORM_string:
		value.text = dwarf_cursor_text(cursor);
		break;
	default:
		if (byte_count != DWARF_FORM_VARIES && byte_count <= 8)
			value.number = dwarf_cursor_number(cursor, byte_count);
		else
			dwarf_form_skip(cursor, form, head);
	}
	if (cursor->bad)
		value = (struct dwarf_value){0};
	return value;
}
