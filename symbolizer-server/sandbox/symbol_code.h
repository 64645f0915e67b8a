/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol code: what an index says of inlined calls and of source lines.
 *
 * What it is   decodes the chunks of kind CALLS, INLINES and LINES of symbol_index.h.
 * Ownership    everything is borrowed from the span that was given.
 * Threads      no shared state.
 * Errors       -EBADMSG: the bytes break a rule of the format. Look-ups check bounds by themselves,
 *              so that a chunk that was damaged since gives that, and never a read outside of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/symbol_index.h"

/* For symbol_index_check_chunk: a chunk whose hash is right. Unknown kinds are sound. */
int symbol_code_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes);

struct symbol_code_call {
	uint32_t parent; /* below its own number; 0: none */
	uint32_t name;
	uint32_t file; /* of the call, 0: unknown */
	uint32_t line;
};

/* FIRST_CALL is the first key of the chunk. */
int symbol_code_find_call(const uint8_t *bytes, size_t byte_count, uint64_t first_call,
	uint32_t call, struct symbol_code_call *ret_call);

struct symbol_code_inline {
	uint64_t start; /* no other call holds any address of [start, end) */
	uint64_t end; /* behind the last entry of the chunk: UINT64_MAX */
	uint32_t call; /* innermost; 0: nothing was inlined there */
};

/* ADDRESS is not below the first key of the chunk. */
int symbol_code_find_inline(const uint8_t *bytes, size_t byte_count, uint64_t address,
	struct symbol_code_inline *ret_inline);

struct symbol_code_line {
	uint64_t start; /* no other line holds any address of [start, end) */
	uint64_t end; /* behind the last entry of the chunk: UINT64_MAX */
	uint32_t file; /* 0: unknown */
	uint32_t line;
};

/* ADDRESS is not below the first key of the chunk. */
int symbol_code_find_line(const uint8_t *bytes, size_t byte_count, uint64_t address,
	struct symbol_code_line *ret_line);
