/* SPDX-License-Identifier: Apache-2.0 */
/* Query run: one query from its request to its answer, within its limits.
 *
 * What it is   visits what the store has for it, as coarse as the question allows; ends early when
 *              the client is gone, and, with what was read so far, when it took as much time or
 *              memory as it may; tells the query board how far it is.
 * Ownership    borrows site and request from query_run_begin to query_run_end.
 * Threads      one owner.
 * Errors       those of the store and of the visitor; -ECANCELED: nobody waits any more.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/query_board.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/query/label_groups.h"
#include "symbolizer-server/query/partial.h"
#include "symbolizer-server/query/selector.h"
#include "symbolizer-server/query/window_cover.h"

/* A person waits so long, and a proxy not much longer. */
#define QUERY_RUN_NS_DEFAULT (10 * NS_PER_S)
/* Of stacks while they are read; names and joining take as much again. */
#define QUERY_RUN_BYTES_DEFAULT (UINT64_C(256) << 20)

/* Nodes of stacks that a query visits: with so many it is worth looking whether what was freed is more
 * than the next one needs at most, give or take. */
#define QUERY_RUN_LARGE_NODE_COUNT (UINT64_C(1) << 20)
#define QUERY_RUN_HEAP_BYTES_KEPT ((size_t)160 << 20)

struct query_run {
	const struct site *site;
	const struct http_request *request;
	struct query_place *place; /* on the board; NULL: none */
	uint64_t begun_ns; /* monotonic */
	uint64_t deadline_ns;
	uint64_t node_count; /* of stacks, visited so far */
};

/* One visit of a query: what of the store, how fine, and who takes it. */
struct query_read {
	const struct selector *selector;
	struct time_range range;
	enum profile_store_detail detail;
	uint64_t step_ns; /* 0: sums may reach over the whole range */
	uint64_t step_origin_ns;
	uint64_t deadline_ns; /* monotonic; 0: that of the run */
	profile_store_visit_fn add;
	size_t (*bytes)(const void *context); /* what was made of it so far; NULL: little */
	void *context;
};

void query_run_begin(
	struct query_run *run, const struct site *site, const struct http_request *request);
/* All that the query made is freed or kept by now. */
void query_run_end(struct query_run *run);

/* 0 also if it ended early: then RET_PARTIAL tells why and where. */
int query_run_read(
	struct query_run *run, const struct query_read *read, struct partial *ret_partial);
/* The windows of all hosts that SELECTOR may mean, added to COVER, which is finished. */
int query_run_windows(
	struct query_run *run, const struct selector *selector, struct window_cover *cover);
void query_run_stage(struct query_run *run, enum query_stage stage);

/* The coarsest detail that tells apart what SELECTOR and NAMES (may be NULL) look at, if STACKS says
 * whether stacks are wanted. */
enum profile_store_detail query_run_detail(
	const struct selector *selector, const struct label_names *names, bool stacks);
/* The value that label NAME must have in every row of the query, or NULL. A value that is shown other
 * than it is stored cannot be looked for. */
const char *query_run_only(const struct selector *selector, const char *name);
