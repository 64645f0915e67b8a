/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod servers: which may be asked now, and what became of the questions to each.
 *
 * What it is   the servers of --debuginfod-urls in their order. A server that fails three times in a
 *              row rests, longer after each further failure; when its time is over one question
 *              tries it, and the others go by until that one has an answer.
 * Ownership    owns its texts; a borrowed URL lives as long as the object.
 * Threads      any.
 * Errors       -EINVAL: a text that is no address of an HTTP server; -E2BIG: too many; -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"

#define DEBUGINFOD_SERVERS_MAX 16
/* One failure is an accident. */
#define DEBUGINFOD_FAILURES_MAX 3
/* The first rest, doubled at each failure that follows. */
#define DEBUGINFOD_REST_NS (UINT64_C(5) * NS_PER_S)
#define DEBUGINFOD_REST_NS_MAX (UINT64_C(600) * NS_PER_S)
/* A try that takes longer than this does not keep others from trying. */
#define DEBUGINFOD_TRY_NS (UINT64_C(60) * NS_PER_S)

/* X(NAME, name in JSON, meaning): of one server. Asked = hits + misses + failures + stopped + open. */
#define DEBUGINFOD_SERVER_COUNTERS(X)                                                    \
	X(ASKED, "asked", "questions put to it")                                         \
	X(HITS, "hits", "of these, answered with a file")                                \
	X(MISSES, "misses", "of these, answered with not found")                         \
	X(FAILURES, "failures", "of these, failed, timed out, or answered with no file") \
	X(STOPPED, "stopped", "of these, given up by us")                                \
	X(OPEN, "open", "of these, not answered yet, now")                               \
	X(BYTES, "bytes", "bytes of files from it, whole or not")                        \
	X(SPARED, "spared", "questions not put while it rested")                         \
	X(KNOWN, "known", "questions not put since it had said that it has no such file")

enum debuginfod_server_counter {
#define DEBUGINFOD_COUNTER_ENUM(name, text, meaning) DEBUGINFOD_SERVER_##name,
	DEBUGINFOD_SERVER_COUNTERS(DEBUGINFOD_COUNTER_ENUM)
#undef DEBUGINFOD_COUNTER_ENUM
		DEBUGINFOD_SERVER_COUNTER_COUNT
};

struct debuginfod_server_state {
	const char *url; /* as it may be shown; borrowed */
	uint64_t failing_since_ns; /* epoch; 0: its last answer was one */
	uint64_t next_try_ns; /* epoch; 0: it may be asked */
	int error; /* of its last failure; 0: it has not failed yet */
	uint64_t counts[DEBUGINFOD_SERVER_COUNTER_COUNT];
};

struct debuginfod_servers;

/* URLS separated by blanks; each may hold credentials, and is HTTP where it does not say what. */
int debuginfod_servers_new(
	const char *urls, struct clock clock, struct debuginfod_servers **ret_servers);
/* Accepts NULL. */
void debuginfod_servers_free(struct debuginfod_servers *servers);

uint32_t debuginfod_servers_count(const struct debuginfod_servers *servers);
/* As it is to be asked, credentials and all. */
const char *debuginfod_servers_url(const struct debuginfod_servers *servers, uint32_t index);

/* A question is about to be put; debuginfod_servers_end must follow. False: the server rests. */
bool debuginfod_servers_begin(struct debuginfod_servers *servers, uint32_t index);

enum debuginfod_change {
	DEBUGINFOD_NO_CHANGE,
	DEBUGINFOD_NOW_RESTS,
	DEBUGINFOD_ANSWERS_AGAIN, /* it had rested */
};

/* How a question ended: 0, or an error of debuginfod_client.h. WAIT_SECONDS: when a server that
 * failed wants to be asked again; 0: it does not say. */
enum debuginfod_change debuginfod_servers_end(struct debuginfod_servers *servers, uint32_t index,
	int error, uint64_t byte_count, uint32_t wait_seconds);
/* The server has no such file, it said so before, and is not asked. */
void debuginfod_servers_note_known(struct debuginfod_servers *servers, uint32_t index);

/* Before that, in monotonic time, the server is not to be asked; 0: it does not rest. */
uint64_t debuginfod_servers_rests_until_ns(struct debuginfod_servers *servers, uint32_t index);
void debuginfod_servers_read(struct debuginfod_servers *servers, uint32_t index,
	struct debuginfod_server_state *ret_state);
/* The name of a counter in JSON, and what it means. */
const char *debuginfod_counter_name(enum debuginfod_server_counter counter);
const char *debuginfod_counter_meaning(enum debuginfod_server_counter counter);
