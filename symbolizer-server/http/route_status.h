/* SPDX-License-Identifier: Apache-2.0 */
/* Status routes: how the server and its hosts are.
 *
 * What it is   handlers for struct site: every counter with its meaning, the state of each host and
 *              of modules without names; the same for Prometheus; and health.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       answered.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"

void route_status(void *site, const struct http_request *request, struct http_answer *answer);
void route_metrics(void *site, const struct http_request *request, struct http_answer *answer);
void route_healthz(void *site, const struct http_request *request, struct http_answer *answer);
void route_readyz(void *site, const struct http_request *request, struct http_answer *answer);
