/* SPDX-License-Identifier: Apache-2.0 */
/* Whole DWARF: what dwarf_read finds in one file of a test's folder, ready to be asked.
 *
 * What it is   functions, calls and lines of a file, resolved, with look-ups by address that give
 *              texts as llvm-symbolizer prints them: `name path:line` for each frame, innermost
 *              first.
 * Ownership    owns all of it.
 * Threads      one owner.
 * Errors       what a file without faults must not give ends the test.
 */
#pragma once

#include <unistd.h>

#include "symbolizer-server/sandbox/dwarf_read.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define WHOLE_DWARF_TEXT_BYTES 8192

struct whole_dwarf {
	struct string_table strings;
	struct function_list table; /* .symtab; empty if there is none */
	struct function_list functions;
	struct code_ranges code;
	struct code_map map;
	struct dwarf_missing missing;
	int r; /* of dwarf_read */
};

static inline void whole_dwarf_read_image(
	struct whole_dwarf *whole, const struct image *image, const struct dwarf_source *given)
{
	struct section_names names = {0};
	struct dwarf_source source = *given;
	const struct dwarf_target target = {
		.code = &whole->code,
		.table = &whole->table,
		.strings = &whole->strings,
		.functions = &whole->functions,
		.map = &whole->map,
	};

	*whole = (struct whole_dwarf){0};
	CHECK_EQ(string_table_init(&whole->strings), 0);
	CHECK_EQ(code_map_init(&whole->map), 0);
	CHECK_EQ(section_names_read(image, &names), 0);
	CHECK_EQ(code_ranges_read(image, &whole->code), 0);
	/* A file without .symtab leaves it empty. */
	elf_symbols_read(
		image, &names, &whole->code, ELF_SYMBOLS_WHOLE, &whole->strings, &whole->table);
	source.image = image;
	source.names = &names;
	whole->r = dwarf_read(&source, &target, &whole->missing);
	CHECK_EQ(function_list_resolve(&whole->functions), 0);
	CHECK_EQ(code_map_resolve(&whole->map), 0);
	section_names_done(&names);
}

static inline void whole_dwarf_done(struct whole_dwarf *whole)
{
	function_list_done(&whole->table);
	function_list_done(&whole->functions);
	code_ranges_done(&whole->code);
	code_map_done(&whole->map);
	string_table_done(&whole->strings);
}

/* FILE of the test's folder; GIVEN may name a scratch file and further files. */
static inline void whole_dwarf_read_with(
	struct whole_dwarf *whole, const char *file, const struct dwarf_source *given)
{
	int fd = work_open(file);
	struct image image;

	CHECK_EQ(image_open(fd, true, &image), 0);
	whole_dwarf_read_image(whole, &image, given);
	image_done(&image);
	close(fd);
}

static inline void whole_dwarf_read(struct whole_dwarf *whole, const char *file)
{
	const struct dwarf_source none = {.scratch_fd = -1};

	whole_dwarf_read_with(whole, file, &none);
}

static inline const char *whole_dwarf_function(const struct whole_dwarf *whole, uint64_t address)
{
	const struct function *found = function_list_find(&whole->functions, address);

	return found ? string_table_text(&whole->strings, found->name) : "??";
}

static inline uint32_t whole_dwarf_call(const struct whole_dwarf *whole, uint64_t address)
{
	uint32_t low = 0, high = whole->map.range_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (whole->map.ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || whole->map.ranges[low - 1].end <= address)
		return CODE_CALL_NONE;
	return whole->map.ranges[low - 1].call;
}

static inline struct code_line whole_dwarf_line(const struct whole_dwarf *whole, uint64_t address)
{
	uint32_t low = 0, high = whole->map.line_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (whole->map.lines[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? whole->map.lines[low - 1] : (struct code_line){0};
}

/* One line for each frame: function, then path:line. */
static inline const char *whole_dwarf_chain(const struct whole_dwarf *whole, uint64_t address)
{
	static char text[WHOLE_DWARF_TEXT_BYTES];
	struct code_line at = whole_dwarf_line(whole, address);
	uint32_t call = whole_dwarf_call(whole, address);
	uint32_t file = at.file, line = at.line;
	size_t length = 0;

	for (;;) {
		const struct code_call *frame = &whole->map.calls[call];
		const char *name = call == CODE_CALL_NONE
			? whole_dwarf_function(whole, address)
			: string_table_text(&whole->strings, frame->name);
		const char *path =
			file == CODE_FILE_NONE ? "??" : string_table_text(&whole->strings, file);

		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s %s:%u\n", name, path, line);
		CHECK(length < sizeof(text));
		if (call == CODE_CALL_NONE)
			return text;
		file = frame->call_file;
		line = frame->call_line;
		call = frame->parent;
	}
}
