/* SPDX-License-Identifier: Apache-2.0 */
/* Index chunks: the chunks of an index that is being written, and its directory.
 *
 * What it is   finished chunks with their entries, in the order in which they were added; and what
 *              chunks of blocks have in common (symbol_index.h).
 * Ownership    owns both spans.
 * Threads      one owner.
 * Errors       -ENOMEM; -EFBIG: more than the limit.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "symbolizer-server/sandbox/symbol_index.h"

struct index_chunks {
	struct bytes_writer directory;
	struct bytes_writer chunks;
	uint32_t count;
};

void index_chunks_init(struct index_chunks *chunks, size_t bytes_max);
void index_chunks_done(struct index_chunks *chunks);
/* Kinds rise, and firsts within a kind. */
int index_chunks_add(struct index_chunks *chunks, enum symbol_chunk_kind kind, uint64_t first,
	const void *bytes, size_t byte_count);

/* Entries that are keyed by address and written some to a block. */
struct index_entries {
	uint32_t count;
	uint64_t (*start)(const void *context, uint32_t entry);
	/* Writes COUNT entries from FIRST on, without their number, in at most bytes_each_max each. */
	int (*write)(void *context, uint32_t first, uint32_t count, struct bytes_writer *writer);
	void *context;
	uint32_t bytes_each_max;
};

int index_chunks_add_entries(struct index_chunks *chunks, enum symbol_chunk_kind kind,
	const struct index_entries *entries);
