/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_value.h"

#include <errno.h>
#include <stdbool.h>

/* Seven bits each; one byte more has eight. */
#define SEVEN_BIT_BYTES 8
#define UTF8_BYTES_MAX 3 /* of one UTF-16 unit; a pair of surrogates has four */
#define UNIT_MAX 0xffffu

/* ---- Numbers ---- */

/* Nothing can be read behind a fault. */
static void refuse(struct bytes_reader *reader)
{
	bytes_reader_refuse(reader);
	reader->at = reader->end;
}

/* Nine bytes or more are there. */
static uint64_t read_within(struct bytes_reader *reader)
{
	const uint8_t *at = reader->at;
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 7 * SEVEN_BIT_BYTES; shift += 7) {
		value |= (uint64_t)(*at & 0x7f) << shift;
		if (*at++ < 0x80) {
			reader->at = at;
			return value;
		}
	}
	reader->at = at + 1;
	return value | (uint64_t)*at << (7 * SEVEN_BIT_BYTES);
}

uint64_t jfr_long_number(struct bytes_reader *reader)
{
	uint64_t value = 0;

	if (reader->end - reader->at > SEVEN_BIT_BYTES)
		return read_within(reader);
	/* Fewer: so none may be the last of nine. */
	for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
		value |= (uint64_t)(*reader->at & 0x7f) << shift;
		if (*reader->at++ < 0x80)
			return value;
	}
	refuse(reader);
	return 0;
}

void jfr_skip_numbers(struct bytes_reader *reader, uint64_t count)
{
	for (; count > 0 && reader->fault == 0; count--)
		(void)jfr_number(reader);
}

/* ---- Texts ---- */

static struct ingest_text read_span(struct bytes_reader *reader, uint64_t length)
{
	const uint8_t *bytes = bytes_read_span(reader, length);

	if (bytes)
		return (struct ingest_text){(const char *)bytes, length};
	refuse(reader);
	return (struct ingest_text){"", 0};
}

/* Units have one to three bytes. */
static struct ingest_text read_units(struct bytes_reader *reader, uint64_t count)
{
	const uint8_t *first = reader->at;

	jfr_skip_numbers(reader, count);
	if (reader->fault < 0)
		return (struct ingest_text){"", 0};
	return (struct ingest_text){(const char *)first, (size_t)(reader->at - first)};
}

struct jfr_text jfr_text_read(struct bytes_reader *reader)
{
	struct jfr_text text = {JFR_TEXT_NULL, 0, {"", 0}};
	uint8_t form = bytes_read_u8(reader);

	switch (form) {
	case JFR_TEXT_NULL:
	case JFR_TEXT_EMPTY:
		break;
	case JFR_TEXT_CONSTANT:
		text.constant = jfr_number(reader);
		break;
	case JFR_TEXT_UTF8:
	case JFR_TEXT_LATIN1:
		text.bytes = read_span(reader, jfr_number(reader));
		break;
	case JFR_TEXT_CHARS:
		text.bytes = read_units(reader, jfr_number(reader));
		break;
	default:
		refuse(reader);
		return text;
	}
	text.form = (enum jfr_text_form)form;
	return text;
}

static size_t write_utf8(char *to, uint32_t code)
{
	uint8_t *bytes = (uint8_t *)to;

	if (code < 0x80) {
		bytes[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		bytes[0] = (uint8_t)(0xc0 | code >> 6);
		bytes[1] = (uint8_t)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code <= UNIT_MAX) {
		bytes[0] = (uint8_t)(0xe0 | code >> 12);
		bytes[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		bytes[2] = (uint8_t)(0x80 | (code & 0x3f));
		return 3;
	}
	bytes[0] = (uint8_t)(0xf0 | code >> 18);
	bytes[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	bytes[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	bytes[3] = (uint8_t)(0x80 | (code & 0x3f));
	return 4;
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

/* One character at the front; half a pair of surrogates becomes U+FFFD. */
static uint32_t read_character(struct bytes_reader *reader)
{
	uint32_t unit = (uint32_t)(jfr_number(reader) & UNIT_MAX);
	struct bytes_reader ahead = *reader;
	uint32_t next;

	if (!is_high(unit))
		return is_low(unit) ? 0xfffd : unit;
	next = (uint32_t)(jfr_number(&ahead) & UNIT_MAX);
	if (!is_low(next))
		return 0xfffd;
	*reader = ahead;
	return 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
}

static size_t write_units(char *to, struct ingest_text units)
{
	struct bytes_reader reader;
	size_t length = 0;

	bytes_reader_init(&reader, units.text, units.length);
	while (bytes_left(&reader) > 0)
		length += write_utf8(to + length, read_character(&reader));
	return length;
}

static size_t write_latin1(char *to, struct ingest_text text)
{
	size_t length = 0;

	for (size_t i = 0; i < text.length; i++)
		length += write_utf8(to + length, (uint8_t)text.text[i]);
	return length;
}

static bool is_ascii(struct ingest_text text)
{
	uint8_t all = 0;

	for (size_t i = 0; i < text.length; i++)
		all |= (uint8_t)text.text[i];
	return all < 0x80;
}

int jfr_text_utf8(const struct jfr_text *text, struct arena *arena, struct ingest_text *ret_text)
{
	size_t length;
	char *copy;

	/* ASCII is the same in all three ways. */
	if (text->form == JFR_TEXT_UTF8 || is_ascii(text->bytes)) {
		*ret_text = text->bytes;
		return 0;
	}
	copy = arena_alloc(arena, text->bytes.length * UTF8_BYTES_MAX);
	if (!copy)
		return arena->out_of_memory ? -ENOMEM : -E2BIG;
	length = text->form == JFR_TEXT_LATIN1 ? write_latin1(copy, text->bytes)
					       : write_units(copy, text->bytes);
	*ret_text = (struct ingest_text){copy, length};
	return 0;
}
