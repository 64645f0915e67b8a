/* SPDX-License-Identifier: Apache-2.0 */
/* Mini debug: the small symbol table that some distributions leave in stripped programs.
 *
 * What it is   section .gnu_debugdata: an ELF file packed by xz, whose .symtab holds the functions
 *              that .dynsym leaves out. The only file that includes liblzma.
 * Ownership    lists and tables are the caller's.
 * Threads      no shared state.
 * Errors       -ENOENT: there is none; -EBADMSG: it is damaged; -EFBIG: larger than allowed;
 *              -ENOMEM; -E2BIG.
 */
#pragma once

#include "symbolizer-server/sandbox/elf_symbols.h"

/* A resolved list. CODE is that of the program itself. */
int mini_debug_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings,
	struct function_list *ret_list);
