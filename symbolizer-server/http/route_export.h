/* SPDX-License-Identifier: Apache-2.0 */
/* Route export: what is seen, as files of other tools.
 *
 * What it is   `/api/v1/export`, and the formats of `/pyroscope/render` beside JSON.
 * Ownership    borrows everything.
 * Threads      workers.
 * Errors       answered.
 */
#pragma once

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/site.h"

/* `/pyroscope/render?format=FORMAT`: dot, collapsed or pprof. */
void route_render_as(const struct site *site, const struct http_request *request,
	const char *format, struct http_answer *answer);
