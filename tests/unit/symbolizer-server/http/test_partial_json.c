/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/partial_json.h"

#include "tests/support/check.h"

static const struct partial whole = {.reason = PARTIAL_NOT};
static const struct partial cut = {
	.reason = PARTIAL_TIME, .answered = {10, 20}, .unreadable_count = 3};

static void a_whole_answer_has_no_header(void)
{
	char text[128] = "before";

	partial_header(&whole, text, sizeof(text));
	CHECK_STR(text, "");
}

static void a_part_says_why_and_of_what(void)
{
	static const struct partial largest = {.reason = PARTIAL_MEMORY,
		.answered = {UINT64_MAX, UINT64_MAX},
		.unreadable_count = UINT64_MAX};
	char text[128];

	partial_header(&cut, text, sizeof(text));
	CHECK_STR(text, "time; from=10; until=20; unreadable=3");
	partial_header(&largest, text, sizeof(text));
	CHECK_STR(text,
		"memory; from=18446744073709551615; until=18446744073709551615; "
		"unreadable=18446744073709551615");
}

int main(void)
{
	RUN(a_whole_answer_has_no_header);
	RUN(a_part_says_why_and_of_what);
	return 0;
}
