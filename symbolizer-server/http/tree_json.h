/* SPDX-License-Identifier: Apache-2.0 */
/* Tree JSON: trees and tables as JSON.
 *
 * What it is   the same content as the binary columns; the table of functions; Pyroscope's answer.
 * Ownership    the caller's writer.
 * Threads      any.
 * Errors       those of the writer, sticky.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/query/flame.h"
#include "symbolizer-server/query/flamebearer.h"
#include "symbolizer-server/query/flamebearer_pair.h"
#include "symbolizer-server/query/series.h"
#include "symbolizer-server/query/top.h"

struct json_writer;

/* Two parts of such an object, for those who write more into it: names and what they are of; and
 * the children and the name of each node. */
void tree_json_names(struct json_writer *json, const struct flame *flame);
void tree_json_shape(struct json_writer *json, const struct flame *flame);
void tree_json_flame(const struct flame *flame, struct bytes_writer *out);
/* The first ROW_COUNT rows. */
void tree_json_top(const struct top *top, const struct flame_about *about, int64_t total,
	uint32_t row_count, const struct function_table *functions, struct bytes_writer *out);
/* What Pyroscope's timelines are made of: a series, by one label at most, whose rest is shown as
 * `other`. */
struct tree_json_timeline {
	const struct series *series;
	const uint32_t *order; /* groups */
	uint32_t count; /* of these */
};

void tree_json_render(const struct flamebearer *flamebearer, const char *type,
	const struct tree_json_timeline *timeline, struct bytes_writer *out);

/* Two sides as Pyroscope's `/pyroscope/render-diff` answers. */
void tree_json_render_pair(
	const struct flamebearer_pair *pair, const char *type, struct bytes_writer *out);
