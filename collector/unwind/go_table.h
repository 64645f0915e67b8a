/* SPDX-License-Identifier: Apache-2.0 */
/* Go table: where the frames of Go's functions are, from the table that Go's own runtime goes by.
 *
 * What it is   reads .gopclntab (Go 1.18 and later), which every Go program carries, stripped or not:
 *              for each stretch of code the distance of the stack pointer from the frame's end. Go
 *              programs have no .eh_frame for their code, and its leaf functions no frame pointer.
 * Ownership    the bytes are the caller's.
 * Threads      no shared state.
 * Errors       -ENOENT: another version's table; -EBADMSG: it makes no sense.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/unwind/eh_frame.h"

struct go_table {
	const uint8_t *bytes;
	size_t byte_count;
	uint64_t text; /* address of the first function */
	size_t values; /* where tables of values by code begin */
	size_t functions; /* where the list of functions begins; their records follow */
	size_t flag_at; /* of a function's record */
	uint32_t function_count;
};

/* TEXT is where the code begins, for tables that don't say it. */
int go_table_open(
	const uint8_t *bytes, size_t byte_count, uint64_t text, struct go_table *ret_table);
/* Function INDEX, below the count; its OFFSET is that of its record. -EBADMSG: it makes no sense. */
int go_table_function(
	const struct go_table *table, uint32_t index, struct eh_frame_function *ret_function);
/* As eh_frame_rows. */
int go_table_rows(const struct go_table *table, const struct eh_frame_function *function,
	call_frame_row_fn *on_row, void *context);
