/* SPDX-License-Identifier: Apache-2.0 */
/* Segment mapping: what things of one profile are called in the tables of a group being built.
 *
 * What it is   numbers of texts, frames, stacks and label sets of a profile become those of two
 *              others: one that has the group's labels, one that has its dictionary. Each thing is
 *              added there when it is first asked for.
 * Ownership    borrows all three profiles; owns its arrays.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: a table is full.
 */
#pragma once

#include <stdint.h>

#include "store/profile/life_table.h"
#include "store/profile/profile.h"

/* Number i -> a number that holds while the stamp does. */
struct segment_map {
	uint64_t *entries; /* stamp << 32 | number */
	uint32_t capacity;
};

struct segment_mapping {
	const struct profile *from;
	struct profile *labels;
	struct profile *stacks;
	uint32_t stamp;
	struct segment_map label_texts;
	struct segment_map stack_texts;
	struct segment_map modules;
	struct segment_map frames;
	struct segment_map nodes;
	struct segment_map sets;
	struct segment_map threads; /* the caller's */
	uint32_t *path;
	uint32_t path_capacity;
};

/* A zeroed mapping may be begun. Forgets what it knew. */
int segment_mapping_begin(struct segment_mapping *mapping, const struct profile *from,
	struct profile *labels, struct profile *stacks);
void segment_mapping_done(struct segment_mapping *mapping);

int segment_mapping_label_text(struct segment_mapping *mapping, uint32_t text, uint32_t *ret_text);
int segment_mapping_text(struct segment_mapping *mapping, uint32_t text, uint32_t *ret_text);
int segment_mapping_stack(struct segment_mapping *mapping, uint32_t node, uint32_t *ret_node);
/* The set with the profile's host as its label `host`, where the profile names one. A set of
 * LABEL_COUNT_MAX labels without `host` gives its last label for it. */
int segment_mapping_set(struct segment_mapping *mapping, uint32_t set, uint32_t *ret_set);

/* False: not known yet. */
bool segment_map_get(const struct segment_map *map, uint32_t stamp, uint32_t i, uint32_t *ret_to);
void segment_map_set(struct segment_map *map, uint32_t stamp, uint32_t i, uint32_t to);

/* The value of `service_name` in SET; the empty text if it has none. */
struct life_name segment_service_of(const struct profile *profile, uint32_t set);
