/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/content_range.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 18

/* A number, and END behind it. Moves TEXT behind both. */
static bool read_number(const char **text, char end, uint64_t *ret_value)
{
	size_t digits = strspn(*text, "0123456789");

	if (digits == 0 || digits > DIGITS_MAX || (*text)[digits] != end)
		return false;
	*ret_value = strtoull(*text, NULL, 10);
	*text += digits + (end ? 1 : 0);
	return true;
}

int content_range_parse(const char *text, struct content_range *ret_range)
{
	static const char unit[] = "bytes ";
	struct content_range range;
	uint64_t last;

	if (strncmp(text, unit, strlen(unit)) != 0)
		return -EINVAL;
	text += strlen(unit);
	if (!read_number(&text, '-', &range.first) || !read_number(&text, '/', &last) ||
		!read_number(&text, '\0', &range.byte_count))
		return -EINVAL;
	if (range.first > last || last >= range.byte_count)
		return -EINVAL;
	range.end = last + 1;
	*ret_range = range;
	return 0;
}
