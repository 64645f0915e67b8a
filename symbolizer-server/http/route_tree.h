/* SPDX-License-Identifier: Apache-2.0 */
/* Tree routes: flame graphs, tables and exports.
 *
 * What it is   handlers for struct site; docs/api.md has their parameters and answers.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       answered.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"

void route_flame(void *site, const struct http_request *request, struct http_answer *answer);
void route_top(void *site, const struct http_request *request, struct http_answer *answer);
void route_export(void *site, const struct http_request *request, struct http_answer *answer);
void route_render(void *site, const struct http_request *request, struct http_answer *answer);
