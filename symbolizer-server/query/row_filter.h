/* SPDX-License-Identifier: Apache-2.0 */
/* Row filter: which rows of a profile a query takes, and how much of each.
 *
 * What it is   a selector and a range of time, held against one profile after the other. What
 *              depends on the thread alone is decided once a thread, what depends on its series once
 *              a label set, not once a row.
 * Ownership    borrows the selector; borrows a profile from row_filter_open to the next one.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: a regular expression took too many steps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "store/profile/profile.h"
#include "store/profile/sample_range.h"
#include "symbolizer-server/query/selector.h"
#include "symbolizer-server/query/time_range.h"

struct row_filter {
	const struct selector *selector;
	struct time_range range;
	bool by_thread; /* some matcher looks at the thread, its series or its host */
	bool by_number; /* some of these look at more of the thread than its series and its host */
	bool by_cpu;
	const struct profile *profile;
	struct sample_range sample_range;
	bool *threads_accepted; /* of the profile, if by_thread */
	uint32_t thread_capacity;
	uint8_t *sets; /* of each label set of the profile: what is known of it, if by_thread */
	uint32_t set_capacity;
	uint64_t dictionary; /* whose label sets these are; 0: of one profile alone */
	struct bytes_writer text; /* the value that is being matched, as valid UTF-8 */
};

void row_filter_init(
	struct row_filter *filter, const struct selector *selector, struct time_range range);
void row_filter_done(struct row_filter *filter);

/* Whether the query can mean rows of this host (any bytes): what its matchers say of `host`. */
int row_filter_accepts_host(
	struct row_filter *filter, const char *host, size_t length, bool *ret_accepts);
/* Turns to PROFILE, which must have passed profile_check. */
int row_filter_open(struct row_filter *filter, const struct profile *profile);
/* Whether the query takes rows of this type at all. */
int row_filter_takes_type(
	struct row_filter *filter, const struct sample_table *table, bool *ret_takes);
/* Whether the query means ROW, a row of a type that it takes, whenever its samples were. */
int row_filter_accepts(struct row_filter *filter, const struct sample_row *row, bool *ret_accepts);
/* What the query takes of ROW of TABLE, a type that it takes: nothing if the row is not meant. */
int row_filter_part(struct row_filter *filter, const struct sample_table *table,
	const struct sample_row *row, struct sample_part *ret_part);
