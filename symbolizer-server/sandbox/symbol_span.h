/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol span: everything that an index says of one address, found by one search.
 *
 * What it is   decodes the chunks of kind SPANS of symbol_index.h.
 * Ownership    everything is borrowed from the span that was given.
 * Threads      no shared state.
 * Errors       -EBADMSG: the bytes break a rule of the format. Look-ups check bounds by themselves,
 *              so that a chunk that was damaged since gives that, and never a read outside of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/symbol_index.h"

/* The function of an address that none holds. */
#define SYMBOL_SPAN_NO_FUNCTION UINT32_MAX

/* How an entry begins what it says of a call (symbol_index.h). */
enum symbol_span_code {
	SYMBOL_SPAN_NO_CALL = 0,
	SYMBOL_SPAN_OTHER_FUNCTION = 1,
	SYMBOL_SPAN_GAP = 2,
	SYMBOL_SPAN_STEPS = 3, /* the lowest of them */
};

struct symbol_span {
	uint64_t start; /* all of this holds for every address in [start, end) */
	uint64_t end;
	uint64_t call_start; /* function and call are the same from here on */
	uint32_t function; /* its name, or SYMBOL_SPAN_NO_FUNCTION */
	uint32_t call; /* innermost; 0: nothing was inlined there */
	uint32_t file; /* 0: unknown */
	uint32_t line; /* 0: unknown */
};

/* For symbol_index_check_chunk: a chunk whose hash is right. */
int symbol_span_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes);
/* FIRST is the first key of the chunk, and ADDRESS not below it. */
int symbol_span_find(const uint8_t *bytes, size_t byte_count, uint64_t first, uint64_t address,
	struct symbol_span *ret_span);
