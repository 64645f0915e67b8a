/* SPDX-License-Identifier: Apache-2.0 */
/* Series query: from the store to values over time.
 *
 * What it is   visits a range step by step; for a function first once more, to find out which of its
 *              frames stand for it.
 * Ownership    owns all that it is made of, until series_query_done; borrows the question.
 * Threads      any; one owner each.
 * Errors       those of query_run.h and of query/.
 */
#pragma once

#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/query/series.h"

struct series_question_params {
	const struct query_params *params;
	struct time_steps steps;
	struct label_names by;
	struct function_wanted function; /* neither name nor pattern: of no function */
	uint64_t deadline_ns; /* monotonic; 0: that of the run */
};

struct series_query {
	struct series series;
	struct window_cover cover;
	struct partial partial;
	/* Of a function. */
	struct profile_tree tree; /* what its first visit merged and named */
	struct function_match match;
	bool has_function;
};

int series_query_init(struct series_query *query, struct query_run *run,
	const struct series_question_params *question);
void series_query_done(struct series_query *query);

/* The detail that tells steps apart: what lies closer together than ten seconds is cut by slots. */
enum profile_store_detail series_query_detail(enum profile_store_detail detail, uint64_t step_ns);
