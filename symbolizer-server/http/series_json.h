/* SPDX-License-Identifier: Apache-2.0 */
/* Series JSON: values over time, and heat maps, as JSON.
 *
 * What it is   docs/api.md has the members.
 * Ownership    the caller's writer.
 * Threads      any.
 * Errors       those of the writer, sticky; -ENOMEM.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/http/series_query.h"
#include "symbolizer-server/query/heat_map.h"

/* The COUNT largest groups by themselves. */
int series_json(struct series_query *query, const struct query_params *params, uint32_t count,
	struct bytes_writer *out);

struct heat_map_answer {
	const struct heat_map *map;
	const struct window_cover *cover; /* by columns */
	const struct query_params *params;
	const struct partial *partial;
};

void series_json_heat_map(const struct heat_map_answer *of, struct bytes_writer *out);
