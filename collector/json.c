/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/json.h"

#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

void json_init(struct json *json, size_t bytes_max)
{
	bytes_writer_init(&json->text, bytes_max);
	json->needs_comma = false;
}

void json_done(struct json *json)
{
	bytes_writer_done(&json->text);
}

static void put(struct json *json, const char *text)
{
	bytes_write_span(&json->text, text, strlen(text));
}

/* Bytes of the UTF-8 character at TEXT, 0 if it is none. */
static size_t character_bytes(const unsigned char *text)
{
	size_t count;
	unsigned char second_min = 0x80, second_max = 0xbf;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		count = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		count = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		count = 4;
	else
		return 0;
	/* Longer forms than needed, surrogates and what lies beyond Unicode are none. */
	if (text[0] == 0xe0)
		second_min = 0xa0;
	else if (text[0] == 0xed)
		second_max = 0x9f;
	else if (text[0] == 0xf0)
		second_min = 0x90;
	else if (text[0] == 0xf4)
		second_max = 0x8f;
	if (text[1] < second_min || text[1] > second_max)
		return 0;
	for (size_t i = 2; i < count; i++) {
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	}
	return count;
}

static void put_quoted(struct json *json, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	put(json, "\"");
	while (*at) {
		size_t count = character_bytes(at);
		char escape[8];

		if (count == 0) {
			put(json, REPLACEMENT);
			count = 1;
		} else if (*at == '"' || *at == '\\') {
			snprintf(escape, sizeof(escape), "\\%c", *at);
			put(json, escape);
		} else if (*at < ' ' || *at == 0x7f) {
			snprintf(escape, sizeof(escape), "\\u%04x", *at);
			put(json, escape);
		} else {
			bytes_write_span(&json->text, at, count);
		}
		at += count;
	}
	put(json, "\"");
}

static void begin(struct json *json, const char *key)
{
	if (json->needs_comma)
		put(json, ",");
	json->needs_comma = true;
	if (!key)
		return;
	put_quoted(json, key);
	put(json, ":");
}

void json_open(struct json *json, const char *key, char opening)
{
	begin(json, key);
	bytes_write_u8(&json->text, (uint8_t)opening);
	json->needs_comma = false;
}

void json_close(struct json *json, char closing)
{
	bytes_write_u8(&json->text, (uint8_t)closing);
	json->needs_comma = true;
}

void json_text(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	put_quoted(json, value);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	char text[24];

	begin(json, key);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	put(json, text);
}

void json_flag(struct json *json, const char *key, bool value)
{
	begin(json, key);
	put(json, value ? "true" : "false");
}
