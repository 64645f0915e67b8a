/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol warm: what was read of indexes, kept in memory from one query to the next.
 *
 * What it is   modules with the chunks that were read of each and its hot chains, up to a limit; the
 *              modules that were used longest ago go first. A module that someone uses stays whole.
 *              A newer index of the same build-ID is another module.
 * Ownership    owns modules and chunks; borrows the cache, which must outlive it.
 * Threads      any; symbol_warm_free when no module is used any more.
 * Errors       -ENOENT: not in the cache; -EUCLEAN: damaged, and dropped from the cache; -ESTALE:
 *              the index was replaced meanwhile; -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "store/disk/symbol_cache.h"
#include "symbolizer-server/sandbox/symbol_index.h"
#include "symbolizer-server/symbol/symbol_hot.h"

struct symbol_warm;

/* Twice the index of a program with 600 MB of debug information. */
#define SYMBOL_WARM_BYTES_DEFAULT ((uint64_t)128 << 20)

struct symbol_warm_usage {
	uint64_t byte_count;
	uint64_t evicted_count; /* modules dropped to stay within the limit */
};

int symbol_warm_new(struct symbol_cache *cache, uint64_t bytes_max, struct symbol_warm **ret_warm);
/* Accepts NULL. */
void symbol_warm_free(struct symbol_warm *warm);
void symbol_warm_usage(struct symbol_warm *warm, struct symbol_warm_usage *ret_usage);
struct symbol_cache *symbol_warm_cache(struct symbol_warm *warm);

/* Chunks of one kind: their first keys side by side. */
struct warm_kind {
	uint64_t *firsts;
	uint32_t count;
	uint32_t base; /* the directory's entry of the first one */
};

#define WARM_KIND_COUNT (SYMBOL_CHUNK_SEGMENTS + 1)

/* A chunk by its entry of the directory. */
struct warm_slot {
	_Atomic(const uint8_t *) bytes; /* NULL: not read yet */
	uint32_t byte_count;
};

/* Texts by their number, as far as they were asked for: most of a chain is names, and each would
 * take two searches. */
struct warm_texts {
	_Atomic(const char *) *texts; /* NULL where it was not asked for yet */
	uint32_t count;
};

struct warm_module {
	struct warm_module *next_of_bucket;
	struct warm_module *newer, *older; /* by last use */
	uint32_t user_count;
	uint64_t counted_bytes; /* those of the header and the table, with LOCK */
	_Atomic(uint64_t) chunk_bytes;
	struct symbol_cache_entry entry;
	struct symbol_index_header header;
	uint8_t *header_bytes;
	struct warm_kind kinds[WARM_KIND_COUNT];
	struct warm_slot *slots;
	struct warm_texts names;
	struct warm_texts files; /* file N is text N - 1 */
	struct symbol_hot hot;
};

/* The index of ID as it is now. */
int symbol_warm_open(
	struct symbol_warm *warm, const struct build_id *id, struct warm_module **ret_module);
/* Accepts NULL. */
void symbol_warm_close(struct symbol_warm *warm, struct warm_module *module);

struct warm_chunk {
	const uint8_t *bytes; /* borrowed until symbol_warm_close */
	uint32_t byte_count;
	uint64_t first; /* its lowest key */
	uint64_t next; /* that of the chunk behind it; UINT64_MAX: it is the last */
};

/* The chunk of KIND that holds KEY. -ENOENT: KEY lies before all, or there is none of this kind.
 * HINT is where the last one of this kind was found: 0 at first. */
int symbol_warm_chunk(struct symbol_warm *warm, struct warm_module *module,
	enum symbol_chunk_kind kind, uint64_t key, uint32_t *hint, struct warm_chunk *ret_chunk);
