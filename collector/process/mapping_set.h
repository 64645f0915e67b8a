/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping set: what lies where in one address space.
 *
 * What it is   executable mappings sorted by address, none overlapping; a new one takes the
 *              place of what it covers, as mmap does. A child made by fork shares its parent's
 *              set until either of them maps something.
 * Ownership    a set is counted by its holders; each mapping holds a reference to its binary.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many mappings; the set is unchanged then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/abi/unwind_table.h"
#include "collector/process/binary_table.h"

/* The kernel's default of vm.max_map_count is 65,530, few of which are executable. */
#define MAPPING_COUNT_MAX 16384
/* All sets together: 8 MiB. 10,000 processes with 25 files each stay below. */
#define MAPPING_TOTAL_MAX (256u * 1024)

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* of start in the file */
	struct binary *binary; /* NULL: memory without a file */
	uint32_t version; /* of the set when it came in */
};

struct mapping_set {
	uint32_t reference_count;
	uint32_t count;
	uint32_t capacity;
	uint32_t version; /* another one after each change, in whatever set */
	struct unwind_reference tree; /* as walks read it; node 0: not written */
	uint8_t tree_height;
	struct mapping mappings[];
};

/* What all sets share. */
struct mapping_pool {
	struct binary_table *binaries;
	uint32_t mapping_count; /* capacity of all sets */
	uint32_t version; /* the last one given out; never 0 in a set */
	/* A set with a tree changes or goes; NULL: sets have none. */
	void (*forget_tree)(void *context, struct mapping_set *set);
	void *context;
};

/* Drops one reference; SET may be NULL. */
void mapping_set_release(struct mapping_pool *pool, struct mapping_set *set);
/* One more holder; SET may be NULL, which is the empty set. */
struct mapping_set *mapping_set_share(struct mapping_set *set);
/* Puts MAPPING into the set at SET, which becomes the caller's own if it was shared. Takes over the
 * reference to the binary, also on failure. */
int mapping_set_insert(
	struct mapping_pool *pool, struct mapping_set **set, const struct mapping *mapping);
/* The same mappings were read anew as FRESH: what did not change keeps its version, as if it had been
 * there all along. True: nothing changed at all. */
bool mapping_set_carry_over(const struct mapping_set *old, struct mapping_set *fresh);
/* The mapping that holds ADDRESS, or NULL; borrowed until the set changes. */
const struct mapping *mapping_set_find(const struct mapping_set *set, uint64_t address);
