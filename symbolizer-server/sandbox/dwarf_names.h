/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF names: functions as the compiler described them.
 *
 * What it is   address ranges and linkage names of the subprograms of every unit, through libdw.
 *              Runs in the sandbox only: libdw trusts its input.
 * Ownership    lists and tables are the caller's.
 * Threads      one owner.
 * Errors       -ENOENT: no usable unit; -ENOMEM; -E2BIG. A damaged unit costs that unit only.
 */
#pragma once

#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/dwarf_image.h"
#include "symbolizer-server/sandbox/elf_symbols.h"
#include "symbolizer-server/sandbox/function_list.h"

/* A resolved list. TABLE (resolved, may be empty) are the functions of .symtab: the symbol that
 * starts where a function starts gives it its name, so that a module is named the same with and
 * without DWARF (which says `__GI___libc_malloc` where everyone says `malloc`, and nothing of the
 * scope of a static C++ function). */
int dwarf_names_read(const struct dwarf_image *dwarf, const struct code_ranges *code,
	const struct function_list *table, struct string_table *strings,
	struct function_list *ret_list);
