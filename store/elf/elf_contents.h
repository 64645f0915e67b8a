/* SPDX-License-Identifier: Apache-2.0 */
/* ELF contents: what a file is good for, told by its sections.
 *
 * What it is   whether a file holds code, a symbol table, DWARF. A debug file that was split off has
 *              the headers of code and none of its contents.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none: what cannot be read is not there.
 */
#pragma once

#include <stdbool.h>

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"

struct contents {
	bool has_code; /* the contents of executable sections, not only their headers */
	bool has_table; /* .symtab */
	bool has_dwarf;
	bool is_package; /* .dwp: the units of split DWARF of a whole program */
};

/* An image without sections is judged by its segments. */
struct contents contents_of(const struct image *image, const struct section_names *names);
