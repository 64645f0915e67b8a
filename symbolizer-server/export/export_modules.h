/* SPDX-License-Identifier: Apache-2.0 */
/* Export modules: what of the function table a tree has, and in which modules it lies.
 *
 * What it is   for each function whether some node has it, and the number of its module: modules of one
 *              name and one build are one.
 * Ownership    owns its arrays; borrows the tree.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/query/level_tree.h"

struct export_module {
	uint32_t name, build; /* strings of the function table; 0: not known */
	bool all_named; /* no location of it is an address alone */
};

struct export_modules {
	const struct level_tree *tree;
	bool *used; /* functions, those of labels left out */
	uint32_t *module_of; /* of each function: number plus 1, or 0 */
	struct export_module *modules;
	uint32_t count;
	uint32_t capacity;
};

int export_modules_init(struct export_modules *modules, const struct level_tree *tree);
void export_modules_done(struct export_modules *modules);

/* Whether FUNCTION is a name, and not an address that has none. */
bool export_is_named(const struct function *function);
/* The address of a function without a name, in its module's file: `libc.so.6+0x1a2b`. */
uint64_t export_address(const struct level_tree *tree, uint32_t function);
/* `host=a` stands for the label `host` of the value `a`: where the value begins. */
const char *export_label_value(const char *text, const char *name);
