/* SPDX-License-Identifier: Apache-2.0 */
/* Profile store labels: which labels and values the series of a range have, without reading them.
 *
 * What it is   lists in the order of their bytes, page by page; of series (labels and `host`), not
 *              of the columns pid, tid, thread name and CPU. A range means the whole hours that it
 *              touches. What was durable when the call began is in it.
 * Ownership    a text is borrowed for the call that it is given to.
 * Threads      any, while the store is open.
 * Errors       -EAGAIN: the store cannot tell of this range just now, or keeps no catalogue: visit
 *              the profiles instead.  -ENOMEM.  -E2BIG: too many values match.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_store;

#define PROFILE_STORE_MATCHER_COUNT_MAX 64

/* The label NAME has this value, which is not empty. */
struct profile_store_label_matcher {
	const char *name;
	const char *value;
	size_t value_length;
};

struct profile_store_label_query {
	uint64_t from_ns, until_ns;
	const char *type; /* five-part profile type, NULL: any */
	const struct profile_store_label_matcher *matchers; /* all must match */
	uint32_t matcher_count;
	/* Of the texts that are given: */
	const char *prefix; /* they begin with it; NULL: any */
	size_t prefix_length;
	const char *after; /* they come behind it; NULL: from the first on */
	size_t after_length;
	uint32_t limit;
};

/* 0 goes on; anything else ends the list and becomes its result. */
typedef int (*profile_store_label_fn)(void *context, const char *text, size_t length);

/* RET_MORE: there are more than limit. */
int profile_store_label_names(struct profile_store *store,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more);
/* NAME may be `__profile_type__`: the types themselves. */
int profile_store_label_values(struct profile_store *store, const char *name,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more);
