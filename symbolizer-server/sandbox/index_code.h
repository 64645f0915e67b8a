/* SPDX-License-Identifier: Apache-2.0 */
/* Index code: the numbers of what an index says of inlined calls and lines, and its calls.
 *
 * What it is   calls numbered in the order of the addresses that they hold, outer ones first, so
 *              that equal input gives equal bytes and neighbours have near numbers; and the chunks
 *              of kind CALLS.
 * Ownership    borrows the map; owns the numbers.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG; -EFBIG: as index_chunks.h.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/sandbox/code_map.h"
#include "symbolizer-server/sandbox/index_chunks.h"
#include "symbolizer-server/sandbox/index_texts.h"

struct index_code {
	const struct code_map *map; /* resolved */
	struct index_texts *names;
	struct index_texts *files;
	uint32_t *numbers; /* call of the map -> number in the index; 0: not used */
	uint32_t *used; /* number - 1 -> call of the map */
	uint32_t used_count;
};

/* Numbers the calls, and the names and files that calls and lines use. MAP is resolved. */
int index_code_init(struct index_code *code, const struct code_map *map, struct index_texts *names,
	struct index_texts *files);
void index_code_done(struct index_code *code);
/* The number of a file of the map: 0 for none. */
uint32_t index_code_file(const struct index_code *code, uint32_t file);
int index_code_write(const struct index_code *code, struct index_chunks *chunks);
