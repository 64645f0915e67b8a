/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_name.h"

#include <string.h>

/* What stands before the number of a class that was made at run time. */
static const char *const made[] = {
	"$$Lambda",
	"GeneratedMethodAccessor",
	"GeneratedConstructorAccessor",
	"GeneratedSerializationConstructorAccessor",
	"$$EnhancerBySpringCGLIB$$",
	"$$FastClassBySpringCGLIB$$",
};

static bool is_number_byte(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
		(byte != '\0' && strchr("x$./+", byte) != NULL);
}

static bool is_number(struct ingest_text text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (!is_number_byte(text.text[i]))
			return false;
	}
	return text.length > 0;
}

static struct ingest_text from(struct ingest_text text, size_t at)
{
	return (struct ingest_text){text.text + at, text.length - at};
}

/* The length of NAME without the number behind MARK; all of it where there is none. */
static size_t length_before_number(struct ingest_text name, const char *mark)
{
	size_t length = strlen(mark);
	const char *at = memmem(name.text, name.length, mark, length);
	size_t end = at ? (size_t)(at - name.text) + length : name.length;

	return is_number(from(name, end)) ? end : name.length;
}

/* The same for the address of a hidden class: `Name.0x0000000800c03400`, `Name+0x00007f7a/1183`. */
static size_t length_before_address(struct ingest_text name)
{
	static const char mark[] = "0x";
	const char *at = memmem(name.text, name.length, mark, sizeof(mark) - 1);
	size_t end = at ? (size_t)(at - name.text) : 0;

	if (end < 2 || !strchr("./+", name.text[end - 1]) || !is_number(from(name, end)))
		return name.length;
	return end - 1;
}

static size_t length_of_made(struct ingest_text name)
{
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		size_t length = length_before_number(name, made[i]);

		if (length < name.length)
			return length;
	}
	return length_before_address(name);
}

static bool is_path(struct ingest_text name)
{
	return name.text[0] == '/' ||
		(name.length > 1 && name.text[0] == '.' && name.text[1] == '/');
}

static void write_class(struct bytes_writer *writer, struct ingest_text name)
{
	size_t length = length_of_made(name);

	for (size_t i = 0; i < length; i++)
		bytes_write_u8(writer, (uint8_t)(name.text[i] == '/' ? '.' : name.text[i]));
	if (length < name.length)
		bytes_write_u8(writer, '_');
}

void jfr_name_write(
	struct bytes_writer *writer, struct ingest_text class_name, struct ingest_text method)
{
	if (class_name.length > 0 && is_path(class_name))
		bytes_write_span(writer, class_name.text, class_name.length);
	else if (class_name.length > 0)
		write_class(writer, class_name);
	if (class_name.length > 0 && method.length > 0)
		bytes_write_u8(writer, '.');
	bytes_write_span(writer, method.text, method.length);
}
