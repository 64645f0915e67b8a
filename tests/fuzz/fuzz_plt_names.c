/* SPDX-License-Identifier: Apache-2.0 */
/* Any file's stubs either are refused, or are in order, do not overlap, and are called `NAME@plt`;
 * what the file is kept as follows from its facts, which come back from their record as they were. */
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/sandbox/file_facts.h"
#include "symbolizer-server/sandbox/plt_names.h"
#include "tests/fuzz/fuzz.h"

static void check_list(const struct function_list *list, const struct string_table *strings)
{
	must(list->resolved);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct function *function = &list->functions[i];
		size_t length = string_table_length(strings, function->name);

		must(function->start < function->end);
		must(length > strlen("@plt"));
		must(memcmp(string_table_text(strings, function->name) + length - strlen("@plt"),
			     "@plt", strlen("@plt")) == 0);
		if (i > 0)
			must(list->functions[i - 1].end <= function->start);
	}
}

static void check_facts(const struct image *image, const struct section_names *names)
{
	uint8_t bytes[FILE_FACTS_BYTES], again[FILE_FACTS_BYTES];
	struct file_facts facts, back;

	if (file_facts_read(image, names, &facts) < 0)
		return;
	must(!*facts.link_name || file_name_is_plain(facts.link_name));
	file_facts_encode(&facts, bytes);
	must(file_facts_decode(bytes, sizeof(bytes), &back) == 0);
	file_facts_encode(&back, again);
	must(memcmp(bytes, again, sizeof(bytes)) == 0);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct section_names names;
	struct string_table strings;
	struct function_list list;
	struct file_facts facts;
	struct image image;

	(void)file_facts_decode(bytes, byte_count, &facts);
	if (image_open_memory(bytes, byte_count, true, &image) < 0)
		return;
	if (section_names_read(&image, &names) == 0) {
		must(string_table_init(&strings) == 0);
		if (plt_names_read(&image, &names, &strings, &list) == 0) {
			check_list(&list, &strings);
			function_list_done(&list);
		}
		string_table_done(&strings);
		check_facts(&image, &names);
		section_names_done(&names);
	}
	image_done(&image);
}
