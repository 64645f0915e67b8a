/* SPDX-License-Identifier: Apache-2.0 */
/* Frame source: the call frame information of a file.
 *
 * What it is   finds `.eh_frame` by its section, or through the program header that points at its
 *              index where sections are stripped; else `.debug_frame`. Read by pread, so that a
 *              file that shrinks meanwhile is an error and not a signal.
 * Ownership    owns the bytes until frame_source_done.
 * Threads      no shared state.
 * Errors       -ENOENT: the file has none, or no executable segment; -EFBIG: more than
 *              FRAME_SOURCE_BYTES_MAX; -EBADMSG, -ENOMEM, -EIO.
 */
#pragma once

#include "collector/unwind/table_builder.h"
#include "store/elf/elf_map.h"

/* A program of 1 GB has some 40 MB of it. More costs this program its table, not the host its
 * memory. */
#define FRAME_SOURCE_BYTES_MAX (48u << 20)
/* Of Go's table; those of the largest programs (container runtimes of clusters) have 40 MB. */
#define FRAME_SOURCE_GO_BYTES_MAX FRAME_SOURCE_BYTES_MAX

struct frame_source {
	struct table_source table;
	uint8_t *bytes;
	uint8_t *debug_bytes;
	uint8_t *go_bytes;
};

int frame_source_read(int fd, struct frame_source *ret_source);
void frame_source_done(struct frame_source *source);

/* The code of a file: from the first byte of its executable segments to the last. Tables count from
 * the first. False: there is none. */
bool frame_code_range(const struct load_map *map, uint64_t *ret_from, uint64_t *ret_until);
