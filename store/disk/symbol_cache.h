/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol cache: the indexes of names on disk, by build-ID, within a bounded size.
 *
 * What it is   indexes as numbered chunks with checksums in LMDB, each module's replaced as a whole
 *              by a better one; and what was not found where, until when. What a chunk means is the
 *              caller's business. All of it can be made again: damage costs work, not data.
 * Ownership    chunks that are read are malloc'ed for the caller.
 * Threads      any; symbol_cache_free when no other thread uses it.
 * Errors       -ENOENT: not there; -EUCLEAN: damaged: the module is dropped; -ENOSPC: larger than
 *              the whole cache may be, or the disk is full; and those of lmdb_env.h.
 */
#pragma once

#include <stdint.h>

#include "store/base/clock.h"
#include "store/disk/symbol_catalog.h"
#include "store/disk/symbol_misses.h"
#include "store/profile/build_id.h"

struct symbol_cache;

/* LMDB fragments when values are larger (docs/decisions/0051). */
#define SYMBOL_CACHE_CHUNK_BYTES_MAX (256u << 10)

struct symbol_cache_options {
	const char *folder; /* must exist; nothing else stands in it */
	uint64_t bytes_max; /* of all indexes together */
	struct clock clock;
};

struct symbol_cache_usage {
	uint64_t byte_count;
	uint64_t bytes_max;
	uint64_t file_bytes;
	uint64_t evicted_count; /* since it was opened, like the others below */
	uint64_t damaged_count;
	uint32_t module_count;
};

/* Whether the last owner closed the cache in order (a new folder counts as such). If not, run
 * symbol_check in a process that may die before symbol_cache_new. */
bool symbol_cache_closed_in_order(const char *folder);
/* Opens the cache, and sweeps out what an interrupted store left behind. */
int symbol_cache_new(const struct symbol_cache_options *options, struct symbol_cache **ret_cache);
/* Accepts NULL. */
void symbol_cache_free(struct symbol_cache *cache);
/* Forgets readers whose process was killed: they would pin every page of their time. To be called now
 * and then. */
void symbol_cache_check_readers(struct symbol_cache *cache);
void symbol_cache_usage(struct symbol_cache *cache, struct symbol_cache_usage *ret_usage);

/* Copies the entry of a module and marks it as used now. */
int symbol_cache_find(struct symbol_cache *cache, const struct build_id *id,
	struct symbol_cache_entry *ret_entry);
/* Chunk CHUNK (below chunk_count) of an entry that symbol_cache_find gave. -ENOENT: the entry was
 * replaced or evicted since: find it again. */
int symbol_cache_read(struct symbol_cache *cache, const struct symbol_cache_entry *entry,
	uint32_t chunk, uint8_t **ret_bytes, uint32_t *ret_byte_count);
void symbol_cache_drop(struct symbol_cache *cache, const struct build_id *id);

struct symbol_cache_index {
	struct build_id id;
	uint8_t quality;
	uint32_t parser_version;
	uint32_t chunk_count;
	uint64_t byte_count; /* of all chunks together */
	/* Gives chunk CHUNK: at most SYMBOL_CACHE_CHUNK_BYTES_MAX bytes, at least one. */
	int (*read)(void *context, uint32_t chunk, uint8_t *ret_bytes, uint32_t *ret_byte_count);
	void *context;
};

/* Stores an index, in place of the one that is there; readers see one or the other. One store of a
 * module at a time. Others are evicted, least recently used first, if there is no room. */
int symbol_cache_store(struct symbol_cache *cache, const struct symbol_cache_index *index);

/* What is known not to be anywhere; lives as long as the cache. */
struct symbol_misses *symbol_cache_misses(struct symbol_cache *cache);
