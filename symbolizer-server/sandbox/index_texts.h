/* SPDX-License-Identifier: Apache-2.0 */
/* Index texts: which texts an index uses, numbered in the order of their first use.
 *
 * What it is   from string index to number, and the chunks that hold the texts by number.
 * Ownership    borrows the string table; owns the numbers.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG; -EFBIG: as index_chunks.h.
 */
#pragma once

#include <stdint.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/index_chunks.h"

struct index_texts {
	const struct string_table *strings;
	uint32_t *numbers; /* string index -> number */
	uint32_t *used; /* number -> string index */
	uint32_t used_count;
	uint32_t used_capacity;
};

int index_texts_init(struct index_texts *texts, const struct string_table *strings);
void index_texts_done(struct index_texts *texts);
/* The number of a string: counted from 0, given at its first use. */
int index_texts_number(struct index_texts *texts, uint32_t string, uint32_t *ret_number);
/* Over-long texts are cut, foul bytes mended. */
int index_texts_write(
	const struct index_texts *texts, enum symbol_chunk_kind kind, struct index_chunks *chunks);
