/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes: a bounds-checked reader over a span, and a growing writer.
 *
 * What it is   little-endian integers, LEB128 varints and raw spans, read and written in sequence.
 * Ownership    a reader borrows its span; a writer owns its buffer until bytes_writer_done or
 *              _take.
 * Threads      one owner each.
 * Errors       both are sticky: after the first fault every later call does nothing and answers
 *              zero or NULL, so that a parser checks once at its end (bytes_reader_fault,
 *              bytes_writer_fault).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes_reader {
	const uint8_t *at;
	const uint8_t *end;
	int fault; /* 0, -EBADMSG: read past the end or a varint over 64 bits */
};

void bytes_reader_init(struct bytes_reader *reader, const void *bytes, size_t byte_count);
size_t bytes_left(const struct bytes_reader *reader);
/* 0, or -EBADMSG once anything did not fit. */
int bytes_reader_fault(const struct bytes_reader *reader);
/* Marks the span as bad for a reason that only its reader knows. */
void bytes_reader_refuse(struct bytes_reader *reader);
uint8_t bytes_read_u8(struct bytes_reader *reader);
uint16_t bytes_read_u16(struct bytes_reader *reader);
uint32_t bytes_read_u32(struct bytes_reader *reader);
uint64_t bytes_read_u64(struct bytes_reader *reader);
uint64_t bytes_read_varint(struct bytes_reader *reader);
/* A varint that must fit 32 bits. */
uint32_t bytes_read_varint32(struct bytes_reader *reader);
/* Zig-zag coded. */
int64_t bytes_read_signed(struct bytes_reader *reader);
/* BYTE_COUNT bytes, borrowed from the span; NULL if there are fewer. */
const uint8_t *bytes_read_span(struct bytes_reader *reader, size_t byte_count);

struct bytes_writer {
	uint8_t *bytes;
	size_t byte_count;
	size_t capacity;
	size_t bytes_max; /* a longer result is a fault */
	int fault; /* 0, -ENOMEM, or -EFBIG: would be longer than bytes_max */
};

void bytes_writer_init(struct bytes_writer *writer, size_t bytes_max);
void bytes_writer_done(struct bytes_writer *writer);
int bytes_writer_fault(const struct bytes_writer *writer);
/* Hands the buffer to the caller, who frees it; the writer is empty afterwards. */
uint8_t *bytes_writer_take(struct bytes_writer *writer, size_t *ret_byte_count);
/* Forgets the contents, keeps the memory. */
void bytes_writer_reset(struct bytes_writer *writer);
/* Makes room for exactly BYTE_COUNT more bytes, for who knows how many will come. */
void bytes_writer_expect(struct bytes_writer *writer, size_t byte_count);
void bytes_write_u8(struct bytes_writer *writer, uint8_t value);
void bytes_write_u16(struct bytes_writer *writer, uint16_t value);
void bytes_write_u32(struct bytes_writer *writer, uint32_t value);
void bytes_write_u64(struct bytes_writer *writer, uint64_t value);
void bytes_write_varint(struct bytes_writer *writer, uint64_t value);
void bytes_write_signed(struct bytes_writer *writer, int64_t value);
void bytes_write_span(struct bytes_writer *writer, const void *bytes, size_t byte_count);
