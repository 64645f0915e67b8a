/* SPDX-License-Identifier: Apache-2.0 */
/* Listing query: from the store to a listing.
 *
 * What it is   visits what a query may mean, in no more detail than a list needs: sums of series,
 *              unless a matcher or the list looks at pid, tid, thread or CPU.
 * Ownership    the listing is the caller's, until listing_done.
 * Threads      any; one owner each.
 * Errors       those of the store and of query/; -ECANCELED: nobody waits any more.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/query_params.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/query/listing.h"

/* Adds one profile to a listing. */
typedef int (*listing_add_fn)(
	struct listing *listing, const struct profile *profile, const void *context);

struct listing_query {
	const struct site *site;
	const struct http_request *request; /* ends when its client goes away */
	const struct query_params *params;
	listing_add_fn add;
	const void *context; /* of add */
	bool needs_rows; /* the list is of what only rows tell */
};

/* A listing for QUERY's selector and range, not yet sorted. */
int listing_query_run(const struct listing_query *query, struct listing *ret_listing);
/* Also adds the windows of hosts: first and last seen, kernel, collector. */
int listing_query_windows(const struct listing_query *query, struct listing *listing);

/* Reads `query`, `from`, `until`, and `host`, which is short for a matcher. False: answered. */
bool listing_query_params(const struct site *site, const struct http_request *request,
	struct http_answer *answer, struct query_params *ret_params);

/* Whether a label stands in rows alone, as pid, tid, thread and cpu do. */
bool listing_query_needs_rows(const char *label);
/* The value that QUERY's selector wants a label to have, if it names one that is shown as it is
 * stored; else NULL. */
const char *listing_query_only(const struct selector *selector, const char *label);
