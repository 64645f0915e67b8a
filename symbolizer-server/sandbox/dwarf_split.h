/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF split: the units that skeletons stand for.
 *
 * What it is   finds the unit of an id in a package (.dwp, by its index of version 2 or 5), or among
 *              `.dwo` sections without an index, and says which parts of the sections are its own.
 * Ownership    owns the file's mappings; the image must outlive it.
 * Threads      read-only once open.
 * Errors       -ENOENT: no split DWARF in the file; others as dwarf_file_open.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/dwarf_file.h"
#include "symbolizer-server/sandbox/dwarf_unit.h"

struct dwarf_split {
	struct dwarf_file file;
	bool is_package;
	/* The index: tables within .debug_cu_index. */
	uint32_t version;
	uint32_t column_count, row_count, slot_count;
	uint64_t slots, rows, columns, offsets, lengths; /* where each table starts */
	uint64_t *ids; /* of the units, without an index */
};

int dwarf_split_open(const struct image *image, const struct section_names *names,
	struct dwarf_scratch *scratch, struct dwarf_split *ret_split);
void dwarf_split_done(struct dwarf_split *split);
/* NULL: no unit has ID. */
const struct dwarf_unit_head *dwarf_split_find(
	const struct dwarf_split *split, uint64_t id, struct dwarf_parts *ret_parts);
