/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison JSON: what changed from one side to the other, as a tree or function by function.
 *
 * What it is   both sides' values of each node or function, and how surely they differ.
 * Ownership    the caller's writer.
 * Threads      any.
 * Errors       those of the writer, sticky; -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"
#include "symbolizer-server/http/comparison_query.h"
#include "symbolizer-server/query/level_tree.h"

/* LEVELS is made of the query's tree after comparison_balance. */
int comparison_json_tree(const struct comparison_query *query, const struct level_tree *levels,
	struct bytes_writer *out);
/* The first ROW_COUNT rows of TABLE. */
void comparison_json_functions(const struct comparison_query *query,
	const struct comparison_table *table, uint32_t row_count, struct bytes_writer *out);
