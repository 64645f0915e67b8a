/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the debug sections of a file: the reader ends, within its bounds, and what it found
 * keeps the rules of a list of functions and of a code map. */
#include <elf.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/sandbox/dwarf_read.h"
#include "tests/fuzz/fuzz.h"

#define CODE_START 0x1000
#define CODE_END 0x9000

/* The sections of one file, their contents behind each other in the input: a byte for each tells
 * its share. */
static const char names_text[] = "\0.debug_info\0.debug_abbrev\0.debug_line\0.debug_ranges\0"
				 ".debug_rnglists\0.debug_addr\0.debug_str_offsets\0.debug_str\0"
				 ".debug_line_str\0.debug_info.dwo\0.debug_abbrev.dwo\0"
				 ".debug_rnglists.dwo\0.debug_str_offsets.dwo\0.debug_str.dwo\0"
				 ".debug_cu_index\0";
#define SECTION_COUNT 15

static uint32_t lay_out(struct image_section *sections, const uint8_t *shares, uint64_t byte_count)
{
	uint64_t offset = SECTION_COUNT;
	uint32_t name = 1;

	for (uint32_t i = 0; i < SECTION_COUNT; i++) {
		uint64_t left = byte_count - offset;
		uint64_t share = (uint64_t)shares[i] * 8 < left ? (uint64_t)shares[i] * 8 : left;

		sections[i + 1] = (struct image_section){
			.name = name, .type = SHT_PROGBITS, .offset = offset, .byte_count = share};
		offset += share;
		name += (uint32_t)strlen(names_text + name) + 1;
	}
	return SECTION_COUNT + 1;
}

static void check_functions(struct function_list *list)
{
	must(function_list_resolve(list) == 0);
	for (uint32_t i = 0; i < list->count; i++)
		must(list->functions[i].start >= CODE_START && list->functions[i].end <= CODE_END);
}

static void check_map(struct code_map *map)
{
	must(code_map_resolve(map) == 0);
	for (uint32_t i = 0; i < map->range_count; i++) {
		must(map->ranges[i].start >= CODE_START && map->ranges[i].end <= CODE_END);
		must(map->ranges[i].call > 0 && map->ranges[i].call < map->call_count);
	}
	for (uint32_t i = 1; i < map->call_count; i++)
		must(map->calls[i].parent < i);
}

static void read_image(const struct image *image)
{
	const struct section_names names = {
		.text = (char *)(uintptr_t)names_text, .byte_count = sizeof(names_text)};
	struct code_span span = {CODE_START, CODE_END};
	const struct code_ranges code = {.ranges = &span, .count = 1};
	const struct dwarf_source source = {.image = image, .names = &names, .scratch_fd = -1};
	struct function_list table = {0}, functions = {0};
	struct string_table strings;
	struct dwarf_missing missing;
	struct code_map map;
	struct dwarf_target target = {.code = &code,
		.table = &table,
		.strings = &strings,
		.functions = &functions,
		.map = &map};

	must(string_table_init(&strings) == 0 && code_map_init(&map) == 0);
	dwarf_read(&source, &target, &missing);
	check_functions(&functions);
	check_map(&map);
	function_list_done(&functions);
	code_map_done(&map);
	string_table_done(&strings);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct image_section sections[SECTION_COUNT + 1] = {0};
	struct image image = {.fd = -1,
		.memory = bytes,
		.byte_count = byte_count,
		.is_64 = true,
		.type = ET_DYN,
		.machine = EM_X86_64,
		.sections = sections,
		.name_section = 1};

	if (byte_count < SECTION_COUNT)
		return;
	image.section_count = lay_out(sections, bytes, byte_count);
	read_image(&image);
}
