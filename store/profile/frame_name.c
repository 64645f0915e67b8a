/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/frame_name.h"

#include <string.h>

static uint32_t read_line(const char *digits)
{
	uint32_t line = 0;

	for (; *digits >= '0' && *digits <= '9'; digits++) {
		if (__builtin_mul_overflow(line, 10u, &line) ||
			__builtin_add_overflow(line, (uint32_t)(*digits - '0'), &line))
			return 0;
	}
	return *digits == '\0' ? line : 0;
}

struct frame_name frame_name_read(const struct string_table *strings, uint32_t string)
{
	const char *text = string_table_text(strings, string);
	const char *end = text + string_table_length(strings, string);
	struct frame_name name = {.function = text};
	const char *at = text + strlen(text) + 1;

	/* Each piece ends with a NUL: one of its own, or that behind the text. */
	if (at <= end) {
		name.file = *at != '\0' ? at : NULL;
		at += strlen(at) + 1;
	}
	if (at <= end)
		name.line = read_line(at);
	return name;
}
