/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/query_text.h"

#include "store/base/cleanup.h"
#include "store/profile/profile.h"
#include "tests/support/check.h"

#define CPU PROFILE_TYPE_ON_CPU

static void makes(const char *query, const char *host, const char *process, const char *expected)
{
	SCOPED_FREE char *text = NULL;

	CHECK_EQ(query_text_make(query, host, process, &text), 0);
	CHECK_STR(text, expected);
}

static void flags_become_one_selector(void)
{
	makes(NULL, NULL, NULL, CPU "{}");
	makes("", "a", NULL, CPU "{host=\"a\"}");
	makes("{x=\"y\"}", NULL, "p\"q", CPU "{x=\"y\",process=\"p\\\"q\"}");
	makes("{x=\"y\", }", "a", "b", CPU "{x=\"y\", host=\"a\",process=\"b\"}");
	makes(" a:b:c:d:e ", "h", NULL, "a:b:c:d:e{host=\"h\"}");
	makes("a:b:c:d:e{x=\"{}\"}", NULL, NULL, "a:b:c:d:e{x=\"{}\"}");
}

static void nonsense_is_left_to_the_server(void)
{
	makes("{nonsense", "a", NULL, "{nonsense");
	makes("a b", "a", NULL, "a b");
}

int main(void)
{
	RUN(flags_become_one_selector);
	RUN(nonsense_is_left_to_the_server);
	return 0;
}
