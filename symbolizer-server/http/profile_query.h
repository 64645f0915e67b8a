/* SPDX-License-Identifier: Apache-2.0 */
/* Profile query: from the store to a call tree, or to a listing.
 *
 * What it is   visits the profiles of a range for as long as somebody waits for the answer; merges,
 *              names and joins them.
 * Ownership    a tree owns all that it is made of, until profile_tree_done.
 * Threads      any; one owner each.
 * Errors       those of the store and of query/; -ECANCELED: nobody waits any more.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/query_params.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/query/call_tree.h"
#include "symbolizer-server/query/coverage.h"
#include "symbolizer-server/query/flame.h"
#include "symbolizer-server/query/listing.h"
#include "symbolizer-server/query/timeline.h"

struct profile_tree {
	struct merge merge;
	struct function_table functions;
	struct naming naming;
	struct call_tree calls;
	struct flame_about about;
	struct naming_options naming_options;
	/* What has no name, for those who set wants_coverage: names are counted before the merge is
	 * released. */
	bool wants_coverage;
	struct coverage coverage;
};

/* TIMELINE, initialised for the same query, is filled on the way; NULL: none is wanted. */
int profile_tree_init(struct profile_tree *tree, const struct site *site,
	const struct http_request *request, const struct query_params *params,
	struct timeline *timeline);
/* The same with its coverage. */
int profile_tree_init_covered(struct profile_tree *tree, const struct site *site,
	const struct http_request *request, const struct query_params *params);
void profile_tree_done(struct profile_tree *tree);

/* For those who merge by themselves: visits the profiles that PARAMS may mean; and names and joins
 * what tree->merge holds, which is released. */
int profile_query_visit(const struct site *site, const struct query_params *params,
	int (*visit)(void *context, const struct profile *profile), void *context);
int profile_tree_join(struct profile_tree *tree, const struct site *site);

/* Adds one profile to a listing. */
typedef int (*profile_list_fn)(
	struct listing *listing, const struct profile *profile, const void *context);

int profile_list(struct listing *listing, const struct site *site,
	const struct http_request *request, const struct query_params *params, profile_list_fn add,
	const void *context);

/* The host that every row of the query must have, or NULL. A value that is shown other than it is
 * stored cannot be looked for. */
const char *profile_query_only_host(const struct selector *selector);

/* Answers what went wrong with a query, in words. */
void profile_query_answer_error(struct http_answer *answer, int error);
