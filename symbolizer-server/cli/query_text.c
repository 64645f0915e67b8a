/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/query_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/profile/profile.h"

/* The server refuses selectors of a quarter of this. */
#define TEXT_BYTES_MAX (64u << 10)

static void write_text(struct bytes_writer *writer, const char *text)
{
	bytes_write_span(writer, text, strlen(text));
}

/* Whether a comma must stand before one more matcher. */
static bool needs_comma(const struct bytes_writer *writer)
{
	size_t at = writer->byte_count;

	while (at > 0 && (writer->bytes[at - 1] == ' ' || writer->bytes[at - 1] == '\t'))
		at--;
	return at > 0 && writer->bytes[at - 1] != '{' && writer->bytes[at - 1] != ',';
}

static void write_matcher(struct bytes_writer *writer, const char *name, const char *value)
{
	if (!value)
		return;
	if (needs_comma(writer))
		write_text(writer, ",");
	write_text(writer, name);
	write_text(writer, "=\"");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			bytes_write_u8(writer, '\\');
		bytes_write_u8(writer, (uint8_t)*value);
	}
	write_text(writer, "\"");
}

/* TYPE, TYPE{...} or {...}, blanks around it passed over; else NULL. */
static const char *find_brace(const char *query, size_t length)
{
	const char *brace = memchr(query, '{', length);

	if (!brace || length == 0)
		return memchr(query, ' ', length) ? NULL : query + length;
	return query[length - 1] == '}' ? brace : NULL;
}

static int take(struct bytes_writer *writer, char **ret_text)
{
	int r = bytes_writer_fault(writer);
	size_t byte_count;

	if (r == 0)
		*ret_text = (char *)bytes_writer_take(writer, &byte_count);
	bytes_writer_done(writer);
	return r;
}

int query_text_make(const char *query, const char *host, const char *process, char **ret_text)
{
	struct bytes_writer writer;
	const char *brace;
	size_t length;

	query = query ? query + strspn(query, " \t") : "";
	length = strlen(query);
	while (length > 0 && (query[length - 1] == ' ' || query[length - 1] == '\t'))
		length--;
	brace = find_brace(query, length);
	bytes_writer_init(&writer, TEXT_BYTES_MAX);
	if (!brace) {
		bytes_write_span(&writer, query, length);
	} else {
		size_t type_length = (size_t)(brace - query);

		if (type_length == 0)
			write_text(&writer, PROFILE_TYPE_ON_CPU);
		bytes_write_span(&writer, query, type_length);
		write_text(&writer, "{");
		if (brace < query + length)
			bytes_write_span(&writer, brace + 1, length - type_length - 2);
		write_matcher(&writer, "host", host);
		write_matcher(&writer, "process", process);
		write_text(&writer, "}");
	}
	bytes_write_u8(&writer, 0);
	return take(&writer, ret_text);
}
