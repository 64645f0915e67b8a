/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/time_range.h"

#include <errno.h>
#include <inttypes.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

#define S NS_PER_S
#define NOW (UINT64_C(1800000000) * S)

static void points_in_time_are_read_in_every_form(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{"now", NOW},
		{" now ", NOW},
		{"now-1h", NOW - 3600 * S},
		{"now-1h30m", NOW - 5400 * S},
		{"now-1M", NOW - UINT64_C(30) * 86400 * S},
		{"now-1mon", NOW - UINT64_C(30) * 86400 * S},
		{"now-2w", NOW - UINT64_C(14) * 86400 * S},
		{"now-1y", NOW - UINT64_C(365) * 86400 * S},
		{"now-500ms", NOW - S / 2},
		{"now+5m", NOW + 300 * S},
		{"now 5m", NOW + 300 * S},
		{"-1d", NOW - 86400 * S},
		{"now-9999y", 0},
		{"0", 0},
		{"1700000000", UINT64_C(1700000000) * S},
		{"1700000000.25", UINT64_C(1700000000) * S + S / 4},
		{"1700000000000", UINT64_C(1700000000) * S},
		{"1700000000000000", UINT64_C(1700000000) * S},
		{"1700000000000000000", UINT64_C(1700000000) * S},
		{"1700000000123456789", UINT64_C(1700000000123456789)},
		{"20231114", UINT64_C(1699920000) * S},
		{"2023-11-14", UINT64_C(1699920000) * S},
		{"2023-11-14T22:13:20Z", UINT64_C(1700000000) * S},
		{"2023-11-14t22:13:20z", UINT64_C(1700000000) * S},
		{"2023-11-14 22:13:20", UINT64_C(1700000000) * S},
		{"2023-11-14T22:13:20.5Z", UINT64_C(1700000000) * S + S / 2},
		{"2023-11-14T22:13:20.1234567899Z", UINT64_C(1700000000123456789)},
		{"2023-11-15T00:13:20+02:00", UINT64_C(1700000000) * S},
		{"2023-11-15T00:13:20 02:00", UINT64_C(1700000000) * S},
		{"2023-11-14T19:43:20-0230", UINT64_C(1700000000) * S},
		{"1970-01-01T00:00:00Z", 0},
		{"2000-02-29", UINT64_C(951782400) * S},
		{"2024-12-31T23:59:60Z", UINT64_C(1735689600) * S},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 1;
		const char *what = "";

		if (time_parse(cases[i].text, strlen(cases[i].text), NOW, &ns, &what) < 0 ||
			ns != cases[i].ns)
			fprintf(stderr, "%s: %" PRIu64 " %s\n", cases[i].text, ns, what);
		CHECK_EQ(ns, cases[i].ns);
	}
}

static void what_is_no_time_is_refused(void)
{
	static const char *const texts[] = {"", " ", "yesterday", "now-", "now-1", "now-h",
		"now-1x", "nowish", "now1h", "-5", "1e9", "12:30", "2023-13-01", "2023-02-29",
		"2023-11-14T25:00:00Z", "2023-11-14T10:00Z", "1969-12-31", "2023-11-14T22:13:20+2",
		"99999999999999999999999", "now+300y", "2300-01-01", "1700000000.", "+1h", "0x10"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		uint64_t ns = 77;
		const char *what = NULL;

		if (time_parse(texts[i], strlen(texts[i]), NOW, &ns, &what) == 0)
			fprintf(stderr, "%s was read as %" PRIu64 "\n", texts[i], ns);
		CHECK_EQ(ns, 77);
		CHECK(what);
	}
}

static void ranges_have_defaults_and_an_order(void)
{
	struct time_range range;
	const char *what = NULL;

	CHECK_EQ(time_range_parse(NULL, "", NOW, &range, &what), 0);
	CHECK_EQ(range.from_ns, NOW - 3600 * S);
	CHECK_EQ(range.until_ns, NOW);
	CHECK_EQ(time_range_parse("now-1m", "now-1m", NOW, &range, &what), 0);
	CHECK_EQ(range.from_ns, range.until_ns);
	CHECK_EQ(time_range_parse("now", "now-1m", NOW, &range, &what), -EINVAL);
	CHECK(strstr(what, "swap"));
	CHECK_EQ(time_range_parse("x", "now", NOW, &range, &what), -EINVAL);
}

static void lengths_are_read(void)
{
	uint64_t ns = 0;
	const char *what = NULL;

	CHECK_EQ(time_parse_length("1h30m", 5, &ns, &what), 0);
	CHECK_EQ(ns, 5400 * S);
	CHECK_EQ(time_parse_length("90", 2, &ns, &what), -EINVAL);
	CHECK_EQ(time_parse_length("", 0, &ns, &what), -EINVAL);
	CHECK_EQ(time_parse_length("999999999999w", 13, &ns, &what), -EINVAL);
	CHECK_EQ(ns, 5400 * S);
}

int main(void)
{
	RUN(points_in_time_are_read_in_every_form);
	RUN(what_is_no_time_is_refused);
	RUN(ranges_have_defaults_and_an_order);
	RUN(lengths_are_read);
	return 0;
}
