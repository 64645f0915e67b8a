/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the table of a Go program either are refused, or give functions in order that do not
 * overlap, each of them in code and with a name. The input is the table; the file around it is made
 * here, of 64 bits. */
#include <elf.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/go_names.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/tiny_elf.h"

#define CODE_START 0x1000
#define CODE_BYTES 0x100000

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
	string_table_done(&strings);
	code_ranges_done(&code);
	section_names_done(&names);
	image_done(&image);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *file = NULL;
	struct tiny_elf elf;
	size_t file_bytes;

	if (byte_count > TINY_BYTES_MAX / 2)
		return;
	tiny_elf_init(&elf);
	tiny_elf_section(
		&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_START, NULL, CODE_BYTES);
	tiny_elf_section(&elf, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, 0x200000, bytes, byte_count);
	file = tiny_elf_finish(&elf, &file_bytes);
	check_file(file, file_bytes);
}
