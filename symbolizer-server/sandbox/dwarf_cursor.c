/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_cursor.h"

struct dwarf_cursor dwarf_cursor_at(const struct dwarf_span *span, uint64_t offset, bool swapped)
{
	struct dwarf_cursor cursor = {.swapped = swapped};

	if (!span->bytes || offset > span->byte_count) {
		cursor.bad = true;
		return cursor;
	}
	cursor.at = span->bytes + offset;
	cursor.end = span->bytes + span->byte_count;
	return cursor;
}

struct dwarf_cursor dwarf_cursor_part(struct dwarf_cursor *from, uint64_t byte_count)
{
	struct dwarf_cursor part = *from;

	if (byte_count < dwarf_cursor_left(from))
		part.end = from->at + byte_count;
	from->at = part.end;
	return part;
}

uint64_t dwarf_cursor_long_uleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (cursor->at < cursor->end) {
		uint8_t byte = *cursor->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte < 0x80)
			return value;
	}
	cursor->bad = true;
	return 0;
}

int64_t dwarf_cursor_sleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (cursor->at < cursor->end) {
		uint8_t byte = *cursor->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte >= 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
	cursor->bad = true;
	return 0;
}

const char *dwarf_cursor_text(struct dwarf_cursor *cursor)
{
	const char *text = (const char *)cursor->at;
	const uint8_t *end = dwarf_cursor_left(cursor)
		? memchr(cursor->at, '\0', dwarf_cursor_left(cursor))
		: NULL;

	if (!end) {
		dwarf_cursor_refuse(cursor);
		return NULL;
	}
	cursor->at = end + 1;
	return text;
}

const char *dwarf_span_text(const struct dwarf_span *span, uint64_t offset)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(span, offset, false);

	return cursor.bad ? NULL : dwarf_cursor_text(&cursor);
}

static uint64_t read_u24(struct dwarf_cursor *cursor)
{
	const uint8_t *at = cursor->at;
	const uint16_t probe = 1;
	bool little;

	dwarf_cursor_skip(cursor, 3);
	if (cursor->bad)
		return 0;
	little = (*(const uint8_t *)&probe == 1) != cursor->swapped;
	return little ? (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16
		      : (uint64_t)at[2] | (uint64_t)at[1] << 8 | (uint64_t)at[0] << 16;
}

uint64_t dwarf_cursor_number(struct dwarf_cursor *cursor, unsigned byte_count)
{
	switch (byte_count) {
	case 1:
		return dwarf_cursor_u8(cursor);
	case 2:
		return dwarf_cursor_u16(cursor);
	case 3:
		return read_u24(cursor);
	case 4:
		return dwarf_cursor_u32(cursor);
	case 8:
		return dwarf_cursor_u64(cursor);
	default:
		dwarf_cursor_refuse(cursor);
		return 0;
	}
}
