/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/maps_parser.h"

#include <errno.h>
#include <string.h>

#define DELETED " (deleted)"

struct cursor {
	const char *at;
	const char *end;
	bool broken;
};

static int digit_of(char c, unsigned base)
{
	int digit = -1;

	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if (c >= 'a' && c <= 'f')
		digit = c - 'a' + 10;
	return digit >= 0 && (unsigned)digit < base ? digit : -1;
}

/* One number and the character behind it. */
static uint64_t read_number(struct cursor *cursor, unsigned base, char closing)
{
	const char *first = cursor->at;
	uint64_t value = 0;
	int digit;

	while (cursor->at < cursor->end && (digit = digit_of(*cursor->at, base)) >= 0) {
		if (value > (UINT64_MAX - (unsigned)digit) / base)
			cursor->broken = true;
		value = value * base + (unsigned)digit;
		cursor->at++;
	}
	if (cursor->at == first || cursor->at == cursor->end || *cursor->at != closing) {
		cursor->broken = true;
		return 0;
	}
	cursor->at++;
	return value;
}

static bool read_flag(struct cursor *cursor, char set, char clear)
{
	bool is_set;

	if (cursor->at == cursor->end || (*cursor->at != set && *cursor->at != clear)) {
		cursor->broken = true;
		return false;
	}
	is_set = *cursor->at == set;
	cursor->at++;
	return is_set;
}

static void expect(struct cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		cursor->broken = true;
	else
		cursor->at++;
}

/* The inode ends the line where there is no name; older kernels put a blank behind it. */
static uint64_t read_inode(struct cursor *cursor)
{
	uint64_t inode = 0;
	const char *first = cursor->at;
	int digit;

	while (cursor->at < cursor->end && (digit = digit_of(*cursor->at, 10)) >= 0) {
		if (inode > (UINT64_MAX - (unsigned)digit) / 10)
			cursor->broken = true;
		inode = inode * 10 + (unsigned)digit;
		cursor->at++;
	}
	if (cursor->at == first || (cursor->at < cursor->end && *cursor->at != ' '))
		cursor->broken = true;
	return inode;
}

int maps_parse_line(const char *line, size_t length, struct maps_line *ret_line)
{
	struct cursor cursor = {line, line + length, false};
	struct maps_line parsed = {0};

	parsed.start = read_number(&cursor, 16, '-');
	parsed.end = read_number(&cursor, 16, ' ');
	parsed.readable = read_flag(&cursor, 'r', '-');
	parsed.writable = read_flag(&cursor, 'w', '-');
	parsed.executable = read_flag(&cursor, 'x', '-');
	parsed.shared = read_flag(&cursor, 's', 'p');
	expect(&cursor, ' ');
	parsed.offset = read_number(&cursor, 16, ' ');
	uint64_t dev_major = read_number(&cursor, 16, ':');
	uint64_t dev_minor = read_number(&cursor, 16, ' ');
	parsed.inode = read_inode(&cursor);
	if (cursor.broken || parsed.end <= parsed.start || dev_major > UINT32_MAX ||
		dev_minor > UINT32_MAX)
		return -EBADMSG;

	while (cursor.at < cursor.end && *cursor.at == ' ')
		cursor.at++;
	parsed.dev_major = (uint32_t)dev_major;
	parsed.dev_minor = (uint32_t)dev_minor;
	parsed.path = cursor.at;
	parsed.path_length = (size_t)(cursor.end - cursor.at);
	*ret_line = parsed;
	return 0;
}

static bool begins_with(const char *text, size_t length, const char *prefix)
{
	size_t prefix_length = strlen(prefix);

	return length >= prefix_length && memcmp(text, prefix, prefix_length) == 0;
}

enum maps_kind maps_kind_of(const char *path, size_t length)
{
	/* Names that look like paths but are memory: shared anonymous memory of each kind. */
	static const char *const memory[] = {"//", "/dev/zero", "/SYSV", "/anon_hugepage"};

	if (length == strlen("[vdso]") && memcmp(path, "[vdso]", length) == 0)
		return MAPS_VDSO;
	if (length == 0 || path[0] != '/')
		return MAPS_NONE;
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		if (begins_with(path, length, memory[i]))
			return MAPS_NONE;
	}
	return MAPS_FILE;
}

size_t maps_path_length(const char *path, size_t length)
{
	size_t suffix_length = strlen(DELETED);

	if (length > suffix_length &&
		memcmp(path + length - suffix_length, DELETED, suffix_length) == 0)
		return length - suffix_length;
	return length;
}

const char *maps_base_name(const char *path, size_t length, size_t *ret_length)
{
	const char *base = path;

	length = maps_path_length(path, length);
	for (size_t i = 0; i < length; i++) {
		if (path[i] == '/' && i + 1 < length)
			base = path + i + 1;
	}
	*ret_length = (size_t)(path + length - base);
	return base;
}
