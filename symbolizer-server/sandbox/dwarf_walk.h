/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF walk: the functions, inlined calls and lines of one unit.
 *
 * What it is   one pass over the entries of a unit, in order and without recursion, into a list of
 *              functions and a code map.
 * Ownership    a walk owns its working memory, used again from unit to unit; lists, map and tables
 *              are the caller's.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG. Damage costs what stands behind it in its unit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/code_map.h"
#include "symbolizer-server/sandbox/dwarf_entry.h"
#include "symbolizer-server/sandbox/dwarf_line.h"
#include "symbolizer-server/sandbox/dwarf_unit.h"
#include "symbolizer-server/sandbox/elf_symbols.h"
#include "symbolizer-server/sandbox/function_list.h"

/* Where what is found goes. */
struct dwarf_target {
	const struct code_ranges *code; /* what lies outside is no function */
	/* The functions of .symtab, resolved, may be empty: the symbol that starts where a function
	 * starts gives it its name. */
	const struct function_list *table;
	struct string_table *strings;
	struct function_list *functions;
	struct code_map *map;
};

/* Blocks, inlined calls and classes within each other; what lies deeper is left out. */
#define DWARF_DEPTH_MAX 1024

struct dwarf_level {
	uint32_t call; /* into which calls at this level were inlined */
	bool live; /* within a function that is in the program */
};

struct dwarf_walk {
	struct dwarf_target target;
	uint32_t function_count; /* so far: the order of the next one */
	struct dwarf_namer namer;
	struct dwarf_lines lines;
	bool has_lines;

	/* The unit that is walked. */
	const struct dwarf_unit *unit;
	const struct abbrev_table *table;
	struct dwarf_cursor cursor;
	struct dwarf_level levels[DWARF_DEPTH_MAX];
	uint32_t depth; /* of the parents of the current entry, may exceed the above */
};

int dwarf_walk_init(struct dwarf_walk *walk, const struct dwarf_target *target);
void dwarf_walk_done(struct dwarf_walk *walk);
/* LINES: its line program is run, too; without, it only names the files of calls. */
int dwarf_walk_unit(struct dwarf_walk *walk, const struct dwarf_unit *unit,
	const struct abbrev_table *table, bool lines);
