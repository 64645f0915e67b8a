/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF cursor: bounded reads of the numbers and texts that DWARF is made of.
 *
 * What it is   a position in a span of one section, in the byte order of its file. The common reads
 *              stand here, since a large file has hundreds of millions of them.
 * Ownership    the span is borrowed.
 * Threads      one owner.
 * Errors       sticky: a read that does not fit sets `bad`, moves to the end and answers 0 or NULL,
 *              so that whoever reads checks once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_span {
	const uint8_t *bytes;
	uint64_t byte_count;
};

struct dwarf_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool swapped; /* byte order other than this machine's */
	bool bad;
};

/* At OFFSET of SPAN; bad if that lies behind its end. */
struct dwarf_cursor dwarf_cursor_at(const struct dwarf_span *span, uint64_t offset, bool swapped);
/* What is left, but at most BYTE_COUNT of it, as a cursor of its own; FROM moves behind it. */
struct dwarf_cursor dwarf_cursor_part(struct dwarf_cursor *from, uint64_t byte_count);
/* LEB128 of more than one byte; values beyond 64 bits lose their upper part, as in other readers. */
uint64_t dwarf_cursor_long_uleb(struct dwarf_cursor *cursor);
int64_t dwarf_cursor_sleb(struct dwarf_cursor *cursor);
/* A text that ends with NUL inside of the span, or NULL. */
const char *dwarf_cursor_text(struct dwarf_cursor *cursor);
/* The text at OFFSET of SPAN, or NULL. */
const char *dwarf_span_text(const struct dwarf_span *span, uint64_t offset);
/* BYTE_COUNT of 1, 2, 3, 4 or 8; anything else is bad. */
uint64_t dwarf_cursor_number(struct dwarf_cursor *cursor, unsigned byte_count);

static inline size_t dwarf_cursor_left(const struct dwarf_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void dwarf_cursor_refuse(struct dwarf_cursor *cursor)
{
	cursor->bad = true;
	cursor->at = cursor->end;
}

static inline void dwarf_cursor_skip(struct dwarf_cursor *cursor, uint64_t byte_count)
{
	if (byte_count > dwarf_cursor_left(cursor))
		dwarf_cursor_refuse(cursor);
	else
		cursor->at += byte_count;
}

static inline uint8_t dwarf_cursor_u8(struct dwarf_cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->bad = true;
		return 0;
	}
	return *cursor->at++;
}

static inline uint16_t dwarf_cursor_u16(struct dwarf_cursor *cursor)
{
	uint16_t value;

	if (dwarf_cursor_left(cursor) < sizeof(value)) {
		dwarf_cursor_refuse(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return cursor->swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t dwarf_cursor_u32(struct dwarf_cursor *cursor)
{
	uint32_t value;

	if (dwarf_cursor_left(cursor) < sizeof(value)) {
		dwarf_cursor_refuse(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return cursor->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t dwarf_cursor_u64(struct dwarf_cursor *cursor)
{
	uint64_t value;

	if (dwarf_cursor_left(cursor) < sizeof(value)) {
		dwarf_cursor_refuse(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, sizeof(value));
	cursor->at += sizeof(value);
	return cursor->swapped ? __builtin_bswap64(value) : value;
}

static inline uint64_t dwarf_cursor_uleb(struct dwarf_cursor *cursor)
{
	if (cursor->at < cursor->end && *cursor->at < 0x80)
		return *cursor->at++;
	return dwarf_cursor_long_uleb(cursor);
}
