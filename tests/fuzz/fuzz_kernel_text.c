/* SPDX-License-Identifier: Apache-2.0 */
/* Any text either is refused, or gives functions in order that do not overlap, none of them longer
 * than a function can be, and an index in which each is found again. */
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/sandbox/index_writer.h"
#include "symbolizer-server/sandbox/kernel_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/whole_index.h"

static void check_list(const struct function_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		must(list->functions[i].start < list->functions[i].end);
		if (i > 0)
			must(list->functions[i - 1].end <= list->functions[i].start);
	}
}

static void check_index(const struct function_list *list, const struct string_table *strings)
{
	struct index_content content = {
		.functions = list, .strings = strings, .quality = SYMBOL_QUALITY_KERNEL};
	struct symbol_index_function found;
	struct whole_index index;
	size_t byte_count;
	uint8_t *bytes;

	must(index_write(&content, (size_t)64 << 20, &bytes, &byte_count) == 0);
	whole_index_adopt(&index, bytes, byte_count);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct function *function = &list->functions[i];
		const char *name = whole_index_name(&index, function->end - 1, &found);

		must(name && found.start == function->start && found.end == function->end);
		must(strlen(name) == string_table_length(strings, function->name));
	}
	whole_index_done(&index);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct string_table strings;
	struct function_list list;

	must(string_table_init(&strings) == 0);
	if (kernel_text_read((const char *)bytes, byte_count, &strings, &list) == 0) {
		must(list.count > 0);
		check_list(&list);
		check_index(&list, &strings);
		function_list_done(&list);
	}
	string_table_done(&strings);
}
