/* SPDX-License-Identifier: Apache-2.0 */
/* Asset route: the page and its files.
 *
 * What it is   those inside of the program, compressed once when it was built; or, for whoever
 *              works on the page, those of a folder as they are at this moment.
 * Ownership    the ones inside are static, those of a folder are read into the answer.
 * Threads      any.
 * Errors       a path that is none of them is left to the caller.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/site.h"

/* Whether the path is a file of the page; then it is answered. */
bool route_asset(
	const struct site *site, const struct http_request *request, struct http_answer *answer);
