/* SPDX-License-Identifier: Apache-2.0 */
/* Any file's symbol tables either are refused, or give functions in order that do not overlap, each
 * of them in code and with a name; the ranges of code are in order and apart. */
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/elf_symbols.h"
#include "tests/fuzz/fuzz.h"

static void check_ranges(const struct code_ranges *code)
{
	for (uint32_t i = 0; i < code->count; i++) {
		must(code->ranges[i].start < code->ranges[i].end);
		must(code_ranges_find(code, code->ranges[i].start) == &code->ranges[i]);
		must(code_ranges_find(code, code->ranges[i].end - 1) == &code->ranges[i]);
		if (i > 0)
			must(code->ranges[i - 1].end <= code->ranges[i].start);
	}
}

static void check_list(const struct function_list *list, const struct code_ranges *code,
	const struct string_table *strings)
{
	must(list->resolved);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct function *function = &list->functions[i];
		const struct code_span *range = code_ranges_find(code, function->start);

		must(function->start < function->end && range && function->end <= range->end);
		must(function_list_find(list, function->end - 1) == function);
		must(function->name < strings->count);
		must(string_table_length(strings, function->name) > 0);
		if (i > 0)
			must(list->functions[i - 1].end <= function->start);
	}
}

static void check_image(const struct image *image, const struct section_names *names)
{
	struct code_ranges code;

	if (code_ranges_read(image, &code) < 0)
		return;
	check_ranges(&code);
	for (int which = ELF_SYMBOLS_WHOLE; which <= ELF_SYMBOLS_PARTIAL; which++) {
		struct string_table strings;
		struct function_list list;

		must(string_table_init(&strings) == 0);
		if (elf_symbols_read(image, names, &code, (enum elf_symbol_table)which, &strings,
			    &list) == 0) {
			check_list(&list, &code, &strings);
			function_list_done(&list);
		}
		string_table_done(&strings);
	}
	code_ranges_done(&code);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct section_names names;
	struct image image;

	if (image_open_memory(bytes, byte_count, true, &image) < 0)
		return;
	if (section_names_read(&image, &names) == 0) {
		check_image(&image, &names);
		section_names_done(&names);
	}
	image_done(&image);
}
