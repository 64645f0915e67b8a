/* SPDX-License-Identifier: Apache-2.0 */
/* Any name becomes a short text of sound characters, soon. */
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/name_text.h"
#include "symbolizer-server/symbol/demangle.h"
#include "tests/fuzz/fuzz.h"

/* Far above what a sanitizer on a busy machine needs, far below what a trap would take. */
#define TIME_NS_MAX (UINT64_C(5) * NS_PER_S)

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE char *name = malloc(byte_count + 1);
	char text[DEMANGLED_BYTES_MAX];
	uint64_t started_ns = clock_monotonic_ns();

	must(name);
	memcpy(name, bytes, byte_count);
	name[byte_count] = '\0';
	demangle(name, text);
	must(strnlen(text, sizeof(text)) < sizeof(text));
	must(name_text_clean(text, strlen(text)));
	must(clock_monotonic_ns() - started_ns < TIME_NS_MAX);
}
