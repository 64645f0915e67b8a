/* SPDX-License-Identifier: Apache-2.0 */
/* Execs: the processes that started and ended in a range, by command and parent.
 *
 * What it is   adds up what windows tell of lives. A window belongs to the range in which it begins,
 *              whole, so that adjacent ranges add up to their union. A selector may name `host`,
 *              `command` and `parent`.
 * Ownership    owns its rows; borrows the selector until execs_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many rows, or a regular expression took too many steps;
 *              -EOVERFLOW: a sum leaves 63 bits.
 */
#pragma once

#include <stdint.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/query/selector.h"
#include "symbolizer-server/query/time_range.h"

/* Different (command, parent) of all hosts of a range. */
#define EXECS_ROW_COUNT_MAX (1u << 16)

struct execs {
	const struct selector *selector;
	struct time_range range;
	struct life_table lives;
	/* From the first window to the end of the last; until_ns is 0 before the first. */
	struct time_range covered;
};

/* What is wrong with SELECTOR for this question, as a sentence; NULL: nothing. */
const char *execs_objection(const struct selector *selector);

int execs_init(struct execs *execs, const struct selector *selector, struct time_range range);
void execs_done(struct execs *execs);

/* Adds a window, if it belongs to the range and its host to the selection. */
int execs_add(struct execs *execs, const struct profile_store_lives *window);

/* Behind the last window: drops what the selector does not mean, and puts the rest in order, the
 * most frequent first. */
int execs_finish(struct execs *execs);

/* How often a command ran: starts of it, and ends of processes that went by its name without a start
 * of their own. */
uint64_t execs_runs(const struct life_sums *sums);
/* Rows from FIRST on. */
int execs_sum(const struct execs *execs, uint32_t first, struct life_sums *ret_sums);
