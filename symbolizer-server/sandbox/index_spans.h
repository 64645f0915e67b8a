/* SPDX-License-Identifier: Apache-2.0 */
/* Index spans: the chunks of an index that say everything of an address at once.
 *
 * What it is   functions, inlined calls and lines, laid side by side and cut wherever one of them
 *              changes; the chunks of kind SPANS (symbol_index.h).
 * Ownership    borrows all it is given.
 * Threads      one owner.
 * Errors       -ENOMEM; -EFBIG: as index_chunks.h.
 */
#pragma once

#include "symbolizer-server/sandbox/function_list.h"
#include "symbolizer-server/sandbox/index_chunks.h"
#include "symbolizer-server/sandbox/index_code.h"

/* Of FUNCTIONS and CODE, whose names, files and calls have their numbers. */
int index_spans_write(const struct function_list *functions, const struct index_code *code,
	struct index_chunks *chunks);
