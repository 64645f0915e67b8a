/* SPDX-License-Identifier: Apache-2.0 */
/* Label: sorted key-value pairs that name a workload, and the table of distinct sets.
 *
 * What it is   label sets of one profile, each once; pairs are sorted by the text of the key, keys
 *              are unique. Set 0 is the empty set.
 * Ownership    keys and values are indices into the profile's string table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many sets or pairs.
 */
#pragma once

#include <stdint.h>

#include "store/base/index_map.h"
#include "store/profile/string_table.h"

#define LABEL_SET_COUNT_MAX (1u << 20)
/* Labels of one set: Pyroscope's clients send up to 30. */
#define LABEL_COUNT_MAX 64

struct label {
	uint32_t key;
	uint32_t value;
};

struct label_set {
	uint32_t first; /* index into label_table.labels */
	uint32_t count;
};

struct label_table {
	struct label *labels; /* all sets, one after the other */
	uint32_t label_count;
	uint32_t label_capacity;
	struct label_set *sets;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
};

int label_table_init(struct label_table *table);
void label_table_done(struct label_table *table);
/* Adds LABEL_COUNT pairs of indices of STRINGS in any order; of equal keys the last wins; a pair
 * with an empty value is left out, since an absent label and an empty one mean the same. */
int label_table_add(struct label_table *table, const struct string_table *strings,
	const struct label *labels, uint32_t label_count, uint32_t *ret_set);
/* The value of KEY in SET as a text, or NULL. */
const char *label_table_value(const struct label_table *table, const struct string_table *strings,
	uint32_t set, const char *key);
