/* SPDX-License-Identifier: Apache-2.0 */
/* Query parameters: `query`, `from` and `until` of a request, read and checked.
 *
 * What it is   the same rules for every route that reads profiles.
 * Ownership    the selector is the caller's, until selector_done.
 * Threads      any.
 * Errors       answered as 400 with what to mend; then the functions give false.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/query/call_naming.h"
#include "symbolizer-server/query/selector.h"
#include "symbolizer-server/query/time_range.h"

struct query_params {
	struct selector selector;
	struct time_range range;
	struct naming_options naming;
};

/* NEEDS_TYPE: the query must name a profile type. */
bool query_params_read(const struct http_request *request, uint64_t now_ns, bool needs_type,
	struct http_answer *answer, struct query_params *ret_params);
/* Both sides of a comparison, `left_query`, `left_from`, ..., `right_until`; where a side has no
 * query of its own, that is `query`. Both name the same profile type. */
bool query_params_read_sides(const struct http_request *request, uint64_t now_ns,
	struct http_answer *answer, struct query_params ret_sides[2]);
void query_params_done(struct query_params *params);

/* A length of time above 0: `500ms`, `10s`, `1h30m`, or a number of seconds; FALLBACK_NS if it is not
 * given. */
bool query_params_length(const struct http_request *request, const char *name, uint64_t fallback_ns,
	struct http_answer *answer, uint64_t *ret_ns);
/* A whole number of at least MIN and at most MAX; FALLBACK if it is not given. */
bool query_params_number(const struct http_request *request, const char *name,
	const uint32_t bounds[2], uint32_t fallback, struct http_answer *answer,
	uint32_t *ret_number);
