/* SPDX-License-Identifier: Apache-2.0 */
/* File index: one foreign file in, one symbol index or one fault out.
 *
 * What it is   what the sandboxed run does: checks that the file is what it was said to be, reads
 *              every source of names in it, lays them over each other by quality.
 * Ownership    the index is malloc'ed for the caller; the descriptor stays the caller's.
 * Threads      one owner.
 * Errors       a sandbox_fault.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/dwarf_read.h"
#include "symbolizer-server/sandbox/sandbox.h"

/* Of REQUEST the folder and what is done to end a run are not looked at. */
enum sandbox_fault file_index(int fd, const struct sandbox_request *request, size_t index_bytes_max,
	uint8_t **ret_bytes, size_t *ret_byte_count, struct dwarf_missing *ret_missing);
