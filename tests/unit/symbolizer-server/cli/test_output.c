/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/output.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

static void amounts_get_the_unit_in_which_they_are_short(void)
{
	static const struct {
		double value;
		const char *unit;
		const char *text;
	} cases[] = {
		{0, "nanoseconds", "0 ns"},
		{999, "nanoseconds", "999 ns"},
		{1500, "nanoseconds", "1.50 us"},
		{123456789, "nanoseconds", "123 ms"},
		{1.5e9, "nanoseconds", "1.50 s"},
		{9e10, "nanoseconds", "1.50 min"},
		{7.2e12, "nanoseconds", "2.00 h"},
		{1023, "bytes", "1023 B"},
		{1536, "bytes", "1.50 KiB"},
		{3221225472.0, "bytes", "3.00 GiB"},
		{12345678, "count", "12345678"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[AMOUNT_BYTES_MAX];

		output_amount(cases[i].value, cases[i].unit, text);
		CHECK_STR(text, cases[i].text);
	}
}

static void ages_are_rough(void)
{
	char text[AMOUNT_BYTES_MAX];

	output_age(0, 3 * NS_PER_S, text);
	CHECK_STR(text, "3 s ago");
	output_age(0, 119 * NS_PER_S, text);
	CHECK_STR(text, "119 s ago");
	output_age(0, 7200 * NS_PER_S, text);
	CHECK_STR(text, "2 h ago");
	output_age(5, 1, text);
	CHECK_STR(text, "0 s ago");
}

static void a_terminal_obeys_no_name(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	CHECK(out);
	output_text(out, "a\x1b[2J\n\xc2\x9b\xc3\xa4");
	(void)fclose(out);
	CHECK_STR(text, "a\\x1b[2J\\x0a\\x9b\xc3\xa4");
	free(text);
}

int main(void)
{
	RUN(amounts_get_the_unit_in_which_they_are_short);
	RUN(ages_are_rough);
	RUN(a_terminal_obeys_no_name);
	return 0;
}
