/* SPDX-License-Identifier: Apache-2.0 */
/* Folded: a tree as text, one line a stack: `root;...;leaf value`.
 *
 * What it is   the form that flame graph scripts read. A `;` inside of a name, and what would break
 *              the line, is written as \xHH; a backslash that could be read as one, as \x5c.
 * Ownership    the caller's writer.
 * Threads      any.
 * Errors       -ENOMEM; -EFBIG: longer than the writer's limit.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/query/level_tree.h"

/* The root is left out, as it has no frame; stacks without a value of their own are, too. Time
 * without any stack is a line of its own, `[no stack] value`. */
int folded_write(const struct level_tree *tree, struct bytes_writer *writer);
