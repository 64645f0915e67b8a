/* SPDX-License-Identifier: Apache-2.0 */
/* Tree focus: the part of a call tree that is to be shown first.
 *
 * What it is   marks the nodes below a path of names, or of one function wherever it stands, and all
 *              nodes on the way there.
 * Ownership    owns the marks; the call tree is borrowed for the call.
 * Threads      any.
 * Errors       -ENOMEM; -EINVAL: names and modules of a path are not equally many.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/call_tree.h"

struct tree_focus {
	uint8_t *marks; /* of each node: 0 where it is not to be shown first */
	bool found; /* there is such a node */
};

/* NAMES: joined by `;`, from below the root on, written as in a folded line. MODULES: as many base
 * names, written likewise; NULL: of siblings of one name the largest is meant. */
int tree_focus_on_path(struct tree_focus *focus, const struct call_tree *calls, const char *names,
	const char *modules);
/* What is shown as NAME, in MODULE if that is not NULL. */
int tree_focus_on_function(struct tree_focus *focus, const struct call_tree *calls,
	const char *name, const char *module);
void tree_focus_done(struct tree_focus *focus);
