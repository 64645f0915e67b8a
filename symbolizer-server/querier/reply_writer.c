/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A nested message is written behind its tag; once its length is known, what was written moves up by
 * the few bytes that the length takes. Answers are built in memory anyway, and the large message of
 * an answer moves once.
 */
#include "symbolizer-server/querier/reply_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/base/must.h"

#define WIRE_VARINT 0u
#define WIRE_FIXED64 1u
#define WIRE_BYTES 2u
#define VARINT_BYTES_MAX 10

static bool in_list(const struct reply_writer *writer)
{
	return writer->levels[writer->depth].in_list;
}

static void write_tag(struct reply_writer *writer, uint32_t number, uint32_t wire)
{
	bytes_write_varint(writer->out, (uint64_t)number << 3 | wire);
}

/* What stands before a value in JSON. */
static void write_key(struct reply_writer *writer, struct reply_field field)
{
	if (!in_list(writer))
		json_key(&writer->json, field.name);
}

void reply_init(struct reply_writer *writer, enum reply_codec codec, struct bytes_writer *out)
{
	*writer = (struct reply_writer){.codec = codec, .out = out};
	json_writer_init(&writer->json, out);
	if (codec == REPLY_JSON)
		json_begin_object(&writer->json);
}

void reply_finish(struct reply_writer *writer)
{
	must(writer->depth == 0);
	if (writer->codec == REPLY_JSON)
		json_end_object(&writer->json);
}

void reply_begin(struct reply_writer *writer, struct reply_field field)
{
	must(writer->depth + 1 < REPLY_DEPTH_MAX);
	if (writer->codec == REPLY_JSON) {
		write_key(writer, field);
		json_begin_object(&writer->json);
	} else {
		write_tag(writer, field.number, WIRE_BYTES);
	}
	writer->depth++;
	writer->levels[writer->depth].start = writer->out->byte_count;
	writer->levels[writer->depth].in_list = false;
}

static uint32_t varint_bytes(uint64_t value)
{
	uint32_t count = 1;

	for (; value >= 0x80; value >>= 7)
		count++;
	return count;
}

/* Puts the length of what follows START there. */
static void put_length(struct bytes_writer *out, size_t start)
{
	static const uint8_t room[VARINT_BYTES_MAX];
	uint64_t length = out->byte_count - start;
	uint32_t bytes = varint_bytes(length);

	bytes_write_span(out, room, bytes);
	if (bytes_writer_fault(out) < 0)
		return;
	memmove(out->bytes + start + bytes, out->bytes + start, length);
	for (uint32_t i = 0; i < bytes; i++, length >>= 7)
		out->bytes[start + i] = (uint8_t)((length & 0x7f) | (i + 1 < bytes ? 0x80 : 0));
}

void reply_end(struct reply_writer *writer)
{
	must(writer->depth > 0);
	if (writer->codec == REPLY_JSON)
		json_end_object(&writer->json);
	else
		put_length(writer->out, writer->levels[writer->depth].start);
	writer->depth--;
}

void reply_begin_list(struct reply_writer *writer, struct reply_field field)
{
	must(!in_list(writer));
	if (writer->codec == REPLY_JSON)
		json_begin_array(json_key(&writer->json, field.name));
	writer->levels[writer->depth].in_list = true;
}

void reply_end_list(struct reply_writer *writer)
{
	must(in_list(writer));
	if (writer->codec == REPLY_JSON)
		json_end_array(&writer->json);
	writer->levels[writer->depth].in_list = false;
}

void reply_text(
	struct reply_writer *writer, struct reply_field field, const char *text, size_t length)
{
	if (length == 0 && !in_list(writer))
		return;
	if (writer->codec == REPLY_JSON) {
		write_key(writer, field);
		json_text(&writer->json, text, length);
		return;
	}
	write_tag(writer, field.number, WIRE_BYTES);
	bytes_write_varint(writer->out, length);
	bytes_write_span(writer->out, text, length);
}

void reply_string(struct reply_writer *writer, struct reply_field field, const char *text)
{
	reply_text(writer, field, text, strlen(text));
}

static void write_json_number(struct reply_writer *writer, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	json_string(&writer->json, text);
}

void reply_number(struct reply_writer *writer, struct reply_field field, int64_t value)
{
	if (value == 0)
		return;
	if (writer->codec == REPLY_JSON) {
		write_key(writer, field);
		write_json_number(writer, value);
		return;
	}
	write_tag(writer, field.number, WIRE_VARINT);
	bytes_write_varint(writer->out, (uint64_t)value);
}

void reply_fixed(struct reply_writer *writer, struct reply_field field, uint64_t value)
{
	if (value == 0)
		return;
	if (writer->codec == REPLY_JSON) {
		write_key(writer, field);
		write_json_number(writer, (int64_t)value);
		return;
	}
	write_tag(writer, field.number, WIRE_FIXED64);
	bytes_write_u64(writer->out, value);
}

void reply_double(struct reply_writer *writer, struct reply_field field, double value)
{
	uint64_t bits;

	if (fpclassify(value) == FP_ZERO)
		return;
	if (writer->codec == REPLY_JSON) {
		write_key(writer, field);
		json_decimal(&writer->json, value);
		return;
	}
	memcpy(&bits, &value, sizeof(bits));
	write_tag(writer, field.number, WIRE_FIXED64);
	bytes_write_u64(writer->out, bits);
}

void reply_boolean(struct reply_writer *writer, struct reply_field field, bool value)
{
	if (!value)
		return;
	if (writer->codec == REPLY_JSON) {
		write_key(writer, field);
		json_boolean(&writer->json, true);
		return;
	}
	write_tag(writer, field.number, WIRE_VARINT);
	bytes_write_varint(writer->out, 1);
}

void reply_numbers(
	struct reply_writer *writer, struct reply_field field, const int64_t *values, size_t count)
{
	size_t start;

	if (count == 0)
		return;
	if (writer->codec == REPLY_JSON) {
		json_begin_array(json_key(&writer->json, field.name));
		for (size_t i = 0; i < count; i++)
			write_json_number(writer, values[i]);
		json_end_array(&writer->json);
		return;
	}
	write_tag(writer, field.number, WIRE_BYTES);
	start = writer->out->byte_count;
	for (size_t i = 0; i < count; i++)
		bytes_write_varint(writer->out, (uint64_t)values[i]);
	put_length(writer->out, start);
}
