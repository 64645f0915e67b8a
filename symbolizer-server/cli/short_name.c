/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/short_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/cli/output.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define ELLIPSIS_BYTES 3
#define OPERATOR "operator"

static bool fits(const char *text, size_t columns)
{
	return output_columns(text, strlen(text)) <= columns;
}

/* The bytes of the character at AT, which is not the end. */
static size_t character_bytes(const char *at)
{
	size_t bytes = 1;

	while (((unsigned char)at[bytes] & 0xc0) == 0x80)
		bytes++;
	return bytes;
}

static void print_beginning(FILE *out, const char *name, size_t columns)
{
	size_t used = 1;

	while (*name) {
		size_t bytes = character_bytes(name);

		used += output_columns(name, bytes);
		if (used > columns)
			break;
		output_bytes(out, name, bytes);
		name += bytes;
	}
	fputs(ELLIPSIS, out);
}

static void print_end(FILE *out, const char *name, size_t columns)
{
	while (*name && !fits(name, columns - 1))
		name += character_bytes(name);
	fputs(ELLIPSIS, out);
	output_text(out, name);
}

/* The signs behind `operator` are no brackets: their number, 0 elsewhere. */
static size_t operator_sign_bytes(const char *name, const char *at)
{
	size_t before = strlen(OPERATOR);

	if ((size_t)(at - name) < before || memcmp(at - before, OPERATOR, before) != 0)
		return 0;
	return strncmp(at, "()", 2) == 0 ? 2 : strspn(at, "<>=-[]");
}

/* Copies NAME to TO, with an ellipsis for what stands in its outermost brackets; as it stands, if
 * they do not match. TO has room for NAME. */
static void empty_brackets(const char *name, char *to)
{
	const char *inside = NULL;
	char *begin = to;
	size_t depth = 0;

	for (const char *at = name; *at; at++) {
		size_t signs = depth == 0 ? operator_sign_bytes(name, at) : 0;
		bool closes = strchr(")>]}", *at) && !(*at == '>' && at > name && at[-1] == '-');

		if (signs > 0) {
			memcpy(to, at, signs);
			to += signs;
			at += signs - 1;
			continue;
		}
		if (closes && depth > 0 && --depth == 0) {
			bool is_long = at - inside > ELLIPSIS_BYTES;
			size_t bytes = is_long ? ELLIPSIS_BYTES : (size_t)(at - inside);

			memcpy(to, is_long ? ELLIPSIS : inside, bytes);
			to += bytes;
		}
		if (depth == 0)
			*to++ = *at;
		if (strchr("(<[{", *at) && depth++ == 0)
			inside = at + 1;
	}
	*to = '\0';
	if (depth > 0)
		memcpy(begin, name, strlen(name) + 1);
}

/* The longest part of NAME that fits behind an ellipsis and begins where a component does. */
static const char *find_component(const char *name, size_t columns)
{
	for (const char *at = name; *at; at++) {
		bool begins = at > name &&
			((at - name > 1 && at[-1] == ':' && at[-2] == ':') || at[-1] == ' ' ||
				at[-1] == '/');

		if (begins && at[0] != ':' && fits(at, columns - 1))
			return at;
	}
	return NULL;
}

void short_name_print(FILE *out, const char *name, size_t columns)
{
	SCOPED_FREE char *emptied = NULL;
	const char *component;

	if (fits(name, columns)) {
		output_text(out, name);
		return;
	}
	if (strstr(name, "+0x")) {
		print_end(out, name, columns);
		return;
	}
	/* What is all brackets says what it is at its beginning. */
	emptied = name[0] == '[' ? NULL : malloc(strlen(name) + 1);
	if (!emptied) {
		print_beginning(out, name, columns);
		return;
	}
	empty_brackets(name, emptied);
	component = find_component(emptied, columns);
	if (fits(emptied, columns)) {
		output_text(out, emptied);
	} else if (component) {
		fputs(ELLIPSIS, out);
		output_text(out, component);
	} else {
		print_beginning(out, emptied, columns);
	}
}
