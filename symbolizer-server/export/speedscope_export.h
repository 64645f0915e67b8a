/* SPDX-License-Identifier: Apache-2.0 */
/* Speedscope export: a tree as a file of speedscope.
 *
 * What it is   one sampled profile: a stack and its weight for each stack of the tree, frames with
 *              file and line as they are known. Values of labels are the outermost frames.
 * Ownership    borrows everything.
 * Threads      one owner.
 * Errors       -ENOMEM; the writer's own are sticky there.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/export/export_about.h"
#include "symbolizer-server/query/level_tree.h"

int speedscope_export_write(
	struct bytes_writer *out, const struct level_tree *tree, const struct export_about *about);
