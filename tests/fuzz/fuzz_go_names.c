/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the table of a Go program either are refused, or give functions in order that do not
 * overlap, each of them in code and with a name; and lines and inlined calls that lie in code. The
 * input is the table, and the trees of inlined calls, too; the file around it is made here, of 64
 * bits, with a description of the module that leads to both. */
#include <elf.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/go_lines.h"
#include "symbolizer-server/sandbox/go_names.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/tiny_elf.h"

#define CODE_START 0x1000
#define CODE_BYTES 0x100000
#define TABLE_AT 0x200000
#define TREES_AT 0x400000
#define MODULE_AT 0x600000
#define MODULE_WORDS 41
/* Where a table of 64 bits says where its names begin. */
#define NAMES_WORD 32

static void check_list(const struct function_list *list, const struct string_table *strings)
{
	must(list->resolved);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct function *function = &list->functions[i];

		must(function->start < function->end);
		must(function->start >= CODE_START && function->end <= CODE_START + CODE_BYTES);
		must(function->name < strings->count);
		must(string_table_length(strings, function->name) > 0);
		if (i > 0)
			must(list->functions[i - 1].end <= function->start);
	}
}

static void check_map(const struct code_map *map, const struct string_table *strings)
{
	for (uint32_t i = 0; i < map->range_count; i++) {
		const struct code_range *range = &map->ranges[i];

		must(range->start >= CODE_START && range->end <= CODE_START + CODE_BYTES);
		must(range->call != CODE_CALL_NONE && range->call < map->call_count);
		must(map->calls[range->call].name < strings->count);
	}
	for (uint32_t i = 0; i < map->line_count; i++)
		must(map->lines[i].address >= CODE_START && map->lines[i].file < strings->count);
}

static void check_lines(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings)
{
	struct code_map map;

	must(code_map_init(&map) == 0);
	if (go_lines_read(image, names, code, strings, &map) == 0) {
		must(code_map_resolve(&map) == 0);
		check_map(&map, strings);
	}
	code_map_done(&map);
}

static void check_file(const uint8_t *file, size_t file_bytes)
{
	struct section_names names = {0};
	struct string_table strings;
	struct function_list list;
	struct code_ranges code;
	struct image image;

	must(image_open_memory(file, file_bytes, true, &image) == 0);
	must(section_names_read(&image, &names) == 0);
	must(code_ranges_read(&image, &code) == 0);
	must(string_table_init(&strings) == 0);
	if (go_names_read(&image, &names, &code, &strings, &list) == 0) {
		check_list(&list, &strings);
		function_list_done(&list);
	}
	check_lines(&image, &names, &code, &strings);
	string_table_done(&strings);
	code_ranges_done(&code);
	section_names_done(&names);
	image_done(&image);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	uint64_t module[MODULE_WORDS] = {TABLE_AT, TABLE_AT};
	SCOPED_FREE uint8_t *file = NULL;
	struct tiny_elf elf;
	size_t file_bytes;

	if (byte_count > TINY_BYTES_MAX / 3 || byte_count < NAMES_WORD + sizeof(uint64_t))
		return;
	memcpy(&module[1], bytes + NAMES_WORD, sizeof(module[1]));
	module[1] += TABLE_AT;
	module[MODULE_WORDS - 3] = module[MODULE_WORDS - 1] = TREES_AT;
	tiny_elf_init(&elf);
	tiny_elf_section(
		&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_START, NULL, CODE_BYTES);
	tiny_elf_section(&elf, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TABLE_AT, bytes, byte_count);
	tiny_elf_section(&elf, ".rodata", SHT_PROGBITS, SHF_ALLOC, TREES_AT, bytes, byte_count);
	tiny_elf_section(
		&elf, ".noptrdata", SHT_PROGBITS, SHF_ALLOC, MODULE_AT, module, sizeof(module));
	file = tiny_elf_finish(&elf, &file_bytes);
	check_file(file, file_bytes);
}
