/* SPDX-License-Identifier: Apache-2.0 */
/* Index writer: from a resolved list of functions to the bytes of a symbol index.
 *
 * What it is   encodes the format of symbol_index.h. Equal input gives equal bytes: names are
 *              numbered in the order in which their functions stand.
 * Ownership    the result is malloc'ed for the caller.
 * Threads      no shared state.
 * Errors       -ENOMEM; -EFBIG: the index would be longer than allowed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/code_map.h"
#include "symbolizer-server/sandbox/function_list.h"
#include "symbolizer-server/sandbox/symbol_index.h"
#include "symbolizer-server/sandbox/symbol_segment.h"

struct index_content {
	const struct function_list *functions; /* resolved */
	const struct code_map *code; /* resolved; NULL: nothing is known of calls and lines */
	const struct symbol_segments *segments; /* NULL: it has none */
	const struct string_table *strings; /* of all names and paths */
	enum symbol_quality quality;
};

/* Over-long names are cut, foul bytes mended. */
int index_write(const struct index_content *content, size_t bytes_max, uint8_t **ret_bytes,
	size_t *ret_byte_count);
