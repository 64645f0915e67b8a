/* SPDX-License-Identifier: Apache-2.0 */
/* Profile query: from the store to a call tree.
 *
 * What it is   reads the profiles of a range for as long as somebody waits for the answer; merges,
 *              names and joins them. A tree that was made is kept for whoever asks the same of the
 *              same data and the same names.
 * Ownership    a tree is lent until profile_tree_give_back, to one at a time.
 * Threads      any; one owner each.
 * Errors       those of the store and of query/; -ECANCELED: nobody waits any more.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/memo.h"
#include "symbolizer-server/http/query_params.h"
#include "symbolizer-server/http/query_run.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/query/call_tree.h"
#include "symbolizer-server/query/comparison.h"
#include "symbolizer-server/query/coverage.h"
#include "symbolizer-server/query/flame.h"

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
	struct comparison comparison; /* of trees with two sides: comparison_query.h */
	bool is_partial; /* not all of it was read: it is kept for nobody */
	struct memo_entry *entry; /* where it is kept; NULL: nowhere */
};

struct profile_tree_options {
	struct label_names root; /* labels whose values stand above the functions */
	bool wants_coverage;
};

/* How trees of one kind are made. */
struct profile_tree_maker {
	int (*make)(struct query_run *run, const void *question, struct profile_tree **ret_tree);
	const void *question;
	/* All that decides what the tree is, but for the data and the names that there are. */
	void (*write_key)(struct bytes_writer *key, const void *question);
	uint64_t serial; /* of the data: profile_store_serial; 0: it is kept for nobody */
};

int profile_tree_take(struct query_run *run, const struct query_params *params,
	const struct profile_tree_options *options, struct profile_tree **ret_tree);
/* The same for trees of another kind; the first byte of its key is one that no other kind has. */
int profile_tree_take_made(struct query_run *run, const struct profile_tree_maker *maker,
	struct profile_tree **ret_tree);
void profile_tree_give_back(struct query_run *run, struct profile_tree *tree);
/* A memo_free_fn of trees. */
void profile_tree_free(void *tree);

/* Writes the part of a key that PARAMS are. */
void profile_query_write_key(struct bytes_writer *key, const struct query_params *params);
/* An empty tree, for makers; given back by profile_tree_free. */
int profile_tree_new(struct profile_tree **ret_tree);
/* For those who merge by themselves: names and joins what tree->merge holds, which is released; and
 * gives back what a tree holds. */
int profile_tree_join(struct profile_tree *tree, const struct site *site);
void profile_tree_done(struct profile_tree *tree);
/* A bytes function of a query_read whose context is a merge; and the add function. */
size_t profile_query_merge_bytes(const void *merge);
int profile_query_merge(void *merge, const struct profile *profile);

/* The host that every row of the query must have, or NULL. */
const char *profile_query_only_host(const struct selector *selector);

/* What went wrong with a query, for whoever asked: a sentence, and the status that HTTP has for it. */
const char *profile_query_fault(int error, int *ret_status);
/* Answers that; an error that is the server's own is logged. */
void profile_query_answer_error(struct http_answer *answer, int error);
