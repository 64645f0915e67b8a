/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/fail_rule.h"

#include <errno.h>

#include "tests/support/check.h"

static bool breaks(const char *text, const char *name, double left, double right)
{
	char error[FAIL_RULE_ERROR_BYTES_MAX];
	struct fail_rule rule;
	bool broken;

	CHECK_EQ(fail_rule_parse(text, &rule, error), 0);
	broken = fail_rule_breaks(&rule, name, left, right);
	fail_rule_done(&rule);
	return broken;
}

static void points_are_of_the_whole(void)
{
	CHECK(breaks("slow>+5%", "slow", 0.10, 0.16));
	CHECK(!breaks("slow>+5%", "slow", 0.10, 0.14));
	CHECK(!breaks("slow>+5%", "slow", 0.30, 0.10));
	CHECK(breaks("slow>+0.5%", "slow", 0, 0.006));
}

static void a_ratio_is_of_the_share_before(void)
{
	CHECK(breaks("slow>x1.5", "slow", 0.10, 0.16));
	CHECK(!breaks("slow>x1.5", "slow", 0.10, 0.15));
	/* What is new is infinitely more. */
	CHECK(breaks("slow>x100", "slow", 0, 0.01));
	CHECK(!breaks("slow>x2", "slow", 0, 0));
}

static void names_are_expressions(void)
{
	CHECK(breaks("^(slow|lazy)$>+1%", "lazy", 0, 1));
	CHECK(!breaks("^(slow|lazy)$>+1%", "lazybones", 0, 1));
	CHECK(breaks("bones>+1%", "lazybones", 0, 1));
	CHECK(breaks("map<int, set<int>>>+1%", "map<int, set<int>>::find", 0, 1));
}

static void wrong_rules_say_how_to_write_one(void)
{
	static const char *const wrong[] = {"", "slow", ">+5%", "slow>5%", "slow>+5", "slow>+%",
		"slow>x", "slow>xx", "slow>+five%", "slow>x1.5%", "slow>+-5%", "slow>+5%%"};
	char error[FAIL_RULE_ERROR_BYTES_MAX];
	struct fail_rule rule;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQ(fail_rule_parse(wrong[i], &rule, error), -EINVAL);
		CHECK(strstr(error, "NAME>+5%"));
	}
	CHECK_EQ(fail_rule_parse("slow(>+5%", &rule, error), -EINVAL);
	CHECK(strstr(error, "slow("));
}

int main(void)
{
	RUN(points_are_of_the_whole);
	RUN(a_ratio_is_of_the_share_before);
	RUN(names_are_expressions);
	RUN(wrong_rules_say_how_to_write_one);
	return 0;
}
