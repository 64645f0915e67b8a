/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/go_lines.h"

#include <elf.h>
#include <errno.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"

#define CODE_START 0x1000
#define TABLE_AT 0x8000
#define TREES_AT 0x9000
/* Parts of the table. */
#define NAMES 0x100
#define UNITS 0x180
#define FILES 0x1a0
#define STEPS 0x1e0
#define FUNCTIONS 0x240
#define NAME_TEXTS "main.main\0main.inner\0main.deep"
#define DEEP 21
#define INNER 10
#define TREE 0x10

enum { GO_1_2 = 0xfffffffb, GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1 };

static struct string_table strings;

static void pad(struct bytes_writer *writer, size_t byte_count)
{
	CHECK(writer->byte_count <= byte_count);
	while (writer->byte_count < byte_count)
		bytes_write_u8(writer, 0);
}

/* One function of 0x40 bytes: lines 10, 20 and 30; a call within a call in its middle. */
static void write_steps(struct bytes_writer *writer)
{
	static const uint8_t steps[] = {
		0xff, 2, 0x40, 0, 0, /* at 1: file 0 */
		22, 0x10, 20, 0x10, 20, 0x20, 0, /* at 5 */
		0xff, 0xff, 0xff, 0xff, 0, 0x10, 2, 0x10, 2, 0x10, 3, 0x10, 0, /* at 16 */
	};

	pad(writer, STEPS);
	bytes_write_span(writer, steps, sizeof(steps));
}

static void write_record(struct bytes_writer *writer, uint32_t magic)
{
	bytes_write_u32(writer, magic == (uint32_t)GO_1_2 ? NAMES : 0); /* the name */
	for (int i = 0; i < 3; i++)
		bytes_write_u32(writer, 0);
	bytes_write_u32(writer, magic == (uint32_t)GO_1_2 ? STEPS + 1 : 1);
	bytes_write_u32(writer, magic == (uint32_t)GO_1_2 ? STEPS + 5 : 5);
	bytes_write_u32(writer, 3);
	bytes_write_u32(writer, 0); /* its unit */
	if (magic == (uint32_t)GO_1_20)
		bytes_write_u32(writer, 9);
	bytes_write_span(writer, "\0\0\0\4", 4);
	for (int i = 0; i < 2; i++)
		bytes_write_u32(writer, 0);
	bytes_write_u32(writer, 16);
	for (int i = 0; i < 3; i++)
		bytes_write_u32(writer, UINT32_MAX);
	bytes_write_u32(writer, TREE);
}

static void write_head(struct bytes_writer *writer, uint32_t magic)
{
	bytes_write_u32(writer, magic);
	bytes_write_u16(writer, 0);
	bytes_write_u8(writer, 1);
	bytes_write_u8(writer, 8);
	bytes_write_u64(writer, 1);
	if (magic == (uint32_t)GO_1_2)
		return;
	bytes_write_u64(writer, 1);
	if (magic < (uint32_t)GO_1_16)
		bytes_write_u64(writer, CODE_START);
	bytes_write_u64(writer, NAMES);
	bytes_write_u64(writer, UNITS);
	bytes_write_u64(writer, FILES);
	bytes_write_u64(writer, STEPS);
	bytes_write_u64(writer, FUNCTIONS);
}

static void write_pair(struct bytes_writer *writer, bool wide, uint64_t pc, uint64_t record)
{
	for (int i = 0; i < 2; i++) {
		uint64_t value = i == 0 ? pc : record;

		if (wide)
			bytes_write_u64(writer, value);
		else
			bytes_write_u32(writer, (uint32_t)value);
	}
}

static void write_table(struct bytes_writer *writer, uint32_t magic)
{
	bool wide = magic >= (uint32_t)GO_1_16;
	uint64_t base = wide ? CODE_START : 0;

	write_head(writer, magic);
	if (magic == (uint32_t)GO_1_2) {
		write_pair(writer, true, base + 0x10, 0x40);
		bytes_write_u64(writer, base + 0x50);
		bytes_write_u32(writer, UNITS - 8);
		pad(writer, 0x40);
		bytes_write_u64(writer, base + 0x10);
		write_record(writer, magic);
	}
	pad(writer, NAMES);
	bytes_write_span(writer, NAME_TEXTS, sizeof(NAME_TEXTS));
	pad(writer, UNITS - 8);
	bytes_write_u32(writer, FILES); /* of Go 1.2: file 0, from the start of the table */
	pad(writer, UNITS);
	bytes_write_u32(writer, 0);
	pad(writer, FILES);
	bytes_write_span(writer, "/src/main.go", 13);
	write_steps(writer);
	pad(writer, FUNCTIONS);
	if (magic == (uint32_t)GO_1_2)
		return;
	write_pair(writer, wide, base + 0x10, 0x20);
	write_pair(writer, wide, base + 0x50, 0);
	pad(writer, FUNCTIONS + 0x20);
	if (wide)
		bytes_write_u64(writer, base + 0x10);
	else
		bytes_write_u32(writer, 0x10);
	write_record(writer, magic);
}

static void write_node(struct bytes_writer *writer, uint32_t magic, uint32_t name, uint32_t pc)
{
	for (int i = 0; i < (magic == (uint32_t)GO_1_18 ? 3 : 1); i++)
		bytes_write_u32(writer, 0);
	bytes_write_u32(writer, name);
	bytes_write_u32(writer, pc);
	if (magic == (uint32_t)GO_1_20)
		bytes_write_u32(writer, 1);
}

static void write_trees(struct bytes_writer *writer, uint32_t magic)
{
	pad(writer, TREE);
	write_node(writer, magic, INNER, 0x05);
	write_node(writer, magic, DEEP, 0x18);
}

static void write_module(struct bytes_writer *writer, uint32_t magic)
{
	/* Something else stands before it. */
	bytes_write_u64(writer, TABLE_AT);
	bytes_write_u64(writer, TABLE_AT);
	bytes_write_u64(writer, TABLE_AT + NAMES);
	pad(writer, 8 + (magic == (uint32_t)GO_1_20 ? 40 : 38) * 8);
	bytes_write_u64(writer, TREES_AT);
}

static int read_map(const uint8_t *bytes, size_t byte_count, struct code_map *map)
{
	struct section_names names = {0};
	struct code_ranges code;
	struct image image;
	int r;

	CHECK_EQ(image_open_memory(bytes, byte_count, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	CHECK_EQ(code_ranges_read(&image, &code), 0);
	CHECK_EQ(code_map_init(map), 0);
	r = go_lines_read(&image, &names, &code, &strings, map);
	CHECK_EQ(code_map_resolve(map), 0);
	code_ranges_done(&code);
	section_names_done(&names);
	image_done(&image);
	return r;
}

/* The first CUT bytes of the table, and the trees if WITH_TREES. */
static int read_made(uint32_t magic, size_t cut, bool with_trees, struct code_map *map)
{
	SCOPED_FREE uint8_t *file = NULL;
	struct bytes_writer table, trees, module;
	struct tiny_elf elf;
	size_t byte_count;
	int r;

	bytes_writer_init(&table, 4096);
	bytes_writer_init(&trees, 4096);
	bytes_writer_init(&module, 4096);
	write_table(&table, magic);
	write_trees(&trees, magic);
	write_module(&module, magic);
	tiny_elf_init(&elf);
	tiny_elf_section(
		&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_START, NULL, 0x1000);
	tiny_elf_section(&elf, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TABLE_AT, table.bytes,
		cut < table.byte_count ? cut : table.byte_count);
	if (with_trees) {
		tiny_elf_section(&elf, ".rodata", SHT_PROGBITS, SHF_ALLOC, TREES_AT, trees.bytes,
			trees.byte_count);
		tiny_elf_section(&elf, ".noptrdata", SHT_PROGBITS, SHF_ALLOC, 0xa000, module.bytes,
			module.byte_count);
	}
	file = tiny_elf_finish(&elf, &byte_count);
	r = read_map(file, byte_count, map);
	bytes_writer_done(&table);
	bytes_writer_done(&trees);
	bytes_writer_done(&module);
	return r;
}

static void check_lines(const struct code_map *map)
{
	static const uint32_t expected[] = {10, 20, 30, 0};
	static const uint64_t at[] = {0x10, 0x20, 0x30, 0x50};

	CHECK_EQ(map->line_count, 4);
	for (int i = 0; i < 4; i++) {
		CHECK_EQ(map->lines[i].address, CODE_START + at[i]);
		CHECK_EQ(map->lines[i].line, expected[i]);
	}
	CHECK_STR(string_table_text(&strings, map->lines[0].file), "/src/main.go");
}

static void every_layout_has_lines(void)
{
	static const uint32_t magics[] = {
		(uint32_t)GO_1_2, (uint32_t)GO_1_16, (uint32_t)GO_1_18, (uint32_t)GO_1_20};

	for (int i = 0; i < 4; i++) {
		struct code_map map;

		CHECK_EQ(read_made(magics[i], SIZE_MAX, false, &map), 0);
		check_lines(&map);
		CHECK_EQ(map.range_count, 0);
		code_map_done(&map);
	}
}

static void check_call(
	const struct code_map *map, uint32_t call, const char *name, uint32_t parent, uint32_t line)
{
	CHECK_STR(string_table_text(&strings, map->calls[call].name), name);
	CHECK_EQ(map->calls[call].parent, parent);
	CHECK_EQ(map->calls[call].call_line, line);
	CHECK_STR(string_table_text(&strings, map->calls[call].call_file), "/src/main.go");
}

static void inlined_calls_are_found_through_the_module(void)
{
	static const uint32_t magics[] = {(uint32_t)GO_1_18, (uint32_t)GO_1_20};

	for (int i = 0; i < 2; i++) {
		struct code_map map;

		CHECK_EQ(read_made(magics[i], SIZE_MAX, true, &map), 0);
		check_lines(&map);
		CHECK_EQ(map.range_count, 2);
		CHECK_EQ(map.ranges[0].start, CODE_START + 0x20);
		CHECK_EQ(map.ranges[0].end, CODE_START + 0x30);
		CHECK_EQ(map.ranges[1].start, CODE_START + 0x30);
		CHECK_EQ(map.ranges[1].end, CODE_START + 0x40);
		check_call(&map, map.ranges[0].call, "main.inner", CODE_CALL_NONE, 10);
		check_call(&map, map.ranges[1].call, "main.deep", map.ranges[0].call, 20);
		code_map_done(&map);
	}
}

static void a_table_that_is_cut_off_never_leads_outside(void)
{
	for (size_t cut = 1; cut < FUNCTIONS + 0x90; cut++) {
		struct code_map map;
		int r = read_made((uint32_t)GO_1_20, cut, true, &map);

		CHECK(r == 0 || r == -EBADMSG);
		CHECK(map.line_count <= 4 && map.range_count <= 2);
		code_map_done(&map);
	}
}

static void without_a_table_there_is_nothing(void)
{
	SCOPED_FREE uint8_t *file = NULL;
	struct code_map map;
	struct tiny_elf elf;
	size_t byte_count;

	tiny_elf_init(&elf);
	tiny_elf_section(
		&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_START, NULL, 0x1000);
	file = tiny_elf_finish(&elf, &byte_count);
	CHECK_EQ(read_map(file, byte_count, &map), -ENOENT);
	code_map_done(&map);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(every_layout_has_lines);
	RUN(inlined_calls_are_found_through_the_module);
	RUN(a_table_that_is_cut_off_never_leads_outside);
	RUN(without_a_table_there_is_nothing);
	string_table_done(&strings);
	return 0;
}
