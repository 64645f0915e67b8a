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

#include <stdint.h>

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
};

struct mapping_set {
	uint32_t reference_count;
	uint32_t count;
	uint32_t capacity;
	struct mapping mappings[];
};

/* What all sets share. */
struct mapping_pool {
	struct binary_table *binaries;
	uint32_t mapping_count; /* capacity of all sets */
};

/* Drops one reference; SET may be NULL. */
void mapping_set_release(struct mapping_pool *pool, struct mapping_set *set);
/* One more holder; SET may be NULL, which is the empty set. */
struct mapping_set *mapping_set_share(struct mapping_set *set);
/* Puts MAPPING into the set at SET, which becomes the caller's own if it was shared. Takes over the
 * reference to the binary, also on failure. */
int mapping_set_insert(
	struct mapping_pool *pool, struct mapping_set **set, const struct mapping *mapping);
/* The mapping that holds ADDRESS, or NULL; borrowed until the set changes. */
const struct mapping *mapping_set_find(const struct mapping_set *set, uint64_t address);
