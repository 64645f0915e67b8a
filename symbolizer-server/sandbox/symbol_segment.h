/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol segments: where the code of a module's file is in memory.
 *
 * What it is   the kernel, perf and pprof tell of a place in a program as an offset in its file; an
 *              index is asked by address. The program headers say which is which. Those of a debug
 *              file do not: what was split off left no room, so their offsets are no longer the
 *              program's. Linkers lay segments out one behind the other, each at the next offset
 *              that its alignment allows: so they are told again. A program beside the debug
 *              file goes before that.
 * Ownership    values, and a borrowed chunk of an index (symbol_index.h).
 * Threads      no shared state.
 * Errors       -EBADMSG: the chunk breaks the format; -ENOENT: no code is at this offset.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "store/elf/elf_image.h"

struct symbol_segment {
	uint64_t offset; /* in the file */
	uint64_t address;
	uint64_t byte_count;
};

/* Segments with code, by their offset. */
struct symbol_segments {
	struct symbol_segment segments[IMAGE_SEGMENT_COUNT_MAX];
	uint32_t count; /* 0: the file tells none that make sense */
	bool is_told_again; /* the file is a debug file */
};

void symbol_segments_read(const struct image *image, struct symbol_segments *ret_segments);
/* The chunk that symbol_index.h describes; COUNT is above 0. */
void symbol_segments_write(const struct symbol_segments *segments, struct bytes_writer *writer);

int symbol_segment_check_chunk(const uint8_t *bytes, size_t byte_count, uint64_t first);
/* The address of OFFSET. */
int symbol_segment_find(
	const uint8_t *bytes, size_t byte_count, uint64_t offset, uint64_t *ret_address);
