/* SPDX-License-Identifier: Apache-2.0 */
/* Seen set: which fingerprints were there, and how often something was, in bounded memory.
 *
 * What it is   a set of 64-bit numbers, and a map from such numbers to counts; both by open
 *              addressing in a table that doubles.
 * Ownership    owns its table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: as many are there as may be.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct seen_set {
	uint64_t *places; /* 0: empty */
	uint32_t place_count; /* a power of two, or 0 */
	uint32_t count;
	uint32_t count_max;
};

/* Allocates nothing. */
void seen_set_init(struct seen_set *set, uint32_t count_max);
void seen_set_done(struct seen_set *set);
/* Also gives the memory back. */
void seen_set_clear(struct seen_set *set);
bool seen_set_has(const struct seen_set *set, uint64_t fingerprint);
/* Adding what is there does nothing. */
int seen_set_add(struct seen_set *set, uint64_t fingerprint);
uint32_t seen_set_count(const struct seen_set *set);

struct seen_counts {
	struct seen_set keys;
	uint32_t *counts; /* of each place */
};

void seen_counts_init(struct seen_counts *counts, uint32_t key_count_max);
void seen_counts_done(struct seen_counts *counts);
void seen_counts_clear(struct seen_counts *counts);
uint32_t seen_counts_get(const struct seen_counts *counts, uint64_t key);
/* One more of KEY. */
int seen_counts_add(struct seen_counts *counts, uint64_t key);
