/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical order: the one order in which the tables of a profile are sent.
 *
 * What it is   for each table the indices of its entries, sorted by what they say rather than by
 *              when they were added. Any part of a table in this order is in canonical order, too.
 * Ownership    all arrays live in the arena that canonical_make was given.
 * Threads      no shared state.
 * Errors       -ENOMEM; outputs are written on success only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/base/arena.h"
#include "store/profile/profile.h"

struct canonical_row {
	uint32_t type; /* index into profile->types */
	uint32_t row;
};

/* x[rank] is the index of the entry of the profile's table that comes rank-th. */
struct canonical {
	uint32_t *texts;
	uint32_t *modules;
	uint32_t *frames;
	uint32_t *nodes; /* pre-order, without node 0: stacks.count - 1 entries */
	uint32_t *label_sets;
	uint32_t *threads;
	uint32_t *cpus;
	uint32_t *counters;
	uint32_t *features;
	uint32_t *types;
	struct canonical_row *rows; /* of all types, in the order of types */
	size_t row_count;
};

int canonical_make(
	const struct profile *profile, struct arena *arena, struct canonical *ret_canonical);
