/* SPDX-License-Identifier: Apache-2.0 */
/* Naming parameters: what a request wants to count as one.
 *
 * What it is   `group=function|line|file`, `inlined=show|hide` and `builds=joined|apart`; each first
 *              word is what holds without the parameter.
 * Ownership    values only.
 * Threads      any.
 * Errors       answered as 400 with what to mend; then the function gives false.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/query/call_naming.h"

bool naming_params_read(const struct http_request *request, struct http_answer *answer,
	struct naming_options *ret_options);
