/* SPDX-License-Identifier: Apache-2.0 */
/* Function match: which samples are in one function, without a tree.
 *
 * What it is   a first pass merges and names what a query takes; this keeps of it which frames stand
 *              for the function. A second pass then asks of each stack whether one of its frames
 *              does, and whether its innermost call does. What came into the store between the two
 *              is told apart.
 * Ownership    owns one byte a frame; borrows the merge, whose tables grow by what the second pass
 *              sees, and a profile from function_match_open to the next one.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: a regular expression took too many steps, or too many frames.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/merge.h"
#include "symbolizer-server/query/naming.h"
#include "symbolizer-server/query/pattern.h"

/* Which functions: those that are shown so. */
struct function_wanted {
	const char *name; /* exactly; NULL: the pattern says */
	const struct pattern *pattern;
	const char *module; /* base name; NULL: any */
};

enum function_match_flag {
	FUNCTION_MATCH_IN = 1, /* the function, or something that it called */
	FUNCTION_MATCH_SELF = 2, /* the function itself */
	FUNCTION_MATCH_LATER = 4, /* not seen by the first pass */
};

struct function_match {
	struct merge *merge;
	uint8_t *frames; /* flags of each frame that the first pass saw */
	uint32_t frame_count;
	uint8_t *stacks; /* flags of each stack of the profile */
	uint64_t dictionary; /* whose stacks these are; 0: of one profile alone */
	uint32_t stack_capacity;
};

/* NAMING is that of MERGE, with FUNCTIONS. */
int function_match_init(struct function_match *match, struct merge *merge,
	const struct naming *naming, const struct function_table *functions,
	const struct function_wanted *wanted);
void function_match_done(struct function_match *match);
/* Turns to PROFILE, which must have passed profile_check: fills stacks. */
int function_match_open(struct function_match *match, const struct profile *profile);
