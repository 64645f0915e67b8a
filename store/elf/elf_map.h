/* SPDX-License-Identifier: Apache-2.0 */
/* ELF map: from an offset in a file to the ELF virtual address that debug information speaks of.
 *
 * What it is   the load segments of one file, by value and small enough to keep for each mapped
 *              file. It is right for every way to link: position-dependent or not, static or not,
 *              p_vaddr other than p_offset (lld), code and headers in one segment.
 * Ownership    nothing is allocated; a struct load_map is copied freely.
 * Threads      no shared state.
 * Errors       -EBADMSG, -EIO: as in elf_image.h; -E2BIG: too many load segments;
 *              -ENOENT: no segment holds the offset.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/elf/elf_image.h"

/* Linkers write two to six; a file with more is refused, not cut. */
#define LOAD_SEGMENT_COUNT_MAX 32

struct load_segment {
	uint64_t offset;
	uint64_t file_bytes;
	uint64_t address;
	bool executable;
};

struct load_map {
	struct load_segment segments[LOAD_SEGMENT_COUNT_MAX];
	uint32_t count;
};

int load_map_read(int fd, struct load_map *ret_map);
int load_map_of_image(const struct image *image, struct load_map *ret_map);
/* The address of the byte at OFFSET (ip - map start + map offset). Where segments overlap in the
 * file, an executable one wins; the padding that a mapping of whole pages shows around a segment
 * belongs to that segment if no other holds the offset. */
int load_map_address(const struct load_map *map, uint64_t offset, uint64_t *ret_address);
