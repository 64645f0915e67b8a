/* SPDX-License-Identifier: Apache-2.0 */
/* Any line either is refused, or prints as the kernel prints it to a line that parses to the same.
 */
#include <stdio.h>
#include <string.h>

#include "collector/process/maps_parser.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

static size_t print_line(const struct maps_line *line, char *ret_text, size_t text_bytes)
{
	int length = snprintf(ret_text, text_bytes, "%08llx-%08llx %c%c%c%c %08llx %02x:%02x %llu ",
		(unsigned long long)line->start, (unsigned long long)line->end,
		line->readable ? 'r' : '-', line->writable ? 'w' : '-',
		line->executable ? 'x' : '-', line->shared ? 's' : 'p',
		(unsigned long long)line->offset, line->dev_major, line->dev_minor,
		(unsigned long long)line->inode);

	must(length > 0 && (size_t)length + line->path_length < text_bytes);
	memcpy(ret_text + length, line->path, line->path_length);
	return (size_t)length + line->path_length;
}

static void check_names(const struct maps_line *line)
{
	size_t base_length;
	const char *base = maps_base_name(line->path, line->path_length, &base_length);
	const char *end = line->path + line->path_length;

	must(base >= line->path && base + base_length <= end);
	must(maps_path_length(line->path, line->path_length) <= line->path_length);
	/* What can be opened has a path. */
	if (maps_kind_of(line->path, line->path_length) == MAPS_FILE)
		must(line->path_length > 0 && line->path[0] == '/' && base_length > 0);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	static char text[MAPS_LINE_BYTES_MAX + 256];
	struct maps_line first, second;

	if (byte_count > MAPS_LINE_BYTES_MAX ||
		maps_parse_line((const char *)bytes, byte_count, &first) < 0)
		return;
	must(first.start < first.end);
	must(first.path + first.path_length == (const char *)bytes + byte_count);
	check_names(&first);
	must(maps_parse_line(text, print_line(&first, text, sizeof(text)), &second) == 0);
	must(first.start == second.start && first.end == second.end);
	must(first.offset == second.offset && first.inode == second.inode);
	must(first.dev_major == second.dev_major && first.dev_minor == second.dev_minor);
	must(first.readable == second.readable && first.writable == second.writable);
	must(first.executable == second.executable && first.shared == second.shared);
	must(first.path_length == second.path_length &&
		memcmp(first.path, second.path, first.path_length) == 0);
}
