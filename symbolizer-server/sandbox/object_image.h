/* SPDX-License-Identifier: Apache-2.0 */
/* Object image: an object file as a kernel lays it out when it loads it as a module.
 *
 * What it is   addresses for the sections of a file that has none (`.ko`), and its debug sections and
 *              symbols with these addresses put in. Code follows `.text` in the order of the table
 *              of sections, as in memory; what is only run when the module is loaded (`.init.text`)
 *              is no code any more. The rest of the readers sees a file like any other, whose `.text`
 *              begins at START.
 * Ownership    an object image owns its memory; names stay those of the file.
 * Threads      one owner.
 * Errors       -ENOENT: no .text; -ENOTSUP: a machine, class or byte order that is not known; it is
 *              damaged: -EBADMSG; -EFBIG, -ENOMEM; errors of reading. Debug sections whose
 *              relocations cannot be applied are left out.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"

struct object_image {
	struct image image;
	uint64_t start; /* of .text */
	uint8_t *memory;
	uint64_t memory_bytes;
};

int object_image_open(const struct image *image, const struct section_names *names,
	struct object_image *ret_object);
void object_image_done(struct object_image *object);
