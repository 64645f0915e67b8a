/* SPDX-License-Identifier: Apache-2.0 */
/* Querier call: one call of `querier.v1.QuerierService` on its way to its answer.
 *
 * What it is   what the methods share: selectors and ranges of a request as query parameters, and the
 *              answer's writer. Each method is one function, which fills the answer.
 * Ownership    borrows everything for the time of the call.
 * Threads      one owner: a worker.
 * Errors       those of ingest_fault.h and of profile_query.h; where the fault says nothing,
 *              the error's own sentence is answered.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/querier/querier_request.h"

/* What Pyroscope's server sends if it is not told, and the most that may be asked for. */
#define QUERIER_NODE_COUNT_DEFAULT 8192u
#define QUERIER_NODE_COUNT_MAX (1u << 20)

struct querier_call {
	struct site *site;
	const struct http_request *http;
	const struct querier_request *asked;
	struct http_answer *answer;
	struct ingest_fault *fault;
};

/* Lists: types, labels, series, what there is. */
int querier_types(const struct querier_call *call, struct reply_writer *writer);
int querier_label_names(const struct querier_call *call, struct reply_writer *writer);
int querier_label_values(const struct querier_call *call, struct reply_writer *writer);
int querier_series(const struct querier_call *call, struct reply_writer *writer);
int querier_stats(const struct querier_call *call, struct reply_writer *writer);
/* Values. */
int querier_tree(const struct querier_call *call, struct reply_writer *writer);
int querier_span_tree(const struct querier_call *call, struct reply_writer *writer);
int querier_profile(const struct querier_call *call, struct reply_writer *writer);
int querier_diff(const struct querier_call *call, struct reply_writer *writer);
int querier_values(const struct querier_call *call, struct reply_writer *writer);

/* SELECTOR and range of a request that names a type; query_params_done afterwards. */
int querier_params(const struct querier_call *call, const struct querier_request *asked,
	struct query_params *ret_params);
/* The range of a list: both ends 0 mean all there is. A range that makes no sense is empty. */
struct time_range querier_list_range(
	const struct querier_call *call, const struct querier_request *asked);
/* SELECTOR with the labels of all MATCHERS of a list. */
int querier_matchers(const struct querier_call *call, struct selector *ret_selector);
