/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol record: how the symbol cache names and writes what it holds.
 *
 * What it is   keys of its three tables, and the record of one module:
 *                module   kind byte, id bytes         -> symbol_record_encode
 *                chunk    number, chunk (big-endian)  -> hash of the rest, the bytes
 *                miss     source byte, kind byte, id  -> reason, until when
 * Ownership    keys are values.
 * Threads      no shared state.
 * Errors       -EUCLEAN: damaged; -ENOMEM.
 */
#pragma once

#include "store/base/bytes.h"
#include "store/disk/lmdb_env.h"
#include "store/disk/symbol_catalog.h"

#define SYMBOL_KEY_BYTES_MAX (2 + BUILD_ID_BYTES_MAX)
#define SYMBOL_RECORD_BYTES_MAX 128
/* Before the bytes of a chunk. */
#define SYMBOL_HASH_BYTES 8

struct symbol_key {
	uint8_t bytes[SYMBOL_KEY_BYTES_MAX];
	size_t byte_count;
};

struct lmdb_span symbol_key_span(const struct symbol_key *key);
struct symbol_key symbol_key_of_module(const struct build_id *id);
struct symbol_key symbol_key_of_miss(uint8_t source, const struct build_id *id);
/* Chunks of one index stand together and in order. */
struct symbol_key symbol_key_of_chunk(uint64_t number, uint32_t chunk);
int symbol_key_chunk_number(struct lmdb_span key, uint64_t *ret_number);

/* Into an initialised writer of at least SYMBOL_RECORD_BYTES_MAX. */
int symbol_record_encode(const struct symbol_cache_entry *entry, struct bytes_writer *writer);
int symbol_record_decode(
	struct lmdb_span key, struct lmdb_span value, struct symbol_cache_entry *ret_entry);
