/* SPDX-License-Identifier: Apache-2.0 */
/* SVG export: a tree as a picture.
 *
 * What it is   a flame graph in a file of its own, the root at the top: a bar for each node of the
 *              tree, with its name as far as there is room, and in its title name, module, value and
 *              share. No script, nothing from elsewhere.
 * Ownership    borrows everything.
 * Threads      one owner.
 * Errors       -ENOMEM; the writer's own are sticky there.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/export/export_about.h"
#include "symbolizer-server/query/level_tree.h"

/* A picture of more bars is slow to open and shows none of them. */
#define SVG_NODE_COUNT_DEFAULT 20000u

int svg_export_write(
	struct bytes_writer *out, const struct level_tree *tree, const struct export_about *about);
