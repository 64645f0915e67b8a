/* SPDX-License-Identifier: Apache-2.0 */
/* Any line either is refused, or prints as the kernel prints it to a line that parses to the same. */
#include <stdio.h>
#include <string.h>

#include "collector/process/kallsyms.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

static bool lies_inside(const char *text, size_t length, const uint8_t *bytes, size_t byte_count)
{
	const char *first = (const char *)bytes;

	return text >= first && length <= byte_count &&
		text - first <= (ptrdiff_t)(byte_count - length);
}

static size_t print_line(const struct kallsyms_line *line, char *ret_text, size_t text_bytes)
{
	int length = snprintf(ret_text, text_bytes, "%016llx %c %.*s",
		(unsigned long long)line->address, line->type, (int)line->name_length, line->name);

	if (line->module)
		length += snprintf(ret_text + length, text_bytes - (size_t)length, "\t[%.*s]",
			(int)line->module_length, line->module);
	must(length > 0 && (size_t)length < text_bytes);
	return (size_t)length;
}

static bool same_text(const char *one, size_t one_length, const char *other, size_t other_length)
{
	return one_length == other_length && (!one) == (!other) &&
		(!one || memcmp(one, other, one_length) == 0);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	static char text[KALLSYMS_LINE_BYTES_MAX + 64];
	struct kallsyms_line line, again;

	if (byte_count > KALLSYMS_LINE_BYTES_MAX || memchr(bytes, '\0', byte_count) ||
		kallsyms_parse_line((const char *)bytes, byte_count, &line) < 0)
		return;
	must(line.name_length > 0 && lies_inside(line.name, line.name_length, bytes, byte_count));
	if (line.module)
		must(lies_inside(line.module, line.module_length, bytes, byte_count));
	must(kallsyms_parse_line(text, print_line(&line, text, sizeof(text)), &again) == 0);
	must(line.address == again.address && line.type == again.type);
	must(same_text(line.name, line.name_length, again.name, again.name_length));
	must(same_text(line.module, line.module_length, again.module, again.module_length));
	must(kallsyms_is_function(&line) == kallsyms_is_function(&again));
}
