/* SPDX-License-Identifier: Apache-2.0 */
/* Label parameters: names of labels to group by, as `by=host,process`.
 *
 * What it is   a parameter read, cut at its commas and checked.
 * Ownership    the list holds its texts; names point into it, so it must not be moved.
 * Threads      any.
 * Errors       answered as 400 with what to mend; then the function gives false.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/query/label_groups.h"

#define LABEL_PARAMS_BYTES_MAX 512

struct label_params {
	char texts[LABEL_PARAMS_BYTES_MAX];
	struct label_names names;
};

/* No names if there is no such parameter, or it is empty. */
bool label_params_read(const struct http_request *request, const char *name,
	struct http_answer *answer, struct label_params *ret_params);
