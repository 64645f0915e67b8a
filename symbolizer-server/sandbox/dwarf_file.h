/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF file: the debug sections of one ELF file, inflated, and the list of its units.
 *
 * What it is   maps what lies plainly in the file; what is packed is inflated once, into a scratch
 *              file if there is one, so that hundreds of megabytes need not stay in memory. Only
 *              sections that give names, lines or ranges are looked at.
 * Ownership    owns its mappings and units; the image must outlive it.
 * Threads      read-only once open, but for dwarf_file_forget.
 * Errors       -ENOENT: no such DWARF in the file; -EBADMSG: damaged; -EFBIG: larger than allowed;
 *              -ENOTSUP: an unknown way of packing; -ENOMEM; errors of writing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "symbolizer-server/sandbox/dwarf_cursor.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_ADDR,
	DWARF_STR_OFFSETS,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_CU_INDEX,
	DWARF_SECTION_COUNT,
};

/* Which of the sections of a file: its own, or those of split DWARF (`.debug_info.dwo`). */
enum dwarf_flavour {
	DWARF_PLAIN,
	DWARF_SPLIT,
	DWARF_SHARED, /* its own, of which any may be missing: some hold nothing but texts */
};

/* Where inflated sections go. */
struct dwarf_scratch {
	int fd; /* open for reading and writing at its end; 0 or less: none, they go to memory */
	uint64_t byte_count; /* written so far */
};

struct dwarf_mapping {
	void *bytes;
	size_t byte_count;
	bool of_file; /* pages may be dropped: they come back from there */
};

/* What the header of a unit says. */
struct dwarf_unit_head {
	uint64_t offset; /* in the section */
	uint64_t end;
	uint64_t first_entry;
	uint64_t abbrev_offset;
	uint64_t id; /* of split DWARF, or the signature of a type unit; else 0 */
	uint16_t version;
	uint8_t type; /* DW_UT_*; DW_UT_compile before version 5 */
	uint8_t address_bytes;
	uint8_t offset_bytes; /* 4, or 8 in 64-bit DWARF */
};

struct dwarf_file {
	struct dwarf_span sections[DWARF_SECTION_COUNT];
	struct dwarf_mapping mappings[DWARF_SECTION_COUNT];
	struct dwarf_unit_head *units; /* in the order of the section */
	uint32_t unit_count;
	uint32_t unit_capacity;
	bool swapped;
	uint64_t forgotten; /* bytes of .debug_info before which pages were dropped */
	struct dwarf_file *supplementary; /* borrowed; NULL: none */
};

int dwarf_file_open(const struct image *image, const struct section_names *names,
	enum dwarf_flavour flavour, struct dwarf_scratch *scratch, struct dwarf_file *ret_file);
void dwarf_file_done(struct dwarf_file *file);
/* The unit that holds OFFSET of .debug_info, or NULL. */
const struct dwarf_unit_head *dwarf_file_unit(const struct dwarf_file *file, uint64_t offset);
/* The unit that starts at OFFSET, or NULL. */
const struct dwarf_unit_head *dwarf_file_unit_at(const struct dwarf_file *file, uint64_t offset);
/* What lies before OFFSET of .debug_info was read: its memory may be used for other things. */
void dwarf_file_forget(struct dwarf_file *file, uint64_t offset);
