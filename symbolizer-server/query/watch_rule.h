/* SPDX-License-Identifier: Apache-2.0 */
/* Watch rule: a function whose share is to be told from now on, as `QUERY|FUNCTION`.
 *
 * What it is   a selector (time on CPU if it names no type) and a regular expression that names of
 *              functions must match as a whole. The first `|` outside of quotes stands between
 *              them.
 * Ownership    owns both, until watch_rule_done.
 * Threads      reading is free for all once parsed.
 * Errors       -EINVAL with a sentence that says what to mend; -ENOMEM.
 */
#pragma once

#include "symbolizer-server/query/pattern.h"
#include "symbolizer-server/query/selector.h"

#define WATCH_RULE_ERROR_BYTES_MAX 320

struct watch_rule {
	char *text; /* as it was given */
	size_t query_length; /* of the part that is the selector */
	struct selector selector;
	struct pattern *function;
};

/* On -EINVAL, RET_ERROR (WATCH_RULE_ERROR_BYTES_MAX characters) is the sentence. */
int watch_rule_parse(const char *text, struct watch_rule *ret_rule, char *ret_error);
void watch_rule_done(struct watch_rule *rule);
/* The regular expression as it was given. */
const char *watch_rule_function(const struct watch_rule *rule);
