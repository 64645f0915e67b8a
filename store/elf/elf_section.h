/* SPDX-License-Identifier: Apache-2.0 */
/* ELF sections: contents by name, inflated once and under a limit.
 *
 * What it is   finds sections and reads them, whatever way they are compressed: not at all, zlib
 *              with a header of its own (SHF_COMPRESSED), zstd the same way, or the old `.zdebug_`
 *              form.
 * Ownership    contents are malloc'ed for the caller.
 * Threads      no shared state.
 * Errors       -ENOENT: no such section, or one without contents (SHT_NOBITS); -EBADMSG: damaged;
 *              -EFBIG: larger than allowed; -ENOTSUP: an unknown way of compression; -ENOMEM; -EIO.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/elf/elf_image.h"

/* The longest name compared; longer ones match nothing. */
#define SECTION_NAME_BYTES_MAX 64

/* The table of section names of an open file. */
struct section_names {
	char *text;
	size_t byte_count;
};

int section_names_read(const struct image *image, struct section_names *ret_names);
void section_names_done(struct section_names *names);
/* Borrowed from NAMES; the empty text if the name lies outside of the table. */
const char *section_name(
	const struct image *image, const struct section_names *names, uint32_t index);
/* The index of the first section NAME; for `.debug_x` also `.zdebug_x`. 0: there is none. */
uint32_t section_find(
	const struct image *image, const struct section_names *names, const char *name);
/* Size of the contents of section INDEX once they are inflated. */
int section_byte_count(const struct image *image, const struct section_names *names, uint32_t index,
	uint64_t *ret_byte_count);
/* The contents of section INDEX, inflated into TO, which must have exactly that size. */
int section_read_into(const struct image *image, const struct section_names *names, uint32_t index,
	uint8_t *ret_to, size_t to_byte_count);
/* The contents of section INDEX, inflated; at most BYTES_MAX. */
int section_read(const struct image *image, const struct section_names *names, uint32_t index,
	size_t bytes_max, uint8_t **ret_bytes, size_t *ret_byte_count);
/* Whether the contents of section INDEX must be inflated to be read. */
bool section_is_packed(
	const struct image *image, const struct section_names *names, uint32_t index);
/* Writes the inflated contents of section INDEX to TO_FD, where that stands, in little memory. */
int section_write(
	const struct image *image, const struct section_names *names, uint32_t index, int to_fd);
