/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF reader: what a module's debug information says of its code.
 *
 * What it is   functions with their ranges and names, inlined calls and lines of all units of a
 *              file, DWARF 2 to 5, with the files that it refers to. The only reader of DWARF;
 *              nothing in it trusts its input.
 * Ownership    lists, map and strings are the caller's.
 * Threads      one owner.
 * Errors       -ENOENT: no usable DWARF; -EBADMSG, -ENOTSUP: its sections cannot be inflated;
 *              -EFBIG, -E2BIG, -ENOMEM; errors of reading and writing. A damaged unit costs that
 *              unit only, a damaged or wrong other file what is in it.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "store/profile/build_id.h"
#include "symbolizer-server/sandbox/dwarf_file.h"
#include "symbolizer-server/sandbox/dwarf_walk.h"

struct dwarf_source {
	const struct image *image;
	const struct section_names *names;
	int scratch_fd; /* as in struct dwarf_scratch */
	int supplementary_fd; /* 0 or less: none */
	int package_fd; /* likewise */
};

/* What would have given more, had it been there. */
struct dwarf_missing {
	struct build_id supplementary; /* no bytes: nothing is missing */
	bool package; /* units of split DWARF were not found */
};

/* Adds to TARGET's functions and map, which the caller resolves. RET_MISSING is set in any case. */
int dwarf_read(const struct dwarf_source *source, const struct dwarf_target *target,
	struct dwarf_missing *ret_missing);
