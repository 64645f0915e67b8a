/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF unit: what the values of one unit's entries refer to.
 *
 * What it is   the root entry of a unit, read: the bases of its indexed tables, its first address,
 *              its directory and where its lines stand. A unit of split DWARF takes from its
 *              skeleton what the skeleton keeps for it.
 * Ownership    borrows from the file.
 * Threads      read-only once open.
 * Errors       -EBADMSG: the root entry is damaged. Values that lie outside of their section are
 *              no values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/dwarf_abbrev.h"
#include "symbolizer-server/sandbox/dwarf_file.h"
#include "symbolizer-server/sandbox/dwarf_form.h"

/* The parts of the sections of a package that belong to one unit; of another file, the sections. */
struct dwarf_parts {
	struct dwarf_span abbrev;
	struct dwarf_span str_offsets;
	struct dwarf_span rnglists;
};

struct dwarf_unit {
	struct dwarf_file *file;
	struct dwarf_unit_head head;
	struct dwarf_parts parts;
	bool is_split;
	struct dwarf_span addr; /* of the skeleton's file, if there is one */
	struct dwarf_span ranges; /* likewise */
	const struct dwarf_unit *skeleton; /* borrowed; NULL: none */

	uint16_t tag; /* of the root entry */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t ranges_base; /* added to DW_AT_ranges of a split unit of version 4 */
	uint64_t low_pc; /* 0: none */
	uint64_t dwo_id; /* 0: none */
	bool wants_split; /* a skeleton: what it describes stands elsewhere */
	bool has_lines;
	uint64_t lines_offset;
	const char *directory; /* DW_AT_comp_dir, or NULL */
	const char *name;
};

/* Reads the root entry of a unit by TABLE, which is that of the unit. */
int dwarf_unit_open(struct dwarf_file *file, const struct dwarf_unit_head *head,
	const struct abbrev_table *table, struct dwarf_unit *ret_unit);
/* The same for a unit of split DWARF: PARTS are its own, SKELETON gives what it lacks. */
int dwarf_unit_open_split(struct dwarf_file *file, const struct dwarf_unit_head *head,
	const struct dwarf_parts *parts, const struct dwarf_unit *skeleton,
	const struct abbrev_table *table, struct dwarf_unit *ret_unit);

/* NULL: no text. */
const char *dwarf_unit_text(const struct dwarf_unit *unit, const struct dwarf_value *value);
bool dwarf_unit_address(
	const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_address);
/* Address INDEX of the unit's table. */
bool dwarf_unit_address_at(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret_address);
/* Another entry: its file and its offset in .debug_info there. False: not a reference to one that
 * we have. */
bool dwarf_unit_reference(const struct dwarf_unit *unit, const struct dwarf_value *value,
	struct dwarf_file **ret_file, uint64_t *ret_offset);
