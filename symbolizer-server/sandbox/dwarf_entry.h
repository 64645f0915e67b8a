/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF entry: the attributes of one entry that functions and inlined calls are made of.
 *
 * What it is   reads them, or skips the entry; and names the entry: by its linkage name, wherever
 *              in the chain of declarations and abstract instances that stands, else by its name.
 * Ownership    a namer owns its caches; names are string indices of the caller's table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG. A damaged entry has no name.
 */
#pragma once

#include <stdint.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/dwarf_abbrev.h"
#include "symbolizer-server/sandbox/dwarf_range.h"
#include "symbolizer-server/sandbox/dwarf_unit.h"

#define DWARF_NAME_NONE UINT32_MAX

struct dwarf_entry {
	struct dwarf_extent extent;
	struct dwarf_value name, linkage_name, origin, call_file, call_line;
};

void dwarf_entry_read(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
	const struct abbrev_table *table, const struct abbrev *abbrev,
	struct dwarf_entry *ret_entry);
void dwarf_entry_skip_slowly(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
	const struct abbrev_table *table, const struct abbrev *abbrev);

static inline void dwarf_entry_skip(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
	const struct abbrev_table *table, const struct abbrev *abbrev)
{
	if (abbrev->byte_count != ABBREV_LENGTH_VARIES)
		dwarf_cursor_skip(cursor, abbrev->byte_count);
	else
		dwarf_entry_skip_slowly(cursor, unit, table, abbrev);
}

struct dwarf_namer {
	struct string_table *strings;
	struct abbrev_cache abbrevs; /* of units other than the one that is walked */
	struct dwarf_unit other; /* the last of them */
	struct dwarf_named *memo; /* names that were found before, by place */
};

int dwarf_namer_init(struct dwarf_namer *namer, struct string_table *strings);
void dwarf_namer_done(struct dwarf_namer *namer);
/* The string index of the name of ENTRY, which was read from UNIT; TABLE is that of UNIT.
 * DWARF_NAME_NONE: it has none. */
int dwarf_namer_name(struct dwarf_namer *namer, const struct dwarf_unit *unit,
	const struct abbrev_table *table, const struct dwarf_entry *entry, uint32_t *ret_name);
