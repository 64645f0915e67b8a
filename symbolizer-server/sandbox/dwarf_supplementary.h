/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF supplementary: the file that dwz made of what several debug files have in common.
 *
 * What it is   which file a module refers to (.gnu_debugaltlink, .debug_sup), and that file, opened
 *              once it is known to be the one.
 * Ownership    owns image and mappings; the descriptor must outlive it.
 * Threads      read-only once open.
 * Errors       -ENOENT: none is referred to, or it has no DWARF; -EBADMSG: damaged, or another file;
 *              others as dwarf_file_open.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "store/profile/build_id.h"
#include "symbolizer-server/sandbox/dwarf_file.h"

/* The id of the file that IMAGE refers to. */
int dwarf_supplementary_id(
	const struct image *image, const struct section_names *names, struct build_id *ret_id);

struct dwarf_supplementary {
	struct image image;
	struct section_names names;
	struct dwarf_file file;
};

int dwarf_supplementary_open(int fd, const struct build_id *id, struct dwarf_scratch *scratch,
	struct dwarf_supplementary *ret_supplementary);
/* A zeroed one is none. */
void dwarf_supplementary_done(struct dwarf_supplementary *supplementary);
