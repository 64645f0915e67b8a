/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog list: names or values as a set of numbers, and those of the series that match.
 *
 * What it is   postings of all matchers intersected by leaps, each series asked whether it is there
 *              in the range, what it has collected, then given in the order of texts.
 * Ownership    a set of numbers owns its memory; texts are borrowed from the transaction.
 * Threads      one transaction, one thread.
 * Errors       those of lmdb_env.h; -EUCLEAN: a record that nobody here wrote; -E2BIG: too many
 *              values.
 */
#pragma once

#include "store/base/index_map.h"
#include "store/disk/catalog_tables.h"
#include "store/disk/profile_store_labels.h"

/* Distinct values that matching series may have. */
#define CATALOG_LIST_COUNT_MAX (1u << 20)

/* Where a list goes. */
struct catalog_output {
	profile_store_label_fn visit;
	void *context;
	bool more; /* there is more than the query's limit */
};

/* Numbers of texts, each once. */
struct catalog_numbers {
	uint32_t *numbers;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
};

void catalog_numbers_init(struct catalog_numbers *numbers);
void catalog_numbers_done(struct catalog_numbers *numbers);
bool catalog_numbers_has(const struct catalog_numbers *numbers, uint32_t number);
/* Adding what is there does nothing. */
int catalog_numbers_add(struct catalog_numbers *numbers, uint32_t number);
/* Gives the texts, sorted, that the query's prefix, after and limit leave. */
int catalog_numbers_give(const struct catalog_numbers *numbers, const struct catalog_tables *tables,
	struct lmdb_txn *txn, const struct profile_store_label_query *query,
	struct catalog_output *output);

/* Of the series that match and are there in the range: the values of the label NAME (a number of a
 * text), or all names if NAME is 0. */
int catalog_list_matching(const struct catalog_tables *tables, struct lmdb_txn *txn, uint32_t name,
	const struct profile_store_label_query *query, struct catalog_output *output);
