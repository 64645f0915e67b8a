/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF lines: the line program of a unit, versions 2 to 5.
 *
 * What it is   reads its header (which files there are), gives the path of a file, and runs the
 *              program into the rows of a code map.
 * Ownership    owns its lists of files, whose memory is used again for the next program; borrows
 *              texts from the sections.
 * Threads      one owner.
 * Errors       -EBADMSG: damaged header; -ENOMEM; -E2BIG. A damaged program gives the rows before
 *              the damage.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/code_map.h"
#include "symbolizer-server/sandbox/dwarf_unit.h"
#include "symbolizer-server/sandbox/elf_symbols.h"

struct dwarf_line_file {
	const char *name;
	uint64_t directory;
	uint32_t path; /* string index, or UINT32_MAX until somebody asks */
};

struct dwarf_lines {
	const struct dwarf_unit *unit;
	struct string_table *strings;
	struct dwarf_cursor program; /* at its first opcode */
	uint16_t version;
	uint8_t offset_bytes;
	uint8_t address_bytes;
	uint8_t instruction_bytes;
	uint8_t operations_max; /* of one instruction (VLIW) */
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	uint8_t operand_counts[256];
	const char **directories;
	uint32_t directory_count;
	uint32_t directory_capacity;
	struct dwarf_line_file *files; /* file n stands at n - first_file */
	uint32_t file_count;
	uint32_t file_capacity;
	uint32_t first_file; /* 1 before version 5 */
};

/* The program at unit->lines_offset. LINES is zeroed, or was opened before. */
int dwarf_lines_open(
	struct dwarf_lines *lines, const struct dwarf_unit *unit, struct string_table *strings);
/* A file that a program names on its way. */
int dwarf_lines_add_file(struct dwarf_lines *lines, const char *name, uint64_t directory);
void dwarf_lines_done(struct dwarf_lines *lines);
/* The string index of the path of file NUMBER: directory of the unit, directory, name, each only
 * where what follows is not absolute. CODE_FILE_NONE: there is no such file. */
int dwarf_lines_path(struct dwarf_lines *lines, uint64_t number, uint32_t *ret_path);
/* Sequences that do not start in CODE are left out: the linker dropped what they speak of. */
int dwarf_lines_run(
	struct dwarf_lines *lines, const struct code_ranges *code, struct code_map *map);
