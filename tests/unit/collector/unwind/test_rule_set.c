/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/rule_set.h"

#include "tests/support/check.h"

static struct unwind_rule memory[UNWIND_RULES_MAX];
static struct rule_set set;

static struct unwind_rule rule_of(int32_t cfa_offset)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_register,
		.cfa_register = UNWIND_RSP,
		.return_detail = -1,
		.cfa_offset = cfa_offset};
}

static void equal_rules_have_one_number(void)
{
	struct unwind_rule one = rule_of(8), other = rule_of(16);
	uint16_t number = rule_set_number(&set, &one);

	CHECK(number != UNWIND_RULE_GAP);
	CHECK(rule_set_number(&set, &other) != number);
	CHECK_EQ(rule_set_number(&set, &one), number);
	CHECK_EQ(memory[number].cfa_offset, 8);
}

static void what_is_unknown_is_a_gap(void)
{
	struct unwind_rule unknown = {.cfa = UNWIND_CFA_unknown, .cfa_offset = 8};

	CHECK_EQ(rule_set_number(&set, &unknown), UNWIND_RULE_GAP);
}

static void a_full_set_gives_gaps_and_counts_them(void)
{
	struct unwind_rule rule;

	for (int32_t i = 0; set.count < UNWIND_RULES_MAX; i++) {
		rule = rule_of(i);
		CHECK(rule_set_number(&set, &rule) != UNWIND_RULE_GAP);
	}
	rule = rule_of(-8);
	CHECK_EQ(rule_set_number(&set, &rule), UNWIND_RULE_GAP);
	CHECK_EQ(set.refused_count, 1);
	rule = rule_of(8);
	CHECK(rule_set_number(&set, &rule) != UNWIND_RULE_GAP);
}

int main(void)
{
	CHECK_EQ(rule_set_init(&set, memory), 0);
	RUN(equal_rules_have_one_number);
	RUN(what_is_unknown_is_a_gap);
	RUN(a_full_set_gives_gaps_and_counts_them);
	rule_set_done(&set);
	return 0;
}
