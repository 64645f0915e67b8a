/* SPDX-License-Identifier: Apache-2.0 */
/* Build file: what a file of a build is to the server.
 *
 * What it is   the id under which a program, a debug file or a package of split DWARF is sent, and
 *              whether what the server keeps already says as much.
 * Ownership    values only.
 * Threads      one.
 * Errors       -ENOEXEC: not an ELF file; -ENOMSG: nothing in it that gives names or code; -ENOENT:
 *              a package without its program beside it; -ENODATA: no build-ID; read errors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/elf/elf_contents.h"
#include "store/profile/build_id.h"

struct build_file {
	struct build_id id;
	struct contents contents;
	uint64_t byte_count;
};

/* Opens PATH; the descriptor is the caller's. */
int build_file_open(const char *path, struct build_file *ret_file, int *ret_fd);
/* `debug file`, `program with DWARF`, ... */
const char *build_file_text(const struct build_file *file);
/* Whether a kept file of the kind that the server calls WORD makes this one needless. */
bool build_file_is_covered(const struct build_file *file, const char *word);
/* What an error of opening means, as a person reads it. */
const char *build_file_error(int error);
