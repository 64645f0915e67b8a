/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/base/utf8.h"

void json_writer_init(struct json_writer *json, struct bytes_writer *out)
{
	*json = (struct json_writer){.out = out};
}

/* Before each value. */
static void begin_value(struct json_writer *json)
{
	if (json->comma)
		bytes_write_u8(json->out, ',');
	json->comma = true;
}

static void open(struct json_writer *json, char bracket)
{
	begin_value(json);
	bytes_write_u8(json->out, (uint8_t)bracket);
	json->comma = false;
}

static void close(struct json_writer *json, char bracket)
{
	bytes_write_u8(json->out, (uint8_t)bracket);
	json->comma = true;
}

void json_begin_object(struct json_writer *json)
{
	open(json, '{');
}

void json_end_object(struct json_writer *json)
{
	close(json, '}');
}

void json_begin_array(struct json_writer *json)
{
	open(json, '[');
}

void json_end_array(struct json_writer *json)
{
	close(json, ']');
}

struct json_writer *json_key(struct json_writer *json, const char *name)
{
	begin_value(json);
	bytes_write_u8(json->out, '"');
	bytes_write_span(json->out, name, strlen(name));
	bytes_write_span(json->out, "\":", 2);
	json->comma = false;
	return json;
}

/* How many bytes from TEXT on need no escape. Of DEL and `<` none is needed; they stay. */
static size_t plain_length(const char *text, size_t length)
{
	size_t i = 0;

	while (i < length && (unsigned char)text[i] >= ' ' && text[i] != '"' && text[i] != '\\')
		i++;
	return i;
}

static void write_escape(struct bytes_writer *out, unsigned char character)
{
	char escape[8];
	int length;

	if (character == '"' || character == '\\')
		length = snprintf(escape, sizeof(escape), "\\%c", character);
	else
		length = snprintf(escape, sizeof(escape), "\\u%04x", character);
	bytes_write_span(out, escape, (size_t)length);
}

void json_text(struct json_writer *json, const char *text, size_t length)
{
	size_t at = 0;

	begin_value(json);
	bytes_write_u8(json->out, '"');
	while (at < length) {
		size_t plain = plain_length(text + at, length - at);

		utf8_write(json->out, text + at, plain);
		at += plain;
		if (at < length)
			write_escape(json->out, (unsigned char)text[at++]);
	}
	bytes_write_u8(json->out, '"');
}

void json_string(struct json_writer *json, const char *text)
{
	json_text(json, text, strlen(text));
}

static void write_raw(struct json_writer *json, const char *text, int length)
{
	begin_value(json);
	bytes_write_span(json->out, text, (size_t)length);
}

void json_unsigned(struct json_writer *json, uint64_t value)
{
	char text[24];

	/* Most numbers of a tree are small: printf would take most of the time. */
	if (value < 10) {
		text[0] = (char)('0' + value);
		write_raw(json, text, 1);
		return;
	}

	char *at = text + sizeof(text);

	for (; value > 0; value /= 10)
		*--at = (char)('0' + value % 10);
	write_raw(json, at, (int)(text + sizeof(text) - at));
}

void json_signed(struct json_writer *json, int64_t value)
{
	char text[24];

	if (value >= 0) {
		json_unsigned(json, (uint64_t)value);
		return;
	}
	write_raw(json, text, snprintf(text, sizeof(text), "%" PRId64, value));
}

void json_decimal(struct json_writer *json, double value)
{
	char text[400];

	if (!isfinite(value)) {
		json_null(json);
		return;
	}
	write_raw(json, text, snprintf(text, sizeof(text), "%.6f", value));
}

void json_boolean(struct json_writer *json, bool value)
{
	write_raw(json, value ? "true" : "false", value ? 4 : 5);
}

void json_null(struct json_writer *json)
{
	write_raw(json, "null", 4);
}
