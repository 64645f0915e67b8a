/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/watch_rule.h"

#include <errno.h>

#include "tests/support/check.h"

static void the_first_bar_outside_of_quotes_stands_between(void)
{
	char error[WATCH_RULE_ERROR_BYTES_MAX];
	struct watch_rule rule;
	bool matches;

	CHECK_EQ(watch_rule_parse("{host=~\"a|b\\\"|\",x='|'}|f|g.*", &rule, error), 0);
	CHECK_EQ(rule.selector.matcher_count, 2);
	CHECK_STR(rule.selector.matchers[0].value, "a|b\"|");
	CHECK_STR(rule.selector.type, "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	CHECK_STR(watch_rule_function(&rule), "f|g.*");
	CHECK_EQ(pattern_matches(rule.function, "gun", 3, &matches), 0);
	CHECK(matches);
	CHECK_EQ(pattern_matches(rule.function, "fun", 3, &matches), 0);
	CHECK(!matches);
	watch_rule_done(&rule);
	CHECK_EQ(watch_rule_parse("off_cpu:off_cpu:nanoseconds::|lock", &rule, error), 0);
	CHECK_STR(rule.selector.type, "off_cpu:off_cpu:nanoseconds::");
	watch_rule_done(&rule);
	CHECK_EQ(watch_rule_parse("|lock", &rule, error), 0);
	CHECK_EQ(rule.selector.matcher_count, 0);
	watch_rule_done(&rule);
}

static void wrong_rules_say_what_to_mend(void)
{
	static const struct {
		const char *text;
		const char *what;
	} cases[] = {
		{"", "QUERY|FUNCTION"},
		{"main", "QUERY|FUNCTION"},
		{"{a=\"b\"}|", "QUERY|FUNCTION"},
		{"{a=\"|main", "QUERY|FUNCTION"},
		{"{a}|main", "selector, character"},
		{"{}|(main", "(main"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char error[WATCH_RULE_ERROR_BYTES_MAX];
		struct watch_rule rule;

		CHECK_EQ(watch_rule_parse(cases[i].text, &rule, error), -EINVAL);
		CHECK(strstr(error, cases[i].what));
	}
}

int main(void)
{
	RUN(the_first_bar_outside_of_quotes_stands_between);
	RUN(wrong_rules_say_what_to_mend);
	return 0;
}
