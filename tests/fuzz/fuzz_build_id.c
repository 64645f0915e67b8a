/* SPDX-License-Identifier: Apache-2.0 */
/* Any text either is refused and leaves the id alone, or is exactly what the id prints to. */
#include <string.h>

#include "store/base/must.h"
#include "store/profile/build_id.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct build_id id = {.bytes = {0x5a}, .byte_count = 1, .kind = BUILD_ID_GNU}, before = id;
	char text[BUILD_ID_TEXT_MAX];

	if (build_id_parse((const char *)bytes, byte_count, &id) < 0) {
		must(memcmp(&id, &before, sizeof(id)) == 0);
		return;
	}
	must(build_id_known(&id) && build_id_equal(&id, &id) && build_id_compare(&id, &id) == 0);
	build_id_format(&id, text);
	must(strlen(text) == byte_count && memcmp(text, bytes, byte_count) == 0);
}
