/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping tree: the mappings of a process as nodes that walks search.
 *
 * What it is   writes a mapping set into nodes. The tree belongs to the set, which processes that
 *              forked from one another share, and goes when the set changes: a walk that still
 *              stands on it notices, and its sample brings a new one about.
 * Ownership    nodes are taken from the pool and given back with the set.
 * Threads      one owner.
 * Errors       -ENOSPC, -ENOMEM: as in node_pool.h; -E2BIG: more mappings than two levels hold.
 */
#pragma once

#include "collector/process/mapping_set.h"
#include "collector/unwind/table_store.h"

/* Some 8,000: the most mappings that walks know of one process; those above are left to user space.
 */
#define MAPPING_TREE_MAX (UNWIND_LEAF_MAPPINGS * UNWIND_INDEX_MAPPINGS)

/* Numbers and biases come from the set's binaries, which have been read as far as they can be. */
int mapping_tree_write(struct mapping_set *set, struct node_pool *pool, struct table_store *tables);
void mapping_tree_forget(struct mapping_set *set, struct node_pool *pool);
/* Distance between an address of MAPPING and the byte of code in its table. */
bool mapping_bias(const struct mapping *mapping, uint64_t *ret_bias);
