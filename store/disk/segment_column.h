/* SPDX-License-Identifier: Apache-2.0 */
/* Segment column: varints of columns, most of which fill one byte or two.
 *
 * What it is   bytes_read_varint with its common cases in line: a day of sums is millions of values.
 * Ownership    as struct bytes_reader.
 * Threads      as struct bytes_reader.
 * Errors       sticky in the reader.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"

static inline uint64_t segment_column_u64(struct bytes_reader *reader)
{
	const uint8_t *at = reader->at;

	if (reader->end - at >= 2) {
		if (at[0] < 0x80) {
			reader->at = at + 1;
			return at[0];
		}
		if (at[1] < 0x80) {
			reader->at = at + 2;
			return (uint64_t)(at[0] & 0x7f) | (uint64_t)at[1] << 7;
		}
	}
	return bytes_read_varint(reader);
}

/* A value that must fit 32 bits. */
static inline uint32_t segment_column_u32(struct bytes_reader *reader)
{
	uint64_t value = segment_column_u64(reader);

	if (value > UINT32_MAX) {
		bytes_reader_refuse(reader);
		return 0;
	}
	return (uint32_t)value;
}

/* Zig-zag coded. */
static inline int64_t segment_column_signed(struct bytes_reader *reader)
{
	uint64_t value = segment_column_u64(reader);

	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}
