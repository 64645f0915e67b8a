/* SPDX-License-Identifier: Apache-2.0 */
/* Series list: which combinations of labels a range has.
 *
 * What it is   for some labels the distinct values that series have for them together, or for all
 *              labels the distinct series; a type is a label like another, `__profile_type__`. Labels
 *              of a row alone (pid, tid, thread, cpu) are in none.
 * Ownership    owns its texts; borrows names and selector until series_list_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: more combinations than are kept, or a regular expression took too
 *              many steps.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"
#include "store/profile/profile.h"
#include "store/profile/string_table.h"
#include "symbolizer-server/query/row_filter.h"

/* Nobody picks from more. */
#define SERIES_LIST_COUNT_MAX 100000u

struct series_list {
	struct row_filter filter;
	const char *const *names; /* sorted */
	uint32_t name_count; /* 0: all labels */
	struct string_table rows; /* from 1 on: texts of series_list_visit, packed */
	struct bytes_writer text; /* scratch */
	uint8_t *
		seen; /* scratch: of each label set of the profile, whether the type at hand has it */
	uint32_t seen_capacity;
};

/* NAMES are in the order of their bytes. */
int series_list_init(struct series_list *list, const struct selector *selector,
	struct time_range range, const char *const *names, uint32_t name_count);
void series_list_done(struct series_list *list);
/* PROFILE must have passed profile_check. */
int series_list_add(struct series_list *list, const struct profile *profile);
uint32_t series_list_count(const struct series_list *list);
/* Calls VISIT for each label of combination INDEX that is not empty, in the order of names. */
void series_list_visit(const struct series_list *list, uint32_t index,
	void (*visit)(void *context, const char *name, size_t name_length, const char *value,
		size_t value_length),
	void *context);
