/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and answers themselves are seen by the tests of the server, which run it. */
#include "symbolizer-server/http/http_exchange.h"

#include "tests/support/check.h"

static void check_text(const char *escaped, const char *expected)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", escaped);
	CHECK_EQ(http_exchange_unescape(NULL, NULL, text), strlen(expected));
	CHECK_STR(text, expected);
}

static void escapes_are_decoded_once(void)
{
	check_text("a%7Bb%3Dc%7D", "a{b=c}");
	check_text("%2541", "%41");
	check_text("100%", "100%");
	check_text("%zz%4", "%zz%4");
}

static void an_escaped_nul_stays_as_it_stands(void)
{
	check_text("a%00b", "a%00b");
}

int main(void)
{
	RUN(escapes_are_decoded_once);
	RUN(an_escaped_nul_stays_as_it_stands);
	return 0;
}
