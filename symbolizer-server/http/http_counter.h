/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP counters: what became of the requests.
 *
 * What it is   one line a counter, name and meaning; the enum and the status page are made of it.
 * Ownership    whoever serves owns the array.
 * Threads      any: each is one atomic.
 * Errors       none.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Those that say "now" are levels; all others only rise. Requests = answered good + refused +
 * failed + gone + open now; queries = answered + cancelled + running now. */
#define HTTP_COUNTERS(X)                                                                      \
	X(REQUESTS, "http_requests", "requests that were read")                               \
	X(REQUESTS_OPEN, "http_requests_open", "of these, not answered yet, now")             \
	X(ANSWERS_GOOD, "http_answers_good", "of these, answered with status 1xx to 3xx")     \
	X(ANSWERS_REFUSED, "http_answers_refused", "answered with 4xx: the request is wrong") \
	X(ANSWERS_FAILED, "http_answers_failed", "answered with 5xx: the server failed")      \
	X(GONE, "http_gone", "not answered: the connection ended before")                     \
	X(FOREIGN_HOSTS, "http_foreign_hosts", "refused because of their Host header")        \
	X(FOREIGN_ORIGINS, "http_foreign_origins", "refused because of their Origin header")  \
	X(BUSY, "http_busy", "refused because too many queries waited already")               \
	X(QUERIES, "http_queries", "queries that a worker took up")                           \
	X(QUERIES_ANSWERED, "http_queries_answered", "of these, answered, by errors too")     \
	X(QUERIES_RUNNING, "http_queries_running", "of these, being worked on, now")          \
	X(QUERIES_PARTIAL, "http_queries_partial",                                            \
		"visits of queries that ended at a limit, or met what could not be read")     \
	X(TREES_MADE, "http_trees_made", "trees read and joined for a query")                 \
	X(TREES_REUSED, "http_trees_reused", "trees that were kept from an earlier query")    \
	X(TREES_DROPPED, "http_trees_dropped", "trees kept no longer, for lack of room")      \
	X(CANCELLED, "http_cancelled", "queries given up because their client went away")     \
	X(BODY_BYTES, "http_body_bytes", "bytes of bodies handed to clients")

enum http_counter {
#define HTTP_COUNTER_ENUM(name, text, meaning) HTTP_COUNTER_##name,
	HTTP_COUNTERS(HTTP_COUNTER_ENUM)
#undef HTTP_COUNTER_ENUM
		HTTP_COUNTER_COUNT
};

struct http_counters {
	_Atomic uint64_t values[HTTP_COUNTER_COUNT];
};

static inline void http_count(
	struct http_counters *counters, enum http_counter counter, uint64_t by)
{
	atomic_fetch_add_explicit(&counters->values[counter], by, memory_order_relaxed);
}

static inline void http_count_less(
	struct http_counters *counters, enum http_counter level, uint64_t by)
{
	atomic_fetch_sub_explicit(&counters->values[level], by, memory_order_relaxed);
}

static inline uint64_t http_counted(struct http_counters *counters, enum http_counter counter)
{
	return atomic_load_explicit(&counters->values[counter], memory_order_relaxed);
}
