/* SPDX-License-Identifier: Apache-2.0 */
/* Any line either is refused, or prints to one that parses to the same. */
#include <stdio.h>
#include <string.h>

#include "collector/jit/perf_map_line.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	char text[PERF_MAP_NAME_BYTES_MAX + 64];
	struct perf_map_line first, second;
	int length;

	if (perf_map_parse_line((const char *)bytes, byte_count, &first) < 0)
		return;
	must(first.size > 0 && first.start + first.size > first.start);
	must(first.name_length > 0 && first.name_length <= PERF_MAP_NAME_BYTES_MAX);
	must(first.name >= (const char *)bytes &&
		first.name + first.name_length <= (const char *)bytes + byte_count);
	length = snprintf(text, sizeof(text), "%llx %x %.*s", (unsigned long long)first.start,
		first.size, (int)first.name_length, first.name);
	must(length > 0 && (size_t)length < sizeof(text));
	must(perf_map_parse_line(text, (size_t)length, &second) == 0);
	must(first.start == second.start && first.size == second.size);
	/* A cut may leave a blank at the end, which the end of a line is not. */
	must(second.name_length <= first.name_length &&
		memcmp(first.name, second.name, second.name_length) == 0);
	for (size_t i = second.name_length; i < first.name_length; i++)
		must(first.name[i] == ' ');
}
