/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/go_names.h"

#include <errno.h>

#include "symbolizer-server/sandbox/go_table.h"

static int add_functions(const struct go_table *table, const struct code_ranges *code,
	struct string_table *strings, struct function_list *list)
{
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < table->function_count; i++) {
		uint64_t start, end, record, unused;
		const struct code_span *span;
		const char *name;
		size_t length;
		uint32_t index;

		if (!go_table_entry(table, i, &start, &record) ||
			!go_table_entry(table, i + 1, &end, &unused))
			return -EBADMSG;
		span = code_ranges_find(code, start);
		name = span ? go_table_name(table, record, &length) : NULL;
		if (!name)
			continue;
		r = string_table_add(strings, name, length, &index);
		if (r == 0)
			r = function_list_add(
				list, start, end < span->end ? end : span->end, index, 0);
	}
	return r == 0 ? function_list_resolve(list) : r;
}

int go_names_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings,
	struct function_list *ret_list)
{
	struct function_list list = {0};
	struct go_table table;
	int r = go_table_open(image, names, &table);

	if (r < 0)
		return r;
	r = add_functions(&table, code, strings, &list);
	go_table_done(&table);
	if (r < 0) {
		function_list_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}
