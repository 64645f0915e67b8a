/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/rule_set.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"

/* Twice the rules, so that probes stay short. */
#define SLOT_COUNT ((size_t)UNWIND_RULES_MAX * 2)

int rule_set_init(struct rule_set *set, struct unwind_rule *rules)
{
	*set = (struct rule_set){.rules = rules, .count = 1};
	set->slots = calloc(SLOT_COUNT, sizeof(*set->slots));
	return set->slots ? 0 : -ENOMEM;
}

void rule_set_done(struct rule_set *set)
{
	free(set->slots);
	set->slots = NULL;
}

uint16_t rule_set_number(struct rule_set *set, const struct unwind_rule *rule)
{
	size_t slot = hash_bytes(rule, sizeof(*rule)) % SLOT_COUNT;

	if (rule->cfa == UNWIND_CFA_unknown)
		return UNWIND_RULE_GAP;
	for (; set->slots[slot]; slot = (slot + 1) % SLOT_COUNT)
		if (memcmp(&set->rules[set->slots[slot]], rule, sizeof(*rule)) == 0)
			return set->slots[slot];
	if (set->count == UNWIND_RULES_MAX) {
		set->refused_count++;
		return UNWIND_RULE_GAP;
	}
	set->rules[set->count] = *rule;
	/* A walk that reads the number finds the rule. */
	atomic_thread_fence(memory_order_release);
	set->slots[slot] = (uint16_t)set->count;
	return (uint16_t)set->count++;
}
