/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog write: notes into the tables, and old days out of them.
 *
 * What it is   the one writer of the tables: numbers texts and series, marks their hours.
 * Ownership    borrows the tables.
 * Threads      one.
 * Errors       those of lmdb_env.h; -EUCLEAN: a record that nobody here wrote; -E2BIG: a series of
 *              too many types.
 */
#pragma once

#include "store/disk/catalog_note.h"
#include "store/disk/catalog_tables.h"

struct catalog_writer {
	const struct catalog_tables *tables;
	uint32_t next_text;
	uint32_t next_series;
};

/* Finds the next free numbers. */
int catalog_writer_init(struct catalog_writer *writer, const struct catalog_tables *tables);
/* Adds NOTE to what TXN will commit. */
int catalog_write_note(
	struct catalog_writer *writer, struct lmdb_txn *txn, const struct catalog_note *note);
/* Takes out, of the days before DAY, as many entries as one transaction should; RET_COUNT 0: none
 * is left. */
int catalog_write_trim(
	struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t day, uint32_t *ret_count);
