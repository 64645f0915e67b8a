/* SPDX-License-Identifier: Apache-2.0 */
/* Watch list: shares of functions, for whoever reads the metrics.
 *
 * What it is   each rule's share of the last whole minute, service by service. A minute is looked at
 *              once, when it is asked for and its last windows had the time to come in; whoever asks
 *              again gets the same.
 * Ownership    owns its rules and what it found; site and store are borrowed for the call.
 * Threads      any: one looks, others wait for it.
 * Errors       -EINVAL with a sentence; -ENOMEM. A minute that could not be read has no shares.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/query/watch_rule.h"

/* Each costs a minute's worth of data a minute. */
#define WATCH_LIST_RULE_COUNT_MAX 32
/* How long after its end a minute is looked at: a window is ten seconds, and comes within some. */
#define WATCH_LIST_LAG_NS (20 * NS_PER_S)
/* Services told apart, the largest; all others are `[other]`. */
#define WATCH_LIST_SERVICE_COUNT_MAX 100

struct watch_list;

struct watch_share {
	const struct watch_rule *rule;
	const char *service; /* any bytes */
	double share; /* 0 to 1 */
};

typedef void (*watch_share_fn)(void *context, const struct watch_share *share);

/* RULES: COUNT texts. On -EINVAL, RET_ERROR (WATCH_RULE_ERROR_BYTES_MAX characters) is the sentence. */
int watch_list_new(
	const char *const *rules, size_t count, char *ret_error, struct watch_list **ret_list);
/* Accepts NULL. */
void watch_list_free(struct watch_list *list);
/* Calls VISIT for each share of the last whole minute, with a lock held. LIST may be NULL. */
void watch_list_visit(struct watch_list *list, const struct site *site,
	const struct http_request *request, watch_share_fn visit, void *context);
