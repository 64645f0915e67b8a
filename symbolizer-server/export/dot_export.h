/* SPDX-License-Identifier: Apache-2.0 */
/* DOT export: a tree as a graph of who calls whom.
 *
 * What it is   a text that Graphviz draws: the functions with the most time, each with its own and its
 *              whole value, and the calls between them. How many are left out is told in its label.
 * Ownership    borrows everything.
 * Threads      one owner.
 * Errors       -ENOMEM; the writer's own are sticky there.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/export/export_about.h"
#include "symbolizer-server/query/call_tree.h"

/* What Pyroscope draws if it is not told; more than that is no picture. */
#define DOT_NODE_COUNT_DEFAULT 100u

/* Nothing is written for a tree without a value. */
int dot_export_write(struct bytes_writer *out, const struct call_tree *calls,
	const struct export_about *about, uint32_t node_count);
