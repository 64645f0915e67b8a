/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol code: what an index says of inlined calls.
 *
 * What it is   decodes the chunks of kind CALLS of symbol_index.h.
 * Ownership    everything is borrowed from the span that was given.
 * Threads      no shared state.
 * Errors       -EBADMSG: the bytes break a rule of the format. Look-ups check bounds by themselves,
 *              so that a chunk that was damaged since gives that, and never a read outside of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/symbol_index.h"

/* For symbol_index_check_chunk: a chunk whose hash is right. */
int symbol_code_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes);

struct symbol_code_call {
	uint32_t parent; /* below its own number; 0: none */
	uint32_t name;
	uint32_t file; /* of the call, 0: unknown */
	uint32_t line;
};

#define SYMBOL_CODE_FIELDS 4

/* A chunk that is opened once for several calls: those of a chain are neighbours. */
struct symbol_code_table {
	const uint8_t *bits;
	uint32_t first; /* the number of its first call */
	uint32_t count;
	uint32_t bits_each;
	uint32_t bases[SYMBOL_CODE_FIELDS];
	uint8_t widths[SYMBOL_CODE_FIELDS];
};

/* FIRST_CALL is the first key of the chunk. */
int symbol_code_open(const uint8_t *bytes, size_t byte_count, uint64_t first_call,
	struct symbol_code_table *ret_table);
/* -EBADMSG, too: the chunk has no such call. */
int symbol_code_find_call(
	const struct symbol_code_table *table, uint32_t call, struct symbol_code_call *ret_call);
