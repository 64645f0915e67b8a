/* SPDX-License-Identifier: Apache-2.0 */
/* ELF image: headers of a foreign ELF file, read piecewise and checked.
 *
 * What it is   class, byte order, segments and sections of 32- and 64-bit files of either byte
 *              order, in one shape. It reads files by pread, so a file that shrinks meanwhile is an
 * error and not a signal. Ownership    owns its tables; the descriptor stays the caller's and must
 * outlive it. Threads      read-only after image_open: any. Errors       -EBADMSG: not ELF, or
 * headers that contradict the file; -E2BIG: more segments or sections than any real file has;
 * -ENOMEM; -EIO and other read errors.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linkers write a dozen; a note of each is read. */
#define IMAGE_SEGMENT_COUNT_MAX 256
/* Programs have some forty; objects with a section a function are not what runs. */
#define IMAGE_SECTION_COUNT_MAX (1u << 16)

struct image_segment {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t file_bytes;
	uint64_t memory_bytes;
	uint64_t alignment;
};

struct image_section {
	uint32_t name; /* offset in the table of section names */
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t offset;
	uint64_t byte_count;
	uint64_t entry_bytes;
	uint64_t alignment;
	uint32_t link;
	uint32_t info;
};

struct image {
	int fd; /* -1: it lies in memory */
	const uint8_t *memory;
	uint64_t byte_count;
	bool is_64;
	bool swapped; /* byte order other than this machine's */
	uint16_t type; /* ET_EXEC, ET_DYN, ... */
	uint16_t machine;
	uint64_t entry; /* address of the first instruction; 0: none */
	struct image_segment *segments;
	uint32_t segment_count;
	struct image_section *sections;
	uint32_t section_count;
	uint32_t name_section; /* index of the section of names, 0 if none */
	bool sections_missing; /* their table was to be read and lies outside of the file */
};

/* Reads the ELF header and the program headers. Sections are left out if WITH_SECTIONS is false,
 * and also (section_count 0) when their table lies outside of the file while the segments are
 * sound, as in a file whose tail was cut off on purpose. */
int image_open(int fd, bool with_sections, struct image *ret_image);
/* The same for an image in memory, which stays the caller's and must outlive it. */
int image_open_memory(
	const uint8_t *bytes, size_t byte_count, bool with_sections, struct image *ret_image);
void image_done(struct image *image);

/* Exactly BYTE_COUNT bytes. -EBADMSG: the file ends before. */
int image_read(const struct image *image, uint64_t offset, void *ret_bytes, size_t byte_count);

/* Numbers in the file's byte order. */
uint16_t image_u16(const struct image *image, const void *bytes);
uint32_t image_u32(const struct image *image, const void *bytes);
uint64_t image_u64(const struct image *image, const void *bytes);
