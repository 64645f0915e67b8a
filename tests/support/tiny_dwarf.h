/* SPDX-License-Identifier: Apache-2.0 */
/* Tiny DWARF: bytes of debug sections, put one behind the other, for tests.
 *
 * What it is   a small buffer with the number forms of DWARF, little-endian.
 * Ownership    a value.
 * Threads      one owner.
 * Errors       more bytes than fit end the program: it is the test's own fault.
 */
#pragma once

#include "store/base/must.h"
#include "symbolizer-server/sandbox/dwarf_cursor.h"

#define TINY_DWARF_BYTES 4096

struct tiny_dwarf {
	uint8_t bytes[TINY_DWARF_BYTES];
	size_t byte_count;
};

static inline void tiny_number(struct tiny_dwarf *tiny, uint64_t value, unsigned byte_count)
{
	must(tiny->byte_count + byte_count <= sizeof(tiny->bytes));
	for (unsigned i = 0; i < byte_count; i++)
		tiny->bytes[tiny->byte_count++] = (uint8_t)(value >> 8 * i);
}

static inline void tiny_uleb(struct tiny_dwarf *tiny, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		tiny_number(tiny, value | 0x80, 1);
	tiny_number(tiny, value, 1);
}

static inline void tiny_text(struct tiny_dwarf *tiny, const char *text)
{
	do
		tiny_number(tiny, (uint8_t)*text, 1);
	while (*text++);
}

/* Bytes, one for each of the numbers that follow the count. */
#define tiny_bytes(tiny, ...)                                  \
	do {                                                   \
		const uint8_t bytes_[] = {__VA_ARGS__};        \
		for (size_t i_ = 0; i_ < sizeof(bytes_); i_++) \
			tiny_number((tiny), bytes_[i_], 1);    \
	} while (0)

static inline struct dwarf_span tiny_span(const struct tiny_dwarf *tiny)
{
	return (struct dwarf_span){tiny->bytes, tiny->byte_count};
}

/* Sets the four bytes at OFFSET to the number of bytes that follow them. */
static inline void tiny_close(struct tiny_dwarf *tiny, size_t offset)
{
	uint64_t byte_count = tiny->byte_count - offset - 4;

	for (unsigned i = 0; i < 4; i++)
		tiny->bytes[offset + i] = (uint8_t)(byte_count >> 8 * i);
}
