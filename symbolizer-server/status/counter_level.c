/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/counter_level.h"

#include <string.h>

bool counter_is_level(const char *meaning)
{
	static const char end[] = ", now";
	size_t length = strlen(meaning), end_length = sizeof(end) - 1;

	return length > end_length && strcmp(meaning + length - end_length, end) == 0;
}
