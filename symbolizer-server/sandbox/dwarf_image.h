/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF image: a small, plain ELF file in memory that holds the debug sections of a foreign one.
 *
 * What it is   what libdw is given instead of the file: sections inflated once whatever way they
 *              are packed (Debian 12's libdw knows no zstd and inflates anew for each handle), and
 *              headers written by us.
 * Ownership    owns the memory; an Elf or Dwarf handle on it must end first.
 * Threads      read-only once made.
 * Errors       -ENOENT: no DWARF in the file; -EBADMSG: damaged; -EFBIG: larger than allowed;
 *              -ENOTSUP: an unknown way of packing; -ENOMEM.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"

struct dwarf_image {
	uint8_t *bytes;
	size_t byte_count;
};

/* Only the sections that function names and address ranges need. */
int dwarf_image_make(const struct image *image, const struct section_names *names, size_t bytes_max,
	struct dwarf_image *ret_dwarf);
void dwarf_image_done(struct dwarf_image *dwarf);
