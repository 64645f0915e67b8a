/* SPDX-License-Identifier: Apache-2.0 */
/* List routes: what exists in a range.
 *
 * What it is   handlers for struct site; docs/api.md has their parameters and answers.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       answered.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"

void route_hosts(void *site, const struct http_request *request, struct http_answer *answer);
void route_processes(void *site, const struct http_request *request, struct http_answer *answer);
void route_types(void *site, const struct http_request *request, struct http_answer *answer);
void route_labels(void *site, const struct http_request *request, struct http_answer *answer);
