/* SPDX-License-Identifier: Apache-2.0 */
/* Counter list: every counter of the server, part after part in the order of a sample's way.
 *
 * What it is   what came in over gRPC, what the store made of it, what the symbolizer did, what was
 *              asked over HTTP; for the status page and for Prometheus alike.
 * Ownership    texts are static.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include "symbolizer-server/http/site.h"

struct counter_list_visit {
	/* Of each part: `ingest`, `store`, `symbols`, `http`, `log`. */
	void (*counter)(void *context, const char *part, const struct counted *counted);
	void *context;
};

void counter_list_visit(const struct site *site, const struct counter_list_visit *visit);

/* All names and values, as they were read one after the other. */
#define COUNTER_LIST_COUNT_MAX 256

struct counter_list {
	struct counted counters[COUNTER_LIST_COUNT_MAX];
	uint32_t count;
};

void counter_list_read(const struct site *site, struct counter_list *ret_list);
/* A chain_find_fn; CONTEXT is a struct counter_list. */
bool counter_list_find(void *context, const char *name, uint64_t *ret_value);
