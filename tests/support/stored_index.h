/* SPDX-License-Identifier: Apache-2.0 */
/* Stored index: puts a whole index into a symbol cache, for tests of what reads it.
 *
 * What it is   the chunks of a whole_index, handed to symbol_cache_store one by one.
 * Ownership    borrows both.
 * Threads      one owner.
 * Errors       a failure ends the program.
 */
#pragma once

#include "store/disk/symbol_cache.h"
#include "tests/support/whole_index.h"

static inline int stored_index_chunk(
	void *context, uint32_t chunk, uint8_t *ret_bytes, uint32_t *ret_byte_count)
{
	const struct whole_index *index = context;
	struct symbol_index_entry entry = {.byte_count = index->header.byte_count};
	const uint8_t *bytes =
		chunk == 0 ? index->bytes : whole_index_chunk(index, chunk - 1, &entry);

	memcpy(ret_bytes, bytes, entry.byte_count);
	*ret_byte_count = entry.byte_count;
	return 0;
}

static inline void stored_index_put(
	struct symbol_cache *cache, const struct build_id *id, struct whole_index *index)
{
	struct symbol_cache_index stored = {
		.id = *id,
		.quality = (uint8_t)index->header.quality,
		.parser_version = SYMBOL_INDEX_PARSER_VERSION,
		.chunk_count = index->header.chunk_count + 1,
		.byte_count = index->header.total_bytes,
		.read = stored_index_chunk,
		.context = index,
	};

	CHECK_EQ(symbol_cache_store(cache, &stored), 0);
}
