/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/status_chain.h"

#include <math.h>

#include "tests/support/check.h"

static void counts_are_grouped_and_the_largest_are_short(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {7, "7"}, {999, "999"}, {1000, "1,000"}, {1234567, "1,234,567"},
		{9999999999, "9,999,999,999"}, {12345678901, "12.3 G"}, {5e12, "5000 G"},
		{-3, "0"}};
	char text[COUNT_BYTES_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		status_chain_count(cases[i].value, text);
		CHECK_STR(text, cases[i].text);
	}
}

int main(void)
{
	RUN(counts_are_grouped_and_the_largest_are_short);
	return 0;
}
