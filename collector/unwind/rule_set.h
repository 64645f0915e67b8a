/* SPDX-License-Identifier: Apache-2.0 */
/* Rule set: every distinct unwind rule once, by number.
 *
 * What it is   rules of all binaries in the memory that walks read, and an index over them. Rules
 *              are only ever added: all files of a Debian together have some 5,000.
 * Ownership    the memory of the rules is the caller's and outlives the set.
 * Threads      one owner; walks may read a rule as soon as its number is handed out.
 * Errors       -ENOMEM. When the set is full, new rules become UNWIND_RULE_GAP and are counted.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/unwind_table.h"

struct rule_set {
	struct unwind_rule *rules; /* UNWIND_RULES_MAX; number 0 is UNWIND_RULE_GAP */
	uint32_t count;
	uint16_t *slots; /* open addressing; 0: empty */
	uint64_t refused_count; /* rules that found no place */
};

/* RULES is zeroed memory. */
int rule_set_init(struct rule_set *set, struct unwind_rule *rules);
void rule_set_done(struct rule_set *set);
/* The number of RULE. What is unknown is UNWIND_RULE_GAP. */
uint16_t rule_set_number(struct rule_set *set, const struct unwind_rule *rule);
