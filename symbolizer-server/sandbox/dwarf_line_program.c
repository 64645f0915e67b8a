/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a line program: dwarf_lines_run of dwarf_line.h. */
#include <errno.h>

#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "symbolizer-server/sandbox/dwarf_line.h"

struct machine {
	struct dwarf_lines *lines;
	const struct code_ranges *code;
	struct code_map *map;
	uint64_t address;
	uint64_t operation; /* within an instruction (VLIW) */
	uint64_t file;
	uint64_t line;

	/* The sequence that is being read. */
	bool begun;
	bool kept; /* it lies in code */
	/* The last row, which is not told before one of a higher address comes: of rows at one
	 * address the last holds. */
	bool waiting;
	uint64_t row_address, row_file, row_line;
	/* What was told last: a row that says the same again is left out. */
	bool told;
	uint64_t told_file, told_line;
};

static void reset(struct machine *machine)
{
	machine->address = 0;
	machine->operation = 0;
	machine->file = 1;
	machine->line = 1;
	machine->begun = machine->kept = machine->waiting = machine->told = false;
}

static int tell(struct machine *machine)
{
	uint32_t path = CODE_FILE_NONE, line = (uint32_t)machine->row_line;
	int r;

	if (!machine->waiting)
		return 0;
	machine->waiting = false;
	if (machine->told && machine->told_file == machine->row_file &&
		machine->told_line == machine->row_line)
		return 0;
	r = dwarf_lines_path(machine->lines, machine->row_file, &path);
	if (r < 0)
		return r;
	machine->told = true;
	machine->told_file = machine->row_file;
	machine->told_line = machine->row_line;
	return code_map_add_line(
		machine->map, machine->row_address, path, path == CODE_FILE_NONE ? 0 : line);
}

static int end_sequence(struct machine *machine)
{
	int r = 0;

	if (machine->kept) {
		if (machine->waiting && machine->address > machine->row_address)
			r = tell(machine);
		if (r == 0 && machine->told)
			r = code_map_end_lines(machine->map, machine->address);
	}
	reset(machine);
	return r;
}

static int add_row(struct machine *machine)
{
	int r = 0;

	if (!machine->begun) {
		machine->begun = true;
		machine->kept = code_ranges_find(machine->code, machine->address) != NULL;
	}
	if (!machine->kept)
		return 0;
	/* Rows that fall break the order of a sequence: they are no use to anybody. */
	if (machine->waiting && machine->address < machine->row_address)
		return 0;
	if (machine->waiting && machine->address > machine->row_address)
		r = tell(machine);
	machine->waiting = true;
	machine->row_address = machine->address;
	machine->row_file = machine->file;
	machine->row_line = machine->line;
	return r;
}

static void advance(struct machine *machine, uint64_t operations)
{
	const struct dwarf_lines *lines = machine->lines;

	if (lines->operations_max == 1) {
		machine->address += operations * lines->instruction_bytes;
		return;
	}
	operations += machine->operation;
	machine->address += operations / lines->operations_max * lines->instruction_bytes;
	machine->operation = operations % lines->operations_max;
}

static int run_special(struct machine *machine, uint8_t opcode)
{
	const struct dwarf_lines *lines = machine->lines;
	unsigned adjusted = opcode - lines->opcode_base;

	advance(machine, adjusted / lines->line_range);
	machine->line +=
		(uint64_t)(int64_t)(lines->line_base + (int)(adjusted % lines->line_range));
	return add_row(machine);
}

static int define_file(struct machine *machine, struct dwarf_cursor *cursor)
{
	const char *name = dwarf_cursor_text(cursor);
	uint64_t directory = dwarf_cursor_uleb(cursor);

	return name ? dwarf_lines_add_file(machine->lines, name, directory) : 0;
}

static int run_extended(struct machine *machine, struct dwarf_cursor *cursor)
{
	uint64_t byte_count = dwarf_cursor_uleb(cursor);
	struct dwarf_cursor part = dwarf_cursor_part(cursor, byte_count);

	if (byte_count == 0)
		return 0;
	switch (dwarf_cursor_u8(&part)) {
	case DW_LNE_end_sequence:
		return end_sequence(machine);
	case DW_LNE_set_address:
		machine->address = dwarf_cursor_number(&part, (unsigned)dwarf_cursor_left(&part));
		machine->operation = 0;
		return part.bad ? -EBADMSG : 0;
	case DW_LNE_define_file:
		return define_file(machine, &part);
	default:
		return 0;
	}
}

static int run_standard(struct machine *machine, struct dwarf_cursor *cursor, uint8_t opcode)
{
	const struct dwarf_lines *lines = machine->lines;

	switch (opcode) {
	case DW_LNS_copy:
		return add_row(machine);
	case DW_LNS_advance_pc:
		advance(machine, dwarf_cursor_uleb(cursor));
		return 0;
	case DW_LNS_advance_line:
		machine->line += (uint64_t)dwarf_cursor_sleb(cursor);
		return 0;
	case DW_LNS_set_file:
		machine->file = dwarf_cursor_uleb(cursor);
		return 0;
	case DW_LNS_const_add_pc:
		advance(machine, (255u - lines->opcode_base) / lines->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		machine->address += dwarf_cursor_u16(cursor);
		machine->operation = 0;
		return 0;
	default:
		/* Columns, statements, prologues, and what later versions bring. */
		for (unsigned i = 0; i < lines->operand_counts[opcode]; i++)
			dwarf_cursor_uleb(cursor);
		return 0;
	}
}

int dwarf_lines_run(struct dwarf_lines *lines, const struct code_ranges *code, struct code_map *map)
{
	struct machine machine = {.lines = lines, .code = code, .map = map};
	struct dwarf_cursor cursor = lines->program;
	int r = 0;

	reset(&machine);
	while (r == 0 && cursor.at < cursor.end) {
		uint8_t opcode = dwarf_cursor_u8(&cursor);

		if (opcode >= lines->opcode_base)
			r = run_special(&machine, opcode);
		else if (opcode == DW_LNS_extended)
			r = run_extended(&machine, &cursor);
		else
			r = run_standard(&machine, &cursor, opcode);
	}
	/* A sequence without an end: what was told of it must not reach into what follows. */
	if (machine.begun && (r == 0 || r == -EBADMSG)) {
		int ended = end_sequence(&machine);

		return ended;
	}
	return r == -EBADMSG ? 0 : r;
}
