/* SPDX-License-Identifier: Apache-2.0 */
/* The first line is the format, the second the content type, the rest a body: it is refused with a
 * sentence, or becomes profiles that pass their check. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/ingest/ingest_upload.h"
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
	struct profile **profiles;
	uint32_t count;
	int r;

	at += take_line(bytes + at, byte_count - at, type);
	const struct ingest_upload upload = {.name = "fuzz.cpu{a=b}",
		.format = format,
		.content_type = type,
		.now_ns = UINT64_C(1796061870000000000)};

	r = ingest_upload_read(&upload,
		(struct ingest_text){(const char *)bytes + at, byte_count - at}, &drops, &profiles,
		&count, &fault);
	if (r < 0) {
		must(r == -ENOMEM || fault.text[0] != '\0');
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const char *what;

		must(profile_check(profiles[i], &what) == 0);
		profile_free(profiles[i]);
	}
	free(profiles);
}
