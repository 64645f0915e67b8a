/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog tables: how the catalogue lies in its LMDB file.
 *
 * What it is   opens the environment and its tables; builds and reads their keys and values. What
 *              each holds: docs/format.md.
 * Ownership    keys are values; texts and spans are borrowed from the transaction.
 * Threads      as lmdb_env.h.
 * Errors       those of lmdb_env.h; -EUCLEAN: a record that nobody here wrote.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/disk/catalog_set.h"
#include "store/disk/lmdb_env.h"

/* Of whoever reads the file; another one is made anew. */
#define CATALOG_VERSION 1

/* Address space, not memory: 200,000 new series a day for three months are half of it, and the guard
 * at ingest lets no more in. */
#define CATALOG_MAP_BYTES (UINT64_C(16) << 30)
/* Queries at a time, with room for those that are being given up. */
#define CATALOG_READERS_MAX 126

/* So much of a value stands in its key; what is longer is told apart by the number of its text. */
#define CATALOG_KEY_TEXT_MAX 480
/* Types that one series has in one day. */
#define CATALOG_TYPE_COUNT_MAX 256
/* The label under which the types themselves are listed. */
#define CATALOG_TYPE_NAME "__profile_type__"

struct catalog_tables {
	struct lmdb_env *env;
	uint32_t text; /* number -> uses, bytes */
	uint32_t text_number; /* hash of the bytes -> number */
	uint32_t series; /* number -> first and last day, pairs of numbers of texts */
	uint32_t series_number; /* hash of the label set -> number */
	uint32_t posting; /* name, value, series -> nothing */
	uint32_t day_series; /* day, series -> hours of each type */
	uint32_t day_value; /* day, name, value -> number of the value, hours of each type */
};

struct catalog_key {
	uint8_t bytes[LMDB_KEY_BYTES_MAX];
	size_t byte_count;
};

/* Hours of one day, bit 0 the first. */
struct catalog_hours {
	uint32_t type; /* number of a text */
	uint32_t mask;
};

struct catalog_presence {
	struct catalog_hours types[CATALOG_TYPE_COUNT_MAX];
	uint32_t count;
};

struct catalog_series_pair {
	uint32_t name, value; /* numbers of texts */
};

struct catalog_series {
	uint32_t first_day, last_day;
	struct catalog_series_pair pairs[CATALOG_PAIR_COUNT_MAX];
	uint32_t count;
};

/* FOLDER must exist. */
int catalog_tables_open(struct catalog_tables *tables, const char *folder);
void catalog_tables_close(struct catalog_tables *tables);

/* ---- Keys: numbers stand with their high bytes first, so that they sort ---- */

struct catalog_key catalog_key_of_number(uint32_t number);
struct catalog_key catalog_key_of_hash(const void *bytes, size_t byte_count);
/* Of up to three numbers, for postings and day_series; COUNT of them make a prefix. */
struct catalog_key catalog_key_of_numbers(const uint32_t *numbers, uint32_t count);
/* Of a value on a day. NUMBER is that of its text. */
struct catalog_key catalog_key_of_value(
	uint32_t day, uint32_t name, struct catalog_text value, uint32_t number);
struct lmdb_span catalog_key_span(const struct catalog_key *key);
/* The number at place INDEX of a key; the caller knows that it is that long. */
uint32_t catalog_key_number(struct lmdb_span key, uint32_t index);

/* ---- Values ---- */

int catalog_number_read(struct lmdb_span value, uint32_t *ret_number);
/* SKIP bytes stand before the hours. */
int catalog_presence_read(struct lmdb_span value, size_t skip, struct catalog_presence *ret_hours);
/* Whether it is there in any of the hours of MASK, as TYPE or, TYPE being 0, any type. */
bool catalog_presence_has(const struct catalog_presence *presence, uint32_t type, uint32_t mask);
int catalog_series_read(struct lmdb_span value, struct catalog_series *ret_series);

/* The number of a text; -ENOENT: the catalogue has no such text. */
int catalog_find_text(const struct catalog_tables *tables, struct lmdb_txn *txn,
	struct catalog_text text, uint32_t *ret_number);
int catalog_get_text(const struct catalog_tables *tables, struct lmdb_txn *txn, uint32_t number,
	struct catalog_text *ret_text);
int catalog_get_series(const struct catalog_tables *tables, struct lmdb_txn *txn, uint32_t number,
	struct catalog_series *ret_series);
