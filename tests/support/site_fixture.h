/* SPDX-License-Identifier: Apache-2.0 */
/* Site fixture: routes over a store that the test filled, asked without a port.
 *
 * What it is   a site with a store, a memo and a board of queries; a target as a browser would write
 *              it becomes a request, its answer a text.
 * Ownership    site_fixture_done closes the store and frees all; answers are the caller's.
 * Threads      one owner.
 * Errors       fail the test.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/http/memo.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/query_board.h"
#include "symbolizer-server/http/route.h"
#include "tests/support/check.h"
#include "tests/support/store_fixture.h"

struct site_fixture {
	struct site site;
	struct http_counters counters;
	struct profile_store *store;
};

/* Takes STORE. */
static inline void site_fixture_init(struct site_fixture *fixture, struct profile_store *store)
{
	memset(fixture, 0, sizeof(*fixture));
	fixture->store = store;
	fixture->site.store = store;
	fixture->site.clock = clock_system();
	fixture->site.counters = &fixture->counters;
	CHECK_EQ(memo_new((size_t)64 << 20, profile_tree_free, &fixture->site.trees), 0);
	CHECK_EQ(query_board_new(&fixture->site.queries), 0);
}

static inline void site_fixture_done(struct site_fixture *fixture)
{
	memo_free(fixture->site.trees);
	query_board_free(fixture->site.queries);
	profile_store_close(fixture->store);
}

static inline bool site_fixture_waits(const struct http_request *request)
{
	(void)request;
	return false;
}

/* The body of the answer to `name=value&...` (nothing in it is escaped), whose status must be
 * STATUS. */
static inline char *site_fixture_ask(
	struct site_fixture *fixture, http_handle_fn handle, const char *params, int status)
{
	struct http_request request = {.method = "GET", .path = "/", .is_gone = site_fixture_waits};
	struct http_answer answer;
	char *copy = strdup(params), *rest = copy, *word, *body;

	CHECK(copy);
	while ((word = strsep(&rest, "&"))) {
		char *value = strchr(word, '=');

		CHECK(value && request.param_count < HTTP_PARAM_COUNT_MAX);
		*value = '\0';
		request.params[request.param_count++] = (struct http_param){word, value + 1};
	}
	http_answer_init(&answer);
	handle(&fixture->site, &request, &answer);
	http_answer_check(&answer);
	if (answer.status != status)
		fprintf(stderr, "%s: %d %.*s\n", params, answer.status, (int)answer.body.byte_count,
			(const char *)answer.body.bytes);
	CHECK_EQ(answer.status, status);
	body = strndup(
		answer.body.bytes ? (const char *)answer.body.bytes : "", answer.body.byte_count);
	CHECK(body);
	http_answer_done(&answer);
	free(copy);
	return body;
}

/* The number behind the first `"NAME":` of BODY. */
static inline long long site_fixture_number(const char *body, const char *name)
{
	char key[64];
	const char *found;

	(void)snprintf(key, sizeof(key), "\"%s\":", name);
	found = strstr(body, key);
	if (!found)
		fprintf(stderr, "no %s in %.2000s\n", key, body);
	CHECK(found);
	return strtoll(found + strlen(key), NULL, 10);
}
