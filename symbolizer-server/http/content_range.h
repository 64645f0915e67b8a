/* SPDX-License-Identifier: Apache-2.0 */
/* Content range: which part of a file the body of a request is.
 *
 * What it is   the header `Content-Range: bytes FIRST-LAST/LENGTH`, read strictly.
 * Ownership    values only.
 * Threads      any.
 * Errors       -EINVAL: something else stands there.
 */
#pragma once

#include <stdint.h>

struct content_range {
	uint64_t first;
	uint64_t end; /* behind the last byte */
	uint64_t byte_count; /* of the whole file */
};

int content_range_parse(const char *text, struct content_range *ret_range);
