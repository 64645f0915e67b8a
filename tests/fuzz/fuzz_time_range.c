/* SPDX-License-Identifier: Apache-2.0 */
/* Any two texts, a newline between them, either are refused with a reason and leave the range
 * alone, or are a range that is not reversed and prints in nanoseconds to the same. A length of
 * time is read to its end or not at all. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/query/time_range.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_BYTES_MAX 256
/* Some day in 2025. */
#define NOW_NS UINT64_C(1750000000123456789)

static void check_range(const char *from, const char *until)
{
	struct time_range range = {.from_ns = 1, .until_ns = 2}, again;
	const char *what = NULL;
	char one[32], other[32];

	if (time_range_parse(from, until, NOW_NS, &range, &what) < 0) {
		must(what && *what && range.from_ns == 1 && range.until_ns == 2);
		return;
	}
	must(range.from_ns <= range.until_ns && range.until_ns <= (uint64_t)INT64_MAX);
	/* Numbers of fewer than nineteen digits would be taken for coarser units. */
	if (range.from_ns < UINT64_C(1000000000000000000))
		return;
	(void)snprintf(one, sizeof(one), "%" PRIu64, range.from_ns);
	(void)snprintf(other, sizeof(other), "%" PRIu64, range.until_ns);
	must(time_range_parse(one, other, NOW_NS, &again, &what) == 0);
	must(again.from_ns == range.from_ns && again.until_ns == range.until_ns);
}

static void check_length(const char *text, size_t length)
{
	uint64_t ns = 1, twice;
	const char *what = NULL;
	char again[2 * TEXT_BYTES_MAX];

	if (time_parse_length(text, length, &ns, &what) < 0) {
		must(what && *what && ns == 1);
		return;
	}
	/* Written twice it is twice as long. */
	memcpy(again, text, length);
	memcpy(again + length, text, length);
	if (time_parse_length(again, 2 * length, &twice, &what) == 0)
		must(twice == 2 * ns);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	char text[TEXT_BYTES_MAX], *until;

	if (byte_count >= sizeof(text) || memchr(bytes, '\0', byte_count))
		return;
	memcpy(text, bytes, byte_count);
	text[byte_count] = '\0';
	check_length(text, byte_count);
	until = strchr(text, '\n');
	if (until)
		*until++ = '\0';
	check_range(text, until);
}
