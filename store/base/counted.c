/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/counted.h"

#include <string.h>

void counted_visit(const struct counted *rows, const uint64_t *values, size_t count,
	counted_fn visit, void *context)
{
	for (size_t i = 0; i < count; i++) {
		struct counted counted = rows[i];

		counted.value = values[i];
		visit(context, &counted);
	}
}

bool counted_is_level(const char *meaning)
{
	static const char end[] = ", now";
	size_t length = strlen(meaning), end_length = sizeof(end) - 1;

	return length > end_length && strcmp(meaning + length - end_length, end) == 0;
}
