/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_line.h"

#include <errno.h>

#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"

static struct string_table strings;

static void put_settings(struct tiny_dwarf *tiny, bool operations)
{
	tiny_bytes(tiny, 1);
	if (operations)
		tiny_bytes(tiny, 1);
	/* Lines from -3 on, 12 of them, opcodes from 13 on. */
	tiny_bytes(tiny, 1, 0xfd, 12, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1);
}

/* The header of version 4: two directories, three files. */
static size_t put_old_header(struct tiny_dwarf *tiny)
{
	size_t length_at;

	tiny_number(tiny, 0, 4);
	tiny_number(tiny, 4, 2);
	length_at = tiny->byte_count;
	tiny_number(tiny, 0, 4);
	put_settings(tiny, true);
	tiny_text(tiny, "sub");
	tiny_text(tiny, "/usr/include");
	tiny_text(tiny, "");
	tiny_text(tiny, "main.c");
	tiny_bytes(tiny, 0, 0, 0);
	tiny_text(tiny, "part.c");
	tiny_bytes(tiny, 1, 0, 0);
	tiny_text(tiny, "stdio.h");
	tiny_bytes(tiny, 2, 0, 0);
	tiny_text(tiny, "");
	tiny_close(tiny, length_at);
	return length_at;
}

static void put_address(struct tiny_dwarf *tiny, uint64_t address)
{
	tiny_bytes(tiny, DW_LNS_extended, 9, DW_LNE_set_address);
	tiny_number(tiny, address, 8);
}

static void put_end(struct tiny_dwarf *tiny)
{
	tiny_bytes(tiny, DW_LNS_extended, 1, DW_LNE_end_sequence);
}

struct lines_fixture {
	struct dwarf_file file;
	struct dwarf_unit unit;
	struct dwarf_lines lines;
	struct code_span span;
	struct code_ranges code;
	struct code_map map;
};

static int open_lines(struct lines_fixture *fixture, const struct tiny_dwarf *section)
{
	*fixture = (struct lines_fixture){.span = {0x1000, 0x2000}};
	fixture->code = (struct code_ranges){&fixture->span, 1};
	fixture->file.sections[DWARF_LINE] = tiny_span(section);
	fixture->unit = (struct dwarf_unit){
		.file = &fixture->file,
		.head = {.version = 4, .address_bytes = 8, .offset_bytes = 4},
		.has_lines = true,
		.directory = "/work",
	};
	CHECK_EQ(code_map_init(&fixture->map), 0);
	return dwarf_lines_open(&fixture->lines, &fixture->unit, &strings);
}

static void run_lines(struct lines_fixture *fixture)
{
	CHECK_EQ(dwarf_lines_run(&fixture->lines, &fixture->code, &fixture->map), 0);
	CHECK_EQ(code_map_resolve(&fixture->map), 0);
}

static void close_lines(struct lines_fixture *fixture)
{
	dwarf_lines_done(&fixture->lines);
	code_map_done(&fixture->map);
}

static void check_path(struct lines_fixture *fixture, uint64_t number, const char *path)
{
	uint32_t index = 1;

	CHECK_EQ(dwarf_lines_path(&fixture->lines, number, &index), 0);
	CHECK_STR(string_table_text(&strings, index), path);
}

static void check_row(
	const struct lines_fixture *fixture, uint32_t number, uint64_t address, uint32_t line)
{
	CHECK(number < fixture->map.line_count);
	CHECK_EQ(fixture->map.lines[number].address, address);
	CHECK_EQ(fixture->map.lines[number].line, line);
}

static void paths_are_joined(void)
{
	struct tiny_dwarf tiny = {0};
	struct lines_fixture fixture;

	put_old_header(&tiny);
	tiny_close(&tiny, 0);
	CHECK_EQ(open_lines(&fixture, &tiny), 0);
	check_path(&fixture, 0, "");
	check_path(&fixture, 1, "/work/main.c");
	check_path(&fixture, 2, "/work/sub/part.c");
	check_path(&fixture, 3, "/usr/include/stdio.h");
	check_path(&fixture, 4, "");
	check_path(&fixture, UINT64_MAX, "");
	close_lines(&fixture);
}

static void files_of_version_5_have_a_format(void)
{
	struct tiny_dwarf tiny = {0}, texts = {0};
	struct lines_fixture fixture;
	size_t length_at;

	tiny_text(&texts, "/home");
	tiny_text(&texts, "a.c");
	tiny_number(&tiny, 0, 4);
	tiny_number(&tiny, 5, 2);
	tiny_bytes(&tiny, 8, 0);
	length_at = tiny.byte_count;
	tiny_number(&tiny, 0, 4);
	put_settings(&tiny, true);
	tiny_bytes(&tiny, 1, DW_LNCT_path, DW_FORM_line_strp, 1);
	tiny_number(&tiny, 0, 4);
	/* Path, directory, and a sum of the contents that is none of ours. */
	tiny_bytes(&tiny, 3, DW_LNCT_path, DW_FORM_line_strp, DW_LNCT_directory_index,
		DW_FORM_udata, 5, DW_FORM_data16, 1);
	tiny_number(&tiny, 6, 4);
	tiny_bytes(&tiny, 0);
	tiny_number(&tiny, 0, 8);
	tiny_number(&tiny, 0, 8);
	tiny_close(&tiny, length_at);
	tiny_close(&tiny, 0);
	CHECK_EQ(open_lines(&fixture, &tiny), 0);
	fixture.file.sections[DWARF_LINE_STR] = tiny_span(&texts);
	dwarf_lines_done(&fixture.lines);
	CHECK_EQ(dwarf_lines_open(&fixture.lines, &fixture.unit, &strings), 0);
	check_path(&fixture, 0, "/home/a.c");
	check_path(&fixture, 1, "");
	close_lines(&fixture);
}

static void a_program_becomes_rows(void)
{
	struct tiny_dwarf tiny = {0};
	struct lines_fixture fixture;

	put_old_header(&tiny);
	put_address(&tiny, 0x1100);
	tiny_bytes(&tiny, DW_LNS_advance_line, 9, DW_LNS_copy); /* line 10 */
	tiny_bytes(&tiny, DW_LNS_set_file, 2, DW_LNS_set_column, 7, DW_LNS_negate_stmt);
	/* Two rows at 0x1104: the last one holds. */
	tiny_bytes(&tiny, DW_LNS_advance_pc, 4, DW_LNS_copy, 13 + 3 + 5);
	/* 20 bytes and one line on; the same line again; a constant of 20 bytes. */
	tiny_bytes(
		&tiny, 13 + 20 * 12 % 240 + 3 + 1, 13 + 12 + 3, DW_LNS_const_add_pc, DW_LNS_copy);
	tiny_bytes(&tiny, DW_LNS_fixed_advance_pc, 0, 1, 13 + 3 + 7);
	tiny_bytes(&tiny, DW_LNS_advance_pc, 8);
	put_end(&tiny);
	tiny_close(&tiny, 0);
	CHECK_EQ(open_lines(&fixture, &tiny), 0);
	run_lines(&fixture);
	check_row(&fixture, 0, 0x1100, 10);
	CHECK_STR(string_table_text(&strings, fixture.map.lines[0].file), "/work/main.c");
	check_row(&fixture, 1, 0x1104, 16);
	CHECK_STR(string_table_text(&strings, fixture.map.lines[1].file), "/work/sub/part.c");
	check_row(&fixture, 2, 0x1104 + 1 + 20 + 0x100, 23);
	check_row(&fixture, 3, 0x1104 + 1 + 20 + 0x100 + 8, 0);
	CHECK_EQ(fixture.map.line_count, 4);
	close_lines(&fixture);
}

static void sequences_of_discarded_code_are_left_out(void)
{
	static const uint64_t places[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, 0x2000};
	struct tiny_dwarf tiny = {0};
	struct lines_fixture fixture;

	put_old_header(&tiny);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		put_address(&tiny, places[i]);
		tiny_bytes(&tiny, DW_LNS_copy, DW_LNS_advance_pc, 0x80, 0x24, DW_LNS_copy);
		put_end(&tiny);
	}
	put_address(&tiny, 0x1500);
	tiny_bytes(&tiny, DW_LNS_copy, DW_LNS_advance_pc, 1);
	put_end(&tiny);
	tiny_close(&tiny, 0);
	CHECK_EQ(open_lines(&fixture, &tiny), 0);
	run_lines(&fixture);
	CHECK_EQ(fixture.map.line_count, 2);
	check_row(&fixture, 0, 0x1500, 1);
	close_lines(&fixture);
}

static void damage_keeps_the_rows_before_it(void)
{
	struct tiny_dwarf tiny = {0};
	struct lines_fixture fixture;

	put_old_header(&tiny);
	put_address(&tiny, 0x1100);
	tiny_bytes(&tiny, DW_LNS_copy, 13 + 12 * 4 + 3 + 4);
	tiny_bytes(&tiny, DW_LNS_extended, 4, DW_LNE_set_address, 1, 2, 3, 4, 5);
	tiny_close(&tiny, 0);
	CHECK_EQ(open_lines(&fixture, &tiny), 0);
	run_lines(&fixture);
	check_row(&fixture, 0, 0x1100, 1);
	close_lines(&fixture);
	/* A range of lines of zero would be divided by. */
	tiny.bytes[14] = 0;
	CHECK_EQ(open_lines(&fixture, &tiny), -EBADMSG);
	close_lines(&fixture);
	tiny.bytes[4] = 6;
	CHECK_EQ(open_lines(&fixture, &tiny), -EBADMSG);
	close_lines(&fixture);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(paths_are_joined);
	RUN(files_of_version_5_have_a_format);
	RUN(a_program_becomes_rows);
	RUN(sequences_of_discarded_code_are_left_out);
	RUN(damage_keeps_the_rows_before_it);
	string_table_done(&strings);
	return 0;
}
