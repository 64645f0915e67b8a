/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol catalog: which modules the symbol cache holds, and which of them was used longest ago.
 *
 * What it is   {build-ID, where, how good, how large, last use} in memory; it says what is to go
 *              when room is needed. Pure: no file, no clock.
 * Ownership    owns its entries; what is given back is a copy or an index.
 * Threads      one owner, or the caller's lock.
 * Errors       -ENOMEM; -E2BIG: full.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/index_map.h"
#include "store/profile/build_id.h"

/* A fleet runs some thousands of distinct binaries; ten times that still fit 10 MB. */
#define SYMBOL_CATALOG_COUNT_MAX (64u << 10)

struct symbol_cache_entry {
	struct build_id id;
	uint64_t number; /* names the chunks; never used twice */
	uint64_t byte_count; /* of all chunks */
	uint32_t chunk_count;
	uint32_t parser_version;
	uint64_t stored_at_ns;
	uint64_t used_at_ns;
	uint8_t quality;
	bool used_unsaved; /* used_at_ns is newer than what is on disk */
};

struct symbol_catalog {
	struct symbol_cache_entry *entries; /* in no order */
	uint32_t count;
	uint32_t capacity;
	uint64_t byte_count; /* of all entries */
	struct index_map map;
	bool map_stale;
};

void symbol_catalog_init(struct symbol_catalog *catalog);
void symbol_catalog_done(struct symbol_catalog *catalog);
/* Adds or replaces the entry of its build-ID. */
int symbol_catalog_put(struct symbol_catalog *catalog, const struct symbol_cache_entry *entry);
/* Borrowed until the next put or remove; NULL if there is none. */
struct symbol_cache_entry *symbol_catalog_find(
	struct symbol_catalog *catalog, const struct build_id *id);
void symbol_catalog_remove(struct symbol_catalog *catalog, const struct build_id *id);
/* The entry used longest ago other than KEEP, borrowed as above; NULL if there is none. */
struct symbol_cache_entry *symbol_catalog_oldest(
	struct symbol_catalog *catalog, const struct build_id *keep);
