/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/kernel_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/symbol_alias.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* Kernels have 200 000 symbols with everything built in. */
#define LINE_COUNT_MAX (4u << 20)
#define HEX_DIGITS_MAX 16

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Reads `hex-offset name` of LENGTH characters. False: the line has another form. */
static bool parse_line(const char *line, size_t length, uint64_t *ret_offset, const char **ret_name)
{
	uint64_t offset = 0;
	size_t at = 0;

	while (at < length && at < HEX_DIGITS_MAX && digit_of(line[at]) >= 0)
		offset = offset << 4 | (unsigned)digit_of(line[at++]);
	if (at == 0 || at + 1 >= length || line[at] != ' ')
		return false;
	at++;
	if (length - at >= SYMBOL_NAME_BYTES_MAX)
		return false;
	for (size_t i = at; i < length; i++)
		if ((unsigned char)line[i] <= ' ')
			return false;
	*ret_offset = offset;
	*ret_name = line + at;
	return true;
}

struct lines {
	struct symbol_alias *aliases;
	uint32_t count;
	uint32_t capacity;
	uint32_t zero_count;
};

/* The names are interned as they come: the text they stand in has no NUL behind them. */
static int add_line(
	struct lines *lines, struct string_table *strings, const char *line, size_t length)
{
	const char *name;
	uint32_t index;
	uint64_t offset;
	int r;

	if (!parse_line(line, length, &offset, &name))
		return 0;
	r = string_table_add(strings, name, (size_t)(line + length - name), &index);
	if (r == 0)
		r = grow_array(&lines->aliases, &lines->capacity, lines->count, LINE_COUNT_MAX);
	if (r < 0)
		return r;
	must(lines->aliases);
	lines->aliases[lines->count++] = (struct symbol_alias){
		.start = offset, .tag = index, .name = string_table_text(strings, index)};
	lines->zero_count += offset == 0;
	return 0;
}

static int split(
	const char *text, size_t byte_count, struct string_table *strings, struct lines *lines)
{
	size_t at = 0;
	int r = 0;

	while (r == 0 && at < byte_count) {
		const char *end = memchr(text + at, '\n', byte_count - at);
		size_t length = end ? (size_t)(end - text) - at : byte_count - at;

		r = add_line(lines, strings, text + at, length);
		at += length + 1;
	}
	return r;
}

/* Of equal starts the first is the best; each reaches to the next other start. */
static int add_functions(const struct lines *lines, struct function_list *list)
{
	uint32_t next;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < lines->count; i = next) {
		uint64_t start = lines->aliases[i].start;
		uint64_t room = UINT64_MAX - start;
		uint64_t end = start +
			(room < KERNEL_FUNCTION_BYTES_MAX ? room : KERNEL_FUNCTION_BYTES_MAX);

		for (next = i + 1; next < lines->count && lines->aliases[next].start == start;)
			next++;
		if (next < lines->count && lines->aliases[next].start < end)
			end = lines->aliases[next].start;
		r = function_list_add(list, start, end, lines->aliases[i].tag, 0);
	}
	return r;
}

int kernel_text_read(const char *text, size_t byte_count, struct string_table *strings,
	struct function_list *ret_list)
{
	struct function_list list = {0};
	struct lines lines = {0};
	int r = split(text, byte_count, strings, &lines);

	if (r == 0 && lines.count == 0)
		r = -EBADMSG;
	if (r == 0 && lines.count > 1 && lines.zero_count == lines.count)
		r = -ENODATA;
	if (r == 0) {
		symbol_alias_sort(lines.aliases, lines.count);
		r = add_functions(&lines, &list);
	}
	free(lines.aliases);
	if (r == 0)
		r = function_list_resolve(&list);
	/* Nothing but a start at the last address there is. */
	if (r == 0 && list.count == 0)
		r = -EBADMSG;
	if (r < 0) {
		function_list_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}
