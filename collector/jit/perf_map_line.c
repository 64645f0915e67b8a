/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/perf_map_line.h"

#include <errno.h>
#include <stdbool.h>

struct cursor {
	const char *at;
	const char *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* At least one, but at the line's beginning. */
static void skip_blanks(struct cursor *cursor)
{
	while (cursor->at < cursor->end && is_blank(*cursor->at))
		cursor->at++;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A number and the blanks behind it, of which there must be one. */
static bool read_number(struct cursor *cursor, uint64_t *ret_number)
{
	const char *first;
	uint64_t number = 0;
	int digit;

	if (cursor->end - cursor->at > 2 && cursor->at[0] == '0' &&
		(cursor->at[1] == 'x' || cursor->at[1] == 'X'))
		cursor->at += 2;
	first = cursor->at;
	while (cursor->at < cursor->end && (digit = digit_of(*cursor->at)) >= 0) {
		if (number > UINT64_MAX >> 4)
			return false;
		number = number << 4 | (unsigned)digit;
		cursor->at++;
	}
	if (cursor->at == first || cursor->at == cursor->end || !is_blank(*cursor->at))
		return false;
	skip_blanks(cursor);
	*ret_number = number;
	return true;
}

static bool is_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c == 0x7f)
			return false;
	}
	return true;
}

/* Not within a character of UTF-8. */
static size_t cut_name(const char *name, size_t length)
{
	if (length <= PERF_MAP_NAME_BYTES_MAX)
		return length;
	length = PERF_MAP_NAME_BYTES_MAX;
	while (length > PERF_MAP_NAME_BYTES_MAX - 3 && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	return length;
}

int perf_map_parse_line(const char *line, size_t length, struct perf_map_line *ret_line)
{
	struct cursor cursor = {line, line + length};
	uint64_t start, size, end;

	if (length > PERF_MAP_LINE_BYTES_MAX)
		return -EBADMSG;
	/* Written where line ends are two characters. */
	while (cursor.end > line && (cursor.end[-1] == '\r' || is_blank(cursor.end[-1])))
		cursor.end--;
	skip_blanks(&cursor);
	if (!read_number(&cursor, &start) || !read_number(&cursor, &size))
		return -EBADMSG;
	if (size == 0 || size > UINT32_MAX || __builtin_add_overflow(start, size, &end))
		return -EBADMSG;
	length = (size_t)(cursor.end - cursor.at);
	if (length == 0 || !is_text(cursor.at, length))
		return -EBADMSG;
	*ret_line = (struct perf_map_line){
		.start = start,
		.size = (uint32_t)size,
		.name = cursor.at,
		.name_length = cut_name(cursor.at, length),
	};
	return 0;
}
