/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/form_data.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static const char form_type[] = "multipart/form-data";

bool form_data_is(const char *content_type)
{
	return content_type && strncasecmp(content_type, form_type, sizeof(form_type) - 1) == 0;
}

/* The value of `NAME=value` or `NAME="value"` among the parameters of a header. */
static struct ingest_text parameter(struct ingest_text header, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i + length + 1 < header.length; i++) {
		const char *at = header.text + i, *end = header.text + header.length;
		bool begins = i > 0 && strchr("; \t", at[-1]) != NULL && at[-1] != '\0';

		if (!begins || strncasecmp(at, name, length) != 0 || at[length] != '=')
			continue;
		at += length + 1;
		if (*at == '"') {
			const char *quote = memchr(at + 1, '"', (size_t)(end - at - 1));

			return (struct ingest_text){
				at + 1, (size_t)((quote ? quote : end) - at - 1)};
		}
		for (length = 0; at + length < end && !strchr("; \t\r", at[length]); length++)
			;
		return (struct ingest_text){at, length};
	}
	return (struct ingest_text){"", 0};
}

static bool has_parameter(struct ingest_text header, const char *name)
{
	return parameter(header, name).text[0] != '\0';
}

/* The place of the first WORD in TEXT, or NULL. */
static const char *find(struct ingest_text text, const char *word, size_t length)
{
	return text.length < length ? NULL : memmem(text.text, text.length, word, length);
}

static void skip_to(struct ingest_text *text, const char *at)
{
	text->length -= (size_t)(at - text->text);
	text->text = at;
}

int form_data_init(struct form_data *form, const char *content_type, struct ingest_text body,
	struct ingest_fault *fault)
{
	struct ingest_text type = {content_type, strlen(content_type)};
	struct ingest_text boundary = parameter(type, "boundary");
	const char *first;

	if (boundary.length == 0 || boundary.length + 2 > FORM_BOUNDARY_BYTES_MAX) {
		return ingest_refuse(fault, -EBADMSG,
			"Content-Type: %s needs a boundary of at most %d characters", form_type,
			FORM_BOUNDARY_BYTES_MAX - 2);
	}
	*form = (struct form_data){.boundary = "--", .rest = body};
	memcpy(form->boundary + 2, boundary.text, boundary.length);
	form->boundary_length = boundary.length + 2;
	first = find(body, form->boundary, form->boundary_length);
	if (!first) {
		return ingest_refuse(fault, -EBADMSG,
			"the boundary that Content-Type names does not stand in the body");
	}
	skip_to(&form->rest, first + form->boundary_length);
	return 0;
}

/* The line at the front of TEXT, which is moved behind it. */
static struct ingest_text take_line(struct ingest_text *text)
{
	const char *end = memchr(text->text, '\n', text->length);
	struct ingest_text line = {text->text, end ? (size_t)(end - text->text) : text->length};

	skip_to(text, end ? end + 1 : text->text + text->length);
	if (line.length > 0 && line.text[line.length - 1] == '\r')
		line.length--;
	return line;
}

static void read_headers(struct ingest_text *text, struct form_part *part)
{
	static const char disposition[] = "content-disposition:";
	struct ingest_text line;

	while ((line = take_line(text)).length > 0) {
		if (line.length < sizeof(disposition) - 1 ||
			strncasecmp(line.text, disposition, sizeof(disposition) - 1) != 0)
			continue;
		part->name = parameter(line, "name");
		part->is_file = has_parameter(line, "filename");
	}
}

/* The boundary that ends a part begins a line of its own; a body may hold the same bytes. */
static const char *find_end(const struct form_data *form, struct ingest_text text)
{
	const char *at;

	while ((at = find(text, form->boundary, form->boundary_length))) {
		if (at > form->rest.text && at[-1] == '\n')
			return at;
		skip_to(&text, at + 1);
	}
	return NULL;
}

int form_data_next(struct form_data *form, struct form_part *ret_part, struct ingest_fault *fault)
{
	struct form_part part = {.is_file = false};
	struct ingest_text at = form->rest;
	const char *end;

	/* Two dashes behind a boundary: it was the last one. */
	if (at.length >= 2 && at.text[0] == '-' && at.text[1] == '-')
		return 0;
	take_line(&at);
	form->rest = at;
	read_headers(&at, &part);
	end = find_end(form, at);
	/* An empty part's boundary stands right behind its headers. */
	if (!end || end < at.text) {
		return ingest_refuse(
			fault, -EBADMSG, "a part of the form does not end: the body was cut off");
	}
	part.body = (struct ingest_text){at.text, (size_t)(end - at.text)};
	if (part.body.length > 0)
		part.body.length--;
	if (part.body.length > 0 && part.body.text[part.body.length - 1] == '\r')
		part.body.length--;
	skip_to(&form->rest, end + form->boundary_length);
	*ret_part = part;
	return 1;
}
