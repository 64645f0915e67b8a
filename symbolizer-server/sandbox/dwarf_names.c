/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include "store/base/must.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* libdw keeps all it has decoded until its handle ends: a new handle every so many units bounds
 * that (0.42 GB instead of 1.25 GB for 630 MB of DWARF). */
#define UNITS_PER_HANDLE 50
/* Namespaces, classes and blocks within each other; deeper ones are left out. */
#define DEPTH_MAX 128
/* Ranges of one function: hot and cold parts, and parts split by the linker. */
#define RANGES_MAX 4096

struct walk {
	const struct code_ranges *code;
	const struct function_list *table;
	struct string_table *strings;
	struct function_list *list;
	uint32_t order;
	Dwarf_Die path[DEPTH_MAX];
	uint32_t depth;
};

/* Whether a subprogram can stand somewhere below a DIE of this kind. */
static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_common_block:
		return true;
	default:
		return false;
	}
}

static const char *attribute_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* The string index of the name of a function that starts at START; UINT32_MAX if it has none. */
static int name_function(struct walk *walk, Dwarf_Die *die, uint64_t start, uint32_t *ret_name)
{
	uint32_t index = function_list_from(walk->table, start);
	const char *text;

	if (index < walk->table->count && walk->table->functions[index].start == start) {
		*ret_name = walk->table->functions[index].name;
		return 0;
	}
	text = attribute_text(die, DW_AT_linkage_name);
	if (!text)
		text = attribute_text(die, DW_AT_MIPS_linkage_name);
	if (!text)
		text = dwarf_diename(die);
	if (!text || !*text) {
		*ret_name = UINT32_MAX;
		return 0;
	}
	return string_table_add(
		walk->strings, text, strnlen(text, SYMBOL_NAME_BYTES_MAX - 1), ret_name);
}

/* Discarded functions stay in DWARF at address 0, 1 or the highest ones; and damaged ranges may be
 * anything: only what lies in code counts. */
static uint64_t end_in_code(const struct walk *walk, uint64_t start, uint64_t end)
{
	const struct code_span *range = code_ranges_find(walk->code, start);

	if (!range || end <= start)
		return start;
	return end < range->end ? end : range->end;
}

static int add_function(struct walk *walk, Dwarf_Die *die)
{
	uint32_t name = UINT32_MAX, order = walk->order++;
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	for (int i = 0; i < RANGES_MAX; i++) {
		int r;

		next = dwarf_ranges(die, next, &base, &start, &end);
		if (next <= 0)
			return 0;
		end = end_in_code(walk, start, end);
		if (end == start)
			continue;
		if (name == UINT32_MAX) {
			r = name_function(walk, die, start, &name);
			if (r < 0)
				return r;
			if (name == UINT32_MAX)
				return 0;
		}
		r = function_list_add(walk->list, start, end, name, order);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Moves to the next DIE in depth-first order, below the current one only if that can hold
 * functions. False at the end of the unit. */
static bool step(struct walk *walk)
{
	Dwarf_Die *current = &walk->path[walk->depth - 1];

	if (walk->depth < DEPTH_MAX && may_hold_functions(dwarf_tag(current)) &&
		dwarf_child(current, &walk->path[walk->depth]) == 0) {
		walk->depth++;
		return true;
	}
	while (walk->depth > 1) {
		Dwarf_Die sibling;

		if (dwarf_siblingof(&walk->path[walk->depth - 1], &sibling) == 0) {
			walk->path[walk->depth - 1] = sibling;
			return true;
		}
		walk->depth--;
	}
	return false;
}

static int walk_unit(struct walk *walk, Dwarf *dwarf, Dwarf_Off offset)
{
	int r = 0;

	if (!dwarf_offdie(dwarf, offset, &walk->path[0]))
		return 0;
	walk->depth = 1;
	do {
		if (dwarf_tag(&walk->path[walk->depth - 1]) == DW_TAG_subprogram)
			r = add_function(walk, &walk->path[walk->depth - 1]);
	} while (r == 0 && step(walk));
	return r;
}

/* Walks the units from *OFFSET on with a handle of their own. Sets *OFFSET to UINT64_MAX at the
 * end. */
static int walk_some_units(struct walk *walk, Elf *elf, uint64_t *offset)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	int r = 0;

	if (!dwarf) {
		*offset = UINT64_MAX;
		return 0;
	}
	for (int i = 0; r == 0 && i < UNITS_PER_HANDLE; i++) {
		Dwarf_Off next;
		size_t header_bytes;

		if (dwarf_next_unit(dwarf, *offset, &next, &header_bytes, NULL, NULL, NULL, NULL,
			    NULL, NULL) != 0) {
			*offset = UINT64_MAX;
			break;
		}
		r = walk_unit(walk, dwarf, *offset + header_bytes);
		*offset = next;
	}
	dwarf_end(dwarf);
	return r;
}

int dwarf_names_read(const struct dwarf_image *dwarf, const struct code_ranges *code,
	const struct function_list *table, struct string_table *strings,
	struct function_list *ret_list)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	struct function_list list = {0};
	uint64_t offset = 0;
	Elf *elf;
	int r = 0;

	if (!walk)
		return -ENOMEM;
	*walk = (struct walk){.code = code, .table = table, .strings = strings, .list = &list};
	must(elf_version(EV_CURRENT) != EV_NONE);
	elf = elf_memory((char *)dwarf->bytes, dwarf->byte_count);
	while (r == 0 && elf && offset != UINT64_MAX)
		r = walk_some_units(walk, elf, &offset);
	if (elf)
		elf_end(elf);
	free(walk);
	if (r == 0)
		r = function_list_resolve(&list);
	if (r == 0 && list.count == 0)
		r = -ENOENT;
	if (r < 0) {
		function_list_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}
