/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"

/* A 64-bit value fills at most ten groups of seven bits. */
#define VARINT_BYTES_MAX 10
#define WRITER_BYTES_FIRST 256

void bytes_reader_init(struct bytes_reader *reader, const void *bytes, size_t byte_count)
{
	static const uint8_t nothing;

	must(bytes || byte_count == 0);
	reader->at = bytes ? bytes : &nothing;
	reader->end = reader->at + byte_count;
	reader->fault = 0;
}

size_t bytes_left(const struct bytes_reader *reader)
{
	return reader->fault ? 0 : (size_t)(reader->end - reader->at);
}

int bytes_reader_fault(const struct bytes_reader *reader)
{
	return reader->fault;
}

void bytes_reader_refuse(struct bytes_reader *reader)
{
	reader->fault = -EBADMSG;
}

const uint8_t *bytes_read_span(struct bytes_reader *reader, size_t byte_count)
{
	const uint8_t *span = reader->at;

	if (reader->fault || byte_count > (size_t)(reader->end - reader->at)) {
		reader->fault = -EBADMSG;
		return NULL;
	}
	reader->at += byte_count;
	return span;
}

static uint64_t read_little_endian(struct bytes_reader *reader, unsigned byte_count)
{
	const uint8_t *span = bytes_read_span(reader, byte_count);
	uint64_t value = 0;

	for (unsigned i = 0; span && i < byte_count; i++)
		value |= (uint64_t)span[i] << (8 * i);
	return value;
}

uint8_t bytes_read_u8(struct bytes_reader *reader)
{
	return (uint8_t)read_little_endian(reader, 1);
}

uint16_t bytes_read_u16(struct bytes_reader *reader)
{
	return (uint16_t)read_little_endian(reader, 2);
}

uint32_t bytes_read_u32(struct bytes_reader *reader)
{
	return (uint32_t)read_little_endian(reader, 4);
}

uint64_t bytes_read_u64(struct bytes_reader *reader)
{
	return read_little_endian(reader, 8);
}

uint64_t bytes_read_varint(struct bytes_reader *reader)
{
	uint64_t value = 0;

	for (unsigned i = 0; !reader->fault && i < VARINT_BYTES_MAX; i++) {
		uint8_t byte;

		if (reader->at == reader->end)
			break;
		byte = *reader->at++;
		if (i == VARINT_BYTES_MAX - 1 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return value;
	}
	reader->fault = -EBADMSG;
	return 0;
}

uint32_t bytes_read_varint32(struct bytes_reader *reader)
{
	uint64_t value = bytes_read_varint(reader);

	if (value > UINT32_MAX) {
		reader->fault = -EBADMSG;
		return 0;
	}
	return (uint32_t)value;
}

int64_t bytes_read_signed(struct bytes_reader *reader)
{
	uint64_t value = bytes_read_varint(reader);

	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

void bytes_writer_init(struct bytes_writer *writer, size_t bytes_max)
{
	*writer = (struct bytes_writer){.bytes_max = bytes_max};
}

void bytes_writer_done(struct bytes_writer *writer)
{
	free(writer->bytes);
	*writer = (struct bytes_writer){0};
}

int bytes_writer_fault(const struct bytes_writer *writer)
{
	return writer->fault;
}

uint8_t *bytes_writer_take(struct bytes_writer *writer, size_t *ret_byte_count)
{
	uint8_t *bytes = writer->bytes;

	must(!writer->fault);
	*ret_byte_count = writer->byte_count;
	writer->bytes = NULL;
	writer->byte_count = 0;
	writer->capacity = 0;
	return bytes;
}

void bytes_writer_reset(struct bytes_writer *writer)
{
	writer->byte_count = 0;
	writer->fault = 0;
}

static bool writer_resize(struct bytes_writer *writer, size_t capacity)
{
	uint8_t *bytes = realloc(writer->bytes, capacity);

	if (!bytes) {
		writer->fault = -ENOMEM;
		return false;
	}
	writer->bytes = bytes;
	writer->capacity = capacity;
	return true;
}

/* Makes room for BYTE_COUNT more bytes. */
static bool writer_reserve(struct bytes_writer *writer, size_t byte_count)
{
	size_t capacity = writer->capacity ? writer->capacity : WRITER_BYTES_FIRST;

	if (writer->fault)
		return false;
	if (byte_count > writer->bytes_max || writer->byte_count > writer->bytes_max - byte_count) {
		writer->fault = -EFBIG;
		return false;
	}
	if (writer->byte_count + byte_count <= writer->capacity)
		return true;
	while (capacity < writer->byte_count + byte_count)
		capacity *= 2;
	return writer_resize(writer, capacity);
}

void bytes_writer_expect(struct bytes_writer *writer, size_t byte_count)
{
	if (!writer->fault && byte_count <= writer->bytes_max - writer->byte_count &&
		writer->byte_count + byte_count > writer->capacity)
		(void)writer_resize(writer, writer->byte_count + byte_count);
}

void bytes_write_span(struct bytes_writer *writer, const void *bytes, size_t byte_count)
{
	if (byte_count == 0 || !writer_reserve(writer, byte_count))
		return;
	memcpy(writer->bytes + writer->byte_count, bytes, byte_count);
	writer->byte_count += byte_count;
}

static void write_little_endian(struct bytes_writer *writer, uint64_t value, unsigned byte_count)
{
	uint8_t span[8];

	for (unsigned i = 0; i < byte_count; i++)
		span[i] = (uint8_t)(value >> (8 * i));
	bytes_write_span(writer, span, byte_count);
}

void bytes_write_u8(struct bytes_writer *writer, uint8_t value)
{
	if (writer_reserve(writer, 1))
		writer->bytes[writer->byte_count++] = value;
}

void bytes_write_u16(struct bytes_writer *writer, uint16_t value)
{
	write_little_endian(writer, value, 2);
}

void bytes_write_u32(struct bytes_writer *writer, uint32_t value)
{
	write_little_endian(writer, value, 4);
}

void bytes_write_u64(struct bytes_writer *writer, uint64_t value)
{
	write_little_endian(writer, value, 8);
}

void bytes_write_varint(struct bytes_writer *writer, uint64_t value)
{
	uint8_t span[VARINT_BYTES_MAX];
	size_t byte_count = 0;
	/* Columns are written value by value: where there is room for any, in place. */
	bool in_place = !writer->fault && writer->capacity - writer->byte_count >= sizeof(span) &&
		writer->capacity <= writer->bytes_max;
	uint8_t *to = in_place ? writer->bytes + writer->byte_count : span;

	while (value >= 0x80) {
		to[byte_count++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	to[byte_count++] = (uint8_t)value;
	if (in_place)
		writer->byte_count += byte_count;
	else
		bytes_write_span(writer, span, byte_count);
}

void bytes_write_signed(struct bytes_writer *writer, int64_t value)
{
	bytes_write_varint(writer, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}
