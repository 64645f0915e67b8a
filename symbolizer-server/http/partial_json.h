/* SPDX-License-Identifier: Apache-2.0 */
/* Partial JSON: `"partial":null`, or what an answer lacks.
 *
 * What it is   the same member for every answer of a query.
 * Ownership    the caller's writer.
 * Threads      any.
 * Errors       those of the writer, sticky.
 */
#pragma once

#include "store/base/json_writer.h"
#include "symbolizer-server/query/partial.h"

void partial_json(struct json_writer *json, const struct partial *partial);
/* The same for an answer that is no JSON: the header `Cairn-Partial`, empty if all is there. */
void partial_header(const struct partial *partial, char *ret_text, size_t size);
