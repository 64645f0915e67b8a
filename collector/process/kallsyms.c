/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"

/* The kernel fills a page at a time whatever is asked for; this joins a few. */
#define READ_BYTES (16 * 1024)

_Static_assert(READ_BYTES > KALLSYMS_LINE_BYTES_MAX, "a whole line must fit");

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* address type name[\t[module]] */
int kallsyms_parse_line(const char *line, size_t length, struct kallsyms_line *ret_line)
{
	struct kallsyms_line parsed = {0};
	const char *end = line + length;
	const char *at = line;
	const char *tab;

	for (; at < end && hex_digit(*at) >= 0; at++)
		parsed.address = parsed.address << 4 | (unsigned)hex_digit(*at);
	if (at == line || at - line > 16 || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return -EBADMSG;
	parsed.type = at[1];
	parsed.name = at + 3;
	tab = memchr(parsed.name, '\t', (size_t)(end - parsed.name));
	parsed.name_length = (size_t)((tab ? tab : end) - parsed.name);
	if (parsed.name_length == 0)
		return -EBADMSG;
	if (tab) {
		if (end - tab < 4 || tab[1] != '[' || end[-1] != ']')
			return -EBADMSG;
		parsed.module = tab + 2;
		parsed.module_length = (size_t)(end - 1 - parsed.module);
	}
	*ret_line = parsed;
	return 0;
}

bool kallsyms_is_function(const struct kallsyms_line *line)
{
	return line->type != '\0' && strchr("tTwW", line->type) != NULL;
}

bool kallsyms_is_named(const struct kallsyms_line *line, const char *name)
{
	return line->name_length == strlen(name) &&
		memcmp(line->name, name, line->name_length) == 0;
}

/* Hands the whole lines of TEXT on and gives the number of bytes they take, or a negative errno. */
static ssize_t hand_over_lines(const char *text, size_t length, kallsyms_fn fn, void *context)
{
	const char *at = text;
	const char *end = text + length;
	const char *line_end;

	while ((line_end = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		struct kallsyms_line line;

		if (kallsyms_parse_line(at, (size_t)(line_end - at), &line) == 0) {
			int r = fn(context, &line);

			if (r < 0)
				return r;
		}
		at = line_end + 1;
	}
	return at - text;
}

int kallsyms_each(const char *path, kallsyms_fn fn, void *context)
{
	SCOPED_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[READ_BYTES];
	size_t pending = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t got = read(fd, text + pending, sizeof(text) - pending);
		ssize_t used;

		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		pending += (size_t)got;
		used = hand_over_lines(text, pending, fn, context);
		if (used < 0)
			return (int)used;
		pending -= (size_t)used;
		memmove(text, text + used, pending);
		if (pending == sizeof(text))
			pending = 0;
	}
}

struct symbol {
	uint64_t offset;
	uint32_t name_at; /* in the pool of names */
	uint32_t name_length;
};

struct collection {
	const struct kallsyms_range *range;
	struct bytes_writer names;
	struct bytes_writer symbols; /* of struct symbol */
	bool address_seen; /* one that is not zero */
};

static bool is_in_range(const struct kallsyms_line *line, const struct kallsyms_range *range)
{
	if (line->address < range->base || line->address >= range->end)
		return false;
	if (!range->module)
		return !line->module;
	return line->module && line->module_length == strlen(range->module) &&
		memcmp(line->module, range->module, line->module_length) == 0;
}

static int collect(void *context, const struct kallsyms_line *line)
{
	struct collection *collection = context;
	struct symbol symbol;

	collection->address_seen |= line->address != 0;
	if (!kallsyms_is_function(line) || !is_in_range(line, collection->range))
		return 0;
	symbol = (struct symbol){line->address - collection->range->base,
		(uint32_t)collection->names.byte_count, (uint32_t)line->name_length};
	bytes_write_span(&collection->names, line->name, line->name_length);
	bytes_write_span(&collection->symbols, &symbol, sizeof(symbol));
	return bytes_writer_fault(&collection->names);
}

/* The kernel's own list is in order, those of modules are not. */
static int compare_symbols(const void *one, const void *other)
{
	const struct symbol *first = one, *second = other;

	if (first->offset != second->offset)
		return first->offset < second->offset ? -1 : 1;
	return first->name_at < second->name_at ? -1 : 1;
}

static void write_lines(struct collection *collection, struct bytes_writer *text)
{
	size_t count = collection->symbols.byte_count / sizeof(struct symbol);
	struct symbol *symbols = (struct symbol *)(void *)collection->symbols.bytes;

	qsort(symbols, count, sizeof(*symbols), compare_symbols);
	for (size_t i = 0; i < count; i++) {
		char offset[24];
		int length = snprintf(
			offset, sizeof(offset), "%llx ", (unsigned long long)symbols[i].offset);

		bytes_write_span(text, offset, (size_t)length);
		bytes_write_span(
			text, collection->names.bytes + symbols[i].name_at, symbols[i].name_length);
		bytes_write_u8(text, '\n');
	}
}

int kallsyms_text(const char *path, const struct kallsyms_range *range, uint8_t **ret_text,
	size_t *ret_byte_count)
{
	struct collection collection = {.range = range};
	struct bytes_writer text;
	int r;

	bytes_writer_init(&collection.names, KALLSYMS_TEXT_BYTES_MAX);
	bytes_writer_init(&collection.symbols, KALLSYMS_TEXT_BYTES_MAX);
	bytes_writer_init(&text, KALLSYMS_TEXT_BYTES_MAX);
	r = kallsyms_each(path, collect, &collection);
	if (r == 0)
		r = bytes_writer_fault(&collection.symbols);
	if (r == 0 && collection.symbols.byte_count == 0)
		r = collection.address_seen ? -ENOENT : -EACCES;
	if (r == 0) {
		write_lines(&collection, &text);
		r = bytes_writer_fault(&text);
	}
	bytes_writer_done(&collection.names);
	bytes_writer_done(&collection.symbols);
	if (r == 0)
		*ret_text = bytes_writer_take(&text, ret_byte_count);
	bytes_writer_done(&text);
	return r;
}
