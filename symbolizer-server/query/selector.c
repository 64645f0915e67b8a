/* SPDX-License-Identifier: Apache-2.0 */
/* The parser is a cursor over the text with one function for each thing that may come next; the
 * first fault writes its sentence and ends it. */
#include "symbolizer-server/query/selector.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer-server/query/pattern.h"
#include "symbolizer-server/query/quoted_text.h"

/* Names and values of one selector: unquoted they are no longer than its text, and each ends with
 * a NUL and an alignment; as much again for what is added. */
#define TEXTS_BYTES_MAX (4 * SELECTOR_TEXT_BYTES_MAX + 64 * SELECTOR_MATCHER_COUNT_MAX)

#define TYPE_PART_COUNT 5

struct span {
	const char *text;
	size_t length;
};

struct cursor {
	const char *text;
	size_t length;
	size_t at;
	struct selector *selector;
	char *error;
	char unquoted[SELECTOR_TEXT_BYTES_MAX];
};

static int refuse(const struct cursor *cursor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct cursor *cursor, const char *format, ...)
{
	va_list arguments;
	int length = snprintf(cursor->error, SELECTOR_ERROR_BYTES_MAX,
		"selector, character %zu: ", cursor->at + 1);

	va_start(arguments, format);
	vsnprintf(cursor->error + length, SELECTOR_ERROR_BYTES_MAX - (size_t)length, format,
		arguments);
	va_end(arguments);
	return -EINVAL;
}

/* The character at the cursor, or -1 at the end. */
static int peek(const struct cursor *cursor)
{
	return cursor->at < cursor->length ? (unsigned char)cursor->text[cursor->at] : -1;
}

static int peek_past_blanks(struct cursor *cursor)
{
	while (peek(cursor) == ' ' || peek(cursor) == '\t' || peek(cursor) == '\n' ||
		peek(cursor) == '\r')
		cursor->at++;
	return peek(cursor);
}

static bool is_quote(int character)
{
	return character == '"' || character == '\'' || character == '`';
}

static bool is_name(int character)
{
	return character >= 0 && character < 128 &&
		(isalnum(character) || character == '_' || character == '.');
}

static int keep(struct cursor *cursor, const char *text, size_t length, struct span *ret_span)
{
	char *copy = arena_copy_text(&cursor->selector->texts, text, length);

	if (!copy)
		return -ENOMEM;
	*ret_span = (struct span){copy, length};
	return 0;
}

static int parse_quoted(struct cursor *cursor, struct span *ret_span)
{
	size_t taken = 0, length = 0;
	const char *what = NULL;
	int r = quoted_text_read(cursor->text + cursor->at, cursor->length - cursor->at,
		cursor->unquoted, &length, &taken, &what);

	cursor->at += taken;
	if (r < 0)
		return refuse(cursor, "%s", what);
	return keep(cursor, cursor->unquoted, length, ret_span);
}

static int parse_name(struct cursor *cursor, struct span *ret_name)
{
	size_t from = cursor->at;

	while (is_name(peek(cursor)))
		cursor->at++;
	if (cursor->at == from)
		return refuse(cursor, "a label name must stand here, as in {host=\"web-1\"}");
	return keep(cursor, cursor->text + from, cursor->at - from, ret_name);
}

static int parse_operator(struct cursor *cursor, enum matcher_kind *ret_kind)
{
	static const struct {
		const char *text;
		enum matcher_kind kind;
	} operators[] = {
		{"=~", MATCHER_REGEX},
		{"!~", MATCHER_NOT_REGEX},
		{"!=", MATCHER_NOT_EQUAL},
		{"=", MATCHER_EQUAL},
	};

	peek_past_blanks(cursor);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t length = strlen(operators[i].text);

		if (cursor->length - cursor->at >= length &&
			memcmp(cursor->text + cursor->at, operators[i].text, length) == 0) {
			cursor->at += length;
			*ret_kind = operators[i].kind;
			return 0;
		}
	}
	return refuse(cursor, "one of = != =~ !~ must stand between a label and its value");
}

static int set_type(struct cursor *cursor, struct span type)
{
	if (!selector_is_type(type.text, type.length)) {
		return refuse(cursor,
			"a profile type has five parts, as in "
			"process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	}
	if (cursor->selector->type && strcmp(cursor->selector->type, type.text) != 0)
		return refuse(cursor, "a second profile type; a query reads one");
	cursor->selector->type = type.text;
	return 0;
}

/* Whether the matcher says which type, rather than which rows of it. */
static bool names_type(struct span name, enum matcher_kind kind, struct span value)
{
	if (kind != MATCHER_EQUAL)
		return false;
	return strcmp(name.text, "__profile_type__") == 0 ||
		(strcmp(name.text, "__name__") == 0 && memchr(value.text, ':', value.length));
}

static int add_matcher(
	struct cursor *cursor, struct span name, enum matcher_kind kind, struct span value)
{
	struct selector *selector = cursor->selector;
	struct selector_matcher *matcher = &selector->matchers[selector->matcher_count];
	char reason[PATTERN_ERROR_BYTES_MAX];
	int r;

	if (selector->matcher_count == SELECTOR_MATCHER_COUNT_MAX)
		return refuse(cursor, "more than %d matchers", SELECTOR_MATCHER_COUNT_MAX);
	*matcher = (struct selector_matcher){.name = name.text,
		.name_length = name.length,
		.value = value.text,
		.value_length = value.length,
		.kind = kind};
	if (kind == MATCHER_REGEX || kind == MATCHER_NOT_REGEX) {
		r = pattern_new(value.text, value.length, &matcher->pattern, reason);
		if (r == -EINVAL)
			return refuse(cursor, "the regular expression before it: %s", reason);
		if (r < 0)
			return r;
	}
	selector->matcher_count++;
	return 0;
}

static int parse_matcher(struct cursor *cursor)
{
	struct span name = {.text = ""}, value = {.text = ""};
	enum matcher_kind kind = MATCHER_EQUAL;
	bool quoted = is_quote(peek(cursor));
	int r = quoted ? parse_quoted(cursor, &name) : parse_name(cursor, &name);
	int next;

	if (r < 0)
		return r;
	next = peek_past_blanks(cursor);
	if (quoted && (next == ',' || next == '}'))
		return set_type(cursor, name);
	if (name.length == 0 || strlen(name.text) != name.length)
		return refuse(cursor, "the label name before it is empty or holds a NUL");
	r = parse_operator(cursor, &kind);
	if (r < 0)
		return r;
	if (!is_quote(peek_past_blanks(cursor)))
		return refuse(cursor, "the value must stand in quotes");
	r = parse_quoted(cursor, &value);
	if (r < 0)
		return r;
	if (names_type(name, kind, value))
		return set_type(cursor, value);
	return add_matcher(cursor, name, kind, value);
}

static int parse_matchers(struct cursor *cursor)
{
	int r;

	cursor->at++;
	while (peek_past_blanks(cursor) != '}') {
		r = parse_matcher(cursor);
		if (r < 0)
			return r;
		if (peek_past_blanks(cursor) == ',')
			cursor->at++;
		else if (peek(cursor) != '}')
			return refuse(cursor, "a comma or } must follow a matcher");
	}
	cursor->at++;
	return 0;
}

static int parse_type(struct cursor *cursor)
{
	size_t from = cursor->at;
	struct span type;
	int r;

	while (peek(cursor) > ' ' && !strchr("{}\"'`,=", peek(cursor)))
		cursor->at++;
	if (cursor->at == from)
		return 0;
	r = keep(cursor, cursor->text + from, cursor->at - from, &type);
	return r < 0 ? r : set_type(cursor, type);
}

static int parse(struct cursor *cursor)
{
	int r;

	if (cursor->length > SELECTOR_TEXT_BYTES_MAX)
		return refuse(cursor, "longer than %u bytes", SELECTOR_TEXT_BYTES_MAX);
	peek_past_blanks(cursor);
	r = parse_type(cursor);
	if (r == 0 && peek_past_blanks(cursor) == '{')
		r = parse_matchers(cursor);
	if (r < 0)
		return r;
	if (peek_past_blanks(cursor) >= 0)
		return refuse(
			cursor, "nothing may stand here; a selector is TYPE{label=\"value\"}");
	return 0;
}

int selector_parse(const char *text, size_t length, struct selector *ret_selector, char *ret_error)
{
	struct selector selector = {0};
	struct cursor cursor;
	int r;

	cursor.text = text;
	cursor.length = length;
	cursor.at = 0;
	cursor.selector = &selector;
	cursor.error = ret_error;
	arena_init(&selector.texts, TEXTS_BYTES_MAX);
	r = parse(&cursor);
	if (r < 0) {
		selector_done(&selector);
		return r;
	}
	*ret_selector = selector;
	return 0;
}

void selector_done(struct selector *selector)
{
	for (uint32_t i = 0; i < selector->matcher_count; i++)
		pattern_free(selector->matchers[i].pattern);
	arena_done(&selector->texts);
	*selector = (struct selector){0};
}

int selector_add_equal(struct selector *selector, const char *name, const char *value)
{
	struct selector_matcher *matcher = &selector->matchers[selector->matcher_count];

	if (selector->matcher_count == SELECTOR_MATCHER_COUNT_MAX)
		return -E2BIG;
	*matcher = (struct selector_matcher){
		.name = arena_copy_text(&selector->texts, name, strlen(name)),
		.name_length = strlen(name),
		.value = arena_copy_text(&selector->texts, value, strlen(value)),
		.value_length = strlen(value),
		.kind = MATCHER_EQUAL,
	};
	if (!matcher->name || !matcher->value)
		return -ENOMEM;
	selector->matcher_count++;
	return 0;
}

static bool is_bare_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!is_name((unsigned char)name[i]))
			return false;
	}
	return length > 0;
}

void selector_format(const struct selector *selector, struct bytes_writer *writer)
{
	static const char *const operators[] = {
		[MATCHER_EQUAL] = "=",
		[MATCHER_NOT_EQUAL] = "!=",
		[MATCHER_REGEX] = "=~",
		[MATCHER_NOT_REGEX] = "!~",
	};

	/* Inside the braces the type is quoted: it may hold any character there. */
	bytes_write_span(writer, "{", 1);
	if (selector->type)
		quoted_text_write(writer, selector->type, strlen(selector->type));
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &selector->matchers[i];
		const char *operator= operators[matcher->kind];

		if (i > 0 || selector->type)
			bytes_write_span(writer, ",", 1);
		if (is_bare_name(matcher->name, matcher->name_length))
			bytes_write_span(writer, matcher->name, matcher->name_length);
		else
			quoted_text_write(writer, matcher->name, matcher->name_length);
		bytes_write_span(writer, operator, strlen(operator));
		quoted_text_write(writer, matcher->value, matcher->value_length);
	}
	bytes_write_span(writer, "}", 1);
}

int selector_matcher_accepts(
	const struct selector_matcher *matcher, const char *value, size_t length, bool *ret_accepts)
{
	bool same = false;
	int r = 0;

	if (matcher->pattern)
		r = pattern_matches(matcher->pattern, value, length, &same);
	else
		same = matcher->value_length == length &&
			memcmp(matcher->value, value, length) == 0;
	if (r < 0)
		return r;
	*ret_accepts = same == (matcher->kind == MATCHER_EQUAL || matcher->kind == MATCHER_REGEX);
	return 0;
}

bool selector_is_type(const char *text, size_t length)
{
	size_t part = 0, from = 0;

	for (size_t i = 0; i <= length; i++) {
		if (i < length && text[i] == '\0')
			return false;
		if (i < length && text[i] != ':')
			continue;
		if (part < 3 && i == from)
			return false;
		part++;
		from = i + 1;
	}
	return part == TYPE_PART_COUNT;
}
