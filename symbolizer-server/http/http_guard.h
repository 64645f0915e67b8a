/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP guard: which requests a server without passwords may answer.
 *
 * What it is   two rules. The name in `Host` must be one that leads here on purpose, so that a
 *              foreign name that was pointed at this address (DNS rebinding) reads nothing. A
 *              request that may change something must not come from a page of another origin.
 * Ownership    texts are borrowed.
 * Threads      any.
 * Errors       none: the answer is yes or no.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer-server/http/http_message.h"

/* Names given by --allowed-host. */
struct http_guard {
	const char *const *names;
	size_t name_count;
};

enum http_guard_verdict {
	HTTP_GUARD_PASS,
	HTTP_GUARD_NO_HOST, /* none, or more than one, where there must be one */
	HTTP_GUARD_FOREIGN_HOST,
	HTTP_GUARD_FOREIGN_ORIGIN,
};

enum http_guard_verdict http_guard_judge(
	const struct http_guard *guard, const struct http_request *request);
/* Whether NAME of LENGTH characters (a host name or address, brackets of IPv6 included) means this
 * machine itself. */
bool http_guard_is_loopback(const char *name, size_t length);
