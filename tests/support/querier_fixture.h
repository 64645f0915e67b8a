/* SPDX-License-Identifier: Apache-2.0 */
/* Querier fixture: calls of `querier.v1.QuerierService` over a store that the test filled.
 *
 * What it is   the receiver of the route, given a body as a client sends it. The store holds two
 *              windows of ten seconds: `shop` (main;f 60 ms, main;f;g 40 ms on host a) and, twenty
 *              seconds later, `bank` (main;f 20 ms, main;h 10 ms on host b).
 * Ownership    answers are the caller's; querier_fixture_done closes the store.
 * Threads      one owner.
 * Errors       fail the test.
 */
#pragma once

#include "tests/support/sample_profile.h"
#include "tests/support/site_fixture.h"
#include "tests/support/work_dir.h"

#define QUERIER_TYPE "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define QUERIER_RANGE "\"start\":\"1700000000000\",\"end\":\"1700000060000\""

static struct site_fixture querier_site;

static inline void querier_append(struct profile_store *store, const char *host, uint64_t number,
	const char *const stacks[2], const uint32_t counts[2], const char *process)
{
	struct profile *profile = sample_profile_new(
		host, FIXTURE_START_NS + number * FIXTURE_WINDOW_NS, FIXTURE_WINDOW_NS);
	struct batch_key key = fixture_key(1, number);
	struct fixture_answers answers = {0};

	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t j = 0; j < counts[i]; j++) {
			sample_profile_add(profile,
				&(struct sample_profile_sample){.stack = stacks[i],
					.process = process,
					.slot = i * 100 + j});
		}
	}
	sample_profile_seal(profile);
	CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	profile_free(profile);
}

static inline void querier_fixture_init(void)
{
	struct profile_store_config config = fixture_config(work_path("querier"));
	struct profile_store *store = fixture_open(&config, NULL);

	querier_append(store, "a", 0, (const char *const[]){"main;f", "main;f;g"},
		(const uint32_t[]){6, 4}, "shop");
	querier_append(store, "b", 2, (const char *const[]){"main;f", "main;h"},
		(const uint32_t[]){2, 1}, "bank");
	site_fixture_init(&querier_site, store);
}

static inline void querier_fixture_done(void)
{
	site_fixture_done(&querier_site);
}

/* The answer to BODY, sent to PATH of the kind in REQUEST, whose status must be STATUS. */
static inline char *querier_ask_as(const struct http_request *request, const char *bytes,
	size_t byte_count, int status, size_t *ret_byte_count)
{
	const struct http_receiver *receiver = &route_querier_receiver;
	const struct http_later later = {0};
	struct http_answer answer;
	void *asking;
	char *body;

	http_answer_init(&answer);
	asking = receiver->open(&querier_site.site, request, &answer);
	if (asking) {
		if (receiver->write(asking, bytes, byte_count, &answer))
			CHECK(receiver->finish(asking, &later, &answer));
		receiver->close(asking);
	}
	http_answer_check(&answer);
	if (answer.status != status)
		fprintf(stderr, "%s: %d %.*s\n", request->path, answer.status,
			(int)answer.body.byte_count, (const char *)answer.body.bytes);
	CHECK_EQ(answer.status, status);
	body = calloc(1, answer.body.byte_count + 1);
	CHECK(body);
	if (answer.body.byte_count > 0)
		memcpy(body, answer.body.bytes, answer.body.byte_count);
	if (ret_byte_count)
		*ret_byte_count = answer.body.byte_count;
	http_answer_done(&answer);
	return body;
}

/* METHOD in JSON answers exactly EXPECTED. */
static inline void querier_says(
	const char *method, const char *json, int status, const char *expected)
{
	char path[128];
	struct http_request request = {.method = "POST",
		.path = path,
		.content_type = "application/json",
		.is_gone = site_fixture_waits};
	char *body;

	(void)snprintf(path, sizeof(path), "/querier.v1.QuerierService/%s", method);
	body = querier_ask_as(&request, json, strlen(json), status, NULL);
	CHECK_STR(body, expected);
	free(body);
}
