/* SPDX-License-Identifier: Apache-2.0 */
/* The check keeps a bit for each level, object or array, and reads token by token; everything else
 * may then count brackets and quotes. */
#include "symbolizer-server/ingest/json_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	const char *at;
	const char *end;
	uint64_t is_object; /* a bit for each level, the innermost lowest */
	uint32_t depth;
};

_Static_assert(JSON_DEPTH_MAX <= 64, "a bit for each level");

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static bool is_hex(char byte)
{
	return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

/* ---- The check ---- */

static bool take(struct scan *scan, char byte)
{
	scan->at = skip_blanks(scan->at, scan->end);
	if (scan->at == scan->end || *scan->at != byte)
		return false;
	scan->at++;
	return true;
}

/* Behind the backslash. */
static bool take_escape(struct scan *scan)
{
	if (scan->at == scan->end || !strchr("\"\\/bfnrtu", *scan->at) || *scan->at == '\0')
		return false;
	if (*scan->at++ != 'u')
		return true;
	for (int i = 0; i < 4; i++) {
		if (scan->at == scan->end || !is_hex(*scan->at++))
			return false;
	}
	return true;
}

/* Behind the quote. */
static bool take_string(struct scan *scan)
{
	while (scan->at < scan->end) {
		unsigned char byte = (unsigned char)*scan->at++;

		if (byte == '"')
			return true;
		if (byte < ' ' || (byte == '\\' && !take_escape(scan)))
			return false;
	}
	return false;
}

static bool take_digits(struct scan *scan)
{
	const char *first = scan->at;

	while (scan->at < scan->end && is_digit(*scan->at))
		scan->at++;
	return scan->at > first;
}

static bool take_byte_of(struct scan *scan, const char *bytes)
{
	if (scan->at == scan->end || *scan->at == '\0' || !strchr(bytes, *scan->at))
		return false;
	scan->at++;
	return true;
}

static bool take_number(struct scan *scan)
{
	const char *first = scan->at;

	(void)take_byte_of(scan, "-");
	if (!take_digits(scan))
		return false;
	if (take_byte_of(scan, ".") && !take_digits(scan))
		return false;
	if (take_byte_of(scan, "eE")) {
		(void)take_byte_of(scan, "+-");
		if (!take_digits(scan))
			return false;
	}
	return (size_t)(scan->at - first) <= JSON_NUMBER_BYTES_MAX;
}

static bool take_word(struct scan *scan)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if ((size_t)(scan->end - scan->at) >= length &&
			memcmp(scan->at, words[i], length) == 0) {
			scan->at += length;
			return true;
		}
	}
	return false;
}

/* A value that has no values in it. */
static bool take_plain(struct scan *scan)
{
	if (take_byte_of(scan, "\""))
		return take_string(scan);
	return take_word(scan) || take_number(scan);
}

static bool take_key(struct scan *scan)
{
	return take(scan, '"') && take_string(scan) && take(scan, ':');
}

/* A value, or what opens one. RET_OPENED: the next is its first. */
static bool take_value(struct scan *scan, bool *ret_opened)
{
	bool opens_object = take(scan, '{');

	*ret_opened = opens_object || take(scan, '[');
	if (!*ret_opened)
		return take_plain(scan);
	if (scan->depth == JSON_DEPTH_MAX)
		return false;
	scan->depth++;
	scan->is_object = scan->is_object << 1 | opens_object;
	return true;
}

/* Ends of values, and the comma and key before the next one. RET_DONE: the outermost ended. */
static bool take_between(struct scan *scan, bool opened, bool *ret_done)
{
	while (scan->depth > 0 && take(scan, scan->is_object & 1 ? '}' : ']')) {
		scan->depth--;
		scan->is_object >>= 1;
		opened = false;
	}
	*ret_done = scan->depth == 0;
	if (*ret_done)
		return true;
	return (opened || take(scan, ',')) && (!(scan->is_object & 1) || take_key(scan));
}

int json_view_check(
	struct ingest_text text, struct json_view *ret_value, struct ingest_fault *fault)
{
	struct scan scan = {.at = text.text, .end = text.text + text.length};
	bool opened, done = false, good = true;
	const char *first;

	/* Some editors put a mark of the byte order before it. */
	if (text.length >= 3 && memcmp(text.text, "\xef\xbb\xbf", 3) == 0)
		scan.at += 3;
	first = scan.at = skip_blanks(scan.at, scan.end);
	while (good && !done)
		good = take_value(&scan, &opened) && take_between(&scan, opened, &done);
	if (good) {
		*ret_value = (struct json_view){first, (size_t)(scan.at - first)};
		if (skip_blanks(scan.at, scan.end) == scan.end)
			return 0;
	}
	return ingest_refuse(fault, -EBADMSG,
		"the body is no JSON: at byte %zu it is damaged, cut off, or values stand in more "
		"than %u values",
		(size_t)(scan.at - text.text), JSON_DEPTH_MAX);
}

/* ---- Walks ---- */

enum json_kind json_view_kind(struct json_view value)
{
	if (!value.text || value.length == 0)
		return JSON_NONE;
	switch (value.text[0]) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case 't':
	case 'f':
	case 'n':
		return JSON_WORD;
	default:
		return JSON_NUMBER;
	}
}

/* Behind a string that begins at AT. */
static const char *string_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

/* Behind the value that begins at AT. */
static const char *value_end(const char *at, const char *end)
{
	uint32_t depth = 0;

	if (at < end && *at == '"')
		return string_end(at, end);
	if (at < end && *at != '{' && *at != '[') {
		while (at < end && !is_blank(*at) && *at != ',' && *at != ']' && *at != '}')
			at++;
		return at;
	}
	while (at < end) {
		char byte = *at;

		if (byte == '"') {
			at = string_end(at, end);
			continue;
		}
		at++;
		if (byte == '{' || byte == '[')
			depth++;
		else if ((byte == '}' || byte == ']') && --depth == 0)
			break;
	}
	return at;
}

void json_view_walk(struct json_walk *walk, struct json_view value)
{
	enum json_kind kind = json_view_kind(value);
	bool walks = kind == JSON_OBJECT || kind == JSON_ARRAY;

	*walk = (struct json_walk){.is_object = kind == JSON_OBJECT};
	if (walks) {
		walk->at = value.text + 1;
		walk->end = value.text + value.length - 1;
	}
}

static struct json_view take_view(struct json_walk *walk)
{
	const char *first = skip_blanks(walk->at, walk->end);

	walk->at = value_end(first, walk->end);
	return (struct json_view){first, (size_t)(walk->at - first)};
}

bool json_view_next(struct json_walk *walk, struct json_view *ret_key, struct json_view *ret_value)
{
	walk->at = skip_blanks(walk->at, walk->end);
	if (walk->at < walk->end && *walk->at == ',')
		walk->at = skip_blanks(walk->at + 1, walk->end);
	if (walk->at == walk->end)
		return false;
	if (walk->is_object) {
		struct json_view key = take_view(walk);

		if (ret_key)
			*ret_key = key;
		/* The colon. */
		walk->at = skip_blanks(walk->at, walk->end) + 1;
	}
	*ret_value = take_view(walk);
	return true;
}

uint64_t json_view_count(struct json_view value)
{
	struct json_walk walk;
	struct json_view element;
	uint64_t count = 0;

	json_view_walk(&walk, value);
	while (json_view_next(&walk, NULL, &element))
		count++;
	return count;
}

bool json_view_is(struct json_view value, const char *text)
{
	size_t length = strlen(text);

	return json_view_kind(value) == JSON_STRING && value.length == length + 2 &&
		memcmp(value.text + 1, text, length) == 0;
}

struct json_view json_view_member(struct json_view object, const char *name)
{
	struct json_walk walk;
	struct json_view key, value;

	json_view_walk(&walk, object);
	while (walk.is_object && json_view_next(&walk, &key, &value)) {
		if (json_view_is(key, name))
			return value;
	}
	return (struct json_view){NULL, 0};
}

/* ---- Values ---- */

static uint32_t read_hex(const char *text)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		char byte = text[i];

		value = value << 4 |
			(uint32_t)(is_digit(byte) ? byte - '0' : (byte | 0x20) - 'a' + 10);
	}
	return value;
}

static void write_utf8(struct bytes_writer *writer, uint32_t point)
{
	if (point < 0x80) {
		bytes_write_u8(writer, (uint8_t)point);
		return;
	}
	if (point >= 0x10000) {
		bytes_write_u8(writer, (uint8_t)(0xf0 | point >> 18));
		bytes_write_u8(writer, (uint8_t)(0x80 | (point >> 12 & 0x3f)));
	} else if (point >= 0x800) {
		bytes_write_u8(writer, (uint8_t)(0xe0 | point >> 12));
	} else {
		bytes_write_u8(writer, (uint8_t)(0xc0 | point >> 6));
	}
	if (point >= 0x800)
		bytes_write_u8(writer, (uint8_t)(0x80 | (point >> 6 & 0x3f)));
	bytes_write_u8(writer, (uint8_t)(0x80 | (point & 0x3f)));
}

/* `\uXXXX` at AT, perhaps the first half of a pair; a half alone is no character. */
static const char *write_unicode(struct bytes_writer *writer, const char *at, const char *end)
{
	uint32_t point = read_hex(at + 2);

	at += 6;
	if (point >= 0xd800 && point < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
		uint32_t low = read_hex(at + 2);

		if (low >= 0xdc00 && low < 0xe000) {
			write_utf8(writer, 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00));
			return at + 6;
		}
	}
	/* A name ends where a NUL stands: it is no character of one. */
	if (point == 0 || (point >= 0xd800 && point < 0xe000))
		point = 0xfffd;
	write_utf8(writer, point);
	return at;
}

static const char *write_escape(struct bytes_writer *writer, const char *at, const char *end)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, at[1]);

	if (at[1] == 'u')
		return write_unicode(writer, at, end);
	bytes_write_u8(writer, (uint8_t)(letter ? meant[letter - letters] : at[1]));
	return at + 2;
}

struct ingest_text json_view_text(struct json_view value, struct bytes_writer *scratch)
{
	const char *at, *end;

	if (json_view_kind(value) != JSON_STRING)
		return (struct ingest_text){"", 0};
	at = value.text + 1;
	end = value.text + value.length - 1;
	if (!memchr(at, '\\', (size_t)(end - at)))
		return (struct ingest_text){at, (size_t)(end - at)};
	bytes_writer_reset(scratch);
	while (at < end) {
		if (*at == '\\')
			at = write_escape(scratch, at, end);
		else
			bytes_write_u8(scratch, (uint8_t)*at++);
	}
	if (bytes_writer_fault(scratch) < 0)
		return (struct ingest_text){"", 0};
	return (struct ingest_text){(const char *)scratch->bytes, scratch->byte_count};
}

bool json_view_number(struct json_view value, double *ret_number)
{
	char text[JSON_NUMBER_BYTES_MAX + 1];

	if (json_view_kind(value) != JSON_NUMBER || value.length > JSON_NUMBER_BYTES_MAX)
		return false;
	memcpy(text, value.text, value.length);
	text[value.length] = '\0';
	*ret_number = strtod(text, NULL);
	return true;
}

bool json_view_index(struct json_view value, uint64_t *ret_index)
{
	uint64_t index = 0;

	if (json_view_kind(value) != JSON_NUMBER)
		return false;
	for (size_t i = 0; i < value.length; i++) {
		if (!is_digit(value.text[i]) || __builtin_mul_overflow(index, 10, &index) ||
			__builtin_add_overflow(index, (uint64_t)(value.text[i] - '0'), &index))
			return false;
	}
	*ret_index = index;
	return true;
}
