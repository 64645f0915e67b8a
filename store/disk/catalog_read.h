/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog read: lists of names and values out of the tables.
 *
 * What it is   without matchers, the lists of the days merged as they stand in their order; with
 *              matchers, the postings of all intersected, then what those series have.
 * Ownership    borrows the tables; texts are borrowed for the call that they are given to.
 * Threads      any; each call has a transaction of its own.
 * Errors       those of lmdb_env.h; -EUCLEAN: a record that nobody here wrote; -E2BIG: too many
 *              values, or days.
 */
#pragma once

#include "store/disk/catalog_tables.h"
#include "store/disk/profile_store_labels.h"

/* Days that one list is merged from: eleven years. */
#define CATALOG_READ_DAY_COUNT_MAX 4096u
/* Distinct values that matching series may have. */
#define CATALOG_READ_VALUE_COUNT_MAX (1u << 20)

int catalog_read_names(const struct catalog_tables *tables,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more);
int catalog_read_values(const struct catalog_tables *tables, const char *name,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more);
