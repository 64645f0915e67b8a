/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/quoted_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct literal {
	const char *text;
	size_t length;
	size_t at;
	char *out;
	size_t out_length;
};

static int digit_of(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	if (character >= 'a' && character <= 'f')
		return character - 'a' + 10;
	if (character >= 'A' && character <= 'F')
		return character - 'A' + 10;
	return 16;
}

/* Reads exactly COUNT digits of BASE at the cursor. */
static bool read_digits(struct literal *literal, unsigned count, int base, uint32_t *ret_value)
{
	uint32_t value = 0;

	if (literal->length - literal->at < count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		int digit = digit_of(literal->text[literal->at + i]);

		if (digit >= base)
			return false;
		value = value * (uint32_t)base + (uint32_t)digit;
	}
	literal->at += count;
	*ret_value = value;
	return true;
}

static void put_byte(struct literal *literal, uint32_t byte)
{
	literal->out[literal->out_length++] = (char)byte;
}

/* As UTF-8; escapes are at least as long as what they stand for. */
static bool put_code_point(struct literal *literal, uint32_t code)
{
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return false;
	if (code < 0x80) {
		put_byte(literal, code);
	} else if (code < 0x800) {
		put_byte(literal, 0xc0 | code >> 6);
		put_byte(literal, 0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		put_byte(literal, 0xe0 | code >> 12);
		put_byte(literal, 0x80 | (code >> 6 & 0x3f));
		put_byte(literal, 0x80 | (code & 0x3f));
	} else {
		put_byte(literal, 0xf0 | code >> 18);
		put_byte(literal, 0x80 | (code >> 12 & 0x3f));
		put_byte(literal, 0x80 | (code >> 6 & 0x3f));
		put_byte(literal, 0x80 | (code & 0x3f));
	}
	return true;
}

static bool read_numeric_escape(struct literal *literal, char letter)
{
	uint32_t value;

	switch (letter) {
	case 'x':
		if (!read_digits(literal, 2, 16, &value))
			return false;
		break;
	case 'u':
		return read_digits(literal, 4, 16, &value) && put_code_point(literal, value);
	case 'U':
		return read_digits(literal, 8, 16, &value) && put_code_point(literal, value);
	default:
		literal->at--;
		if (!read_digits(literal, 3, 8, &value) || value > 0xff)
			return false;
	}
	put_byte(literal, value);
	return true;
}

/* Reads the escape behind a backslash. */
static bool read_escape(struct literal *literal)
{
	static const char letters[] = "abfnrtv\\'\"", meanings[] = "\a\b\f\n\r\t\v\\'\"";
	const char *found;
	char letter;

	if (literal->at == literal->length)
		return false;
	letter = literal->text[literal->at++];
	found = letter ? strchr(letters, letter) : NULL;
	if (!found)
		return read_numeric_escape(literal, letter);
	put_byte(literal, (uint8_t)meanings[found - letters]);
	return true;
}

int quoted_text_read(const char *text, size_t length, char *out, size_t *ret_length,
	size_t *ret_taken, const char **ret_what)
{
	struct literal literal = {.text = text, .length = length, .at = 1, .out = out};

	while (literal.at < length) {
		char character = text[literal.at++];

		if (character == text[0]) {
			*ret_length = literal.out_length;
			*ret_taken = literal.at;
			return 0;
		}
		if (character != '\\' || text[0] == '`') {
			put_byte(&literal, (uint8_t)character);
			continue;
		}
		*ret_taken = literal.at - 1;
		if (!read_escape(&literal)) {
			*ret_what = "no such escape; write \\\\ for a backslash, or use backticks";
			return -EINVAL;
		}
	}
	*ret_taken = 0;
	*ret_what = "the quote is never closed";
	return -EINVAL;
}

void quoted_text_write(struct bytes_writer *writer, const char *text, size_t length)
{
	bytes_write_u8(writer, '"');
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = (uint8_t)text[i];
		char escape[5];

		if (byte == '"' || byte == '\\') {
			snprintf(escape, sizeof(escape), "\\%c", byte);
			bytes_write_span(writer, escape, 2);
		} else if (byte < ' ' || byte == 0x7f) {
			snprintf(escape, sizeof(escape), "\\x%02x", byte);
			bytes_write_span(writer, escape, 4);
		} else {
			bytes_write_u8(writer, byte);
		}
	}
	bytes_write_u8(writer, '"');
}
