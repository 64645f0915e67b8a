/* SPDX-License-Identifier: Apache-2.0 */
/* The first line is the format, the second the content type, the rest a body: it is refused with a
 * sentence, or becomes profiles that pass their check. */
#include <errno.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/ingest/ingest_upload.h"
#include "symbolizer-server/ingest/profile_list.h"
#include "tests/fuzz/fuzz.h"

#define LINE_BYTES 128

/* Copies the line at the front, and gives where the next begins. */
static size_t take_line(const uint8_t *bytes, size_t byte_count, char line[LINE_BYTES])
{
	size_t length = 0;

	while (length < byte_count && bytes[length] != '\n')
		length++;
	memcpy(line, bytes, length < LINE_BYTES - 1 ? length : LINE_BYTES - 1);
	line[length < LINE_BYTES - 1 ? length : LINE_BYTES - 1] = '\0';
	return length < byte_count ? length + 1 : length;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	char format[LINE_BYTES], type[LINE_BYTES];
	size_t at = take_line(bytes, byte_count, format);
	struct ingest_fault fault = {""};
	struct ingest_drops drops = {0};
	struct profile_list list = {.profiles = NULL};
	int r;

	at += take_line(bytes + at, byte_count - at, type);
	const struct ingest_upload upload = {.name = "fuzz.cpu{a=b}",
		.format = format,
		.content_type = type,
		.now_ns = UINT64_C(1796061870000000000)};

	r = ingest_upload_read(&upload,
		(struct ingest_text){(const char *)bytes + at, byte_count - at}, &list, &drops,
		&fault);
	must(r == 0 || r == -ENOMEM || fault.text[0] != '\0');
	for (uint32_t i = 0; i < list.count; i++) {
		const char *what;

		must(profile_check(list.profiles[i], &what) == 0);
	}
	profile_list_done(&list);
}
