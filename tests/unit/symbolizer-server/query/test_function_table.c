/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/function_table.h"

#include "store/base/cleanup.h"
#include "tests/support/check.h"

static uint32_t add(struct function_table *table, const char *name, const char *module, int kind)
{
	struct function function = {.kind = (uint8_t)kind};
	uint32_t index;

	CHECK_EQ(function_table_add_text(table, name, strlen(name), &function.name), 0);
	CHECK_EQ(function_table_add_text(table, module, strlen(module), &function.module), 0);
	CHECK_EQ(function_table_add(table, &function, &index), 0);
	return index;
}

static void a_function_is_module_name_and_kind(void)
{
	struct function_table table;
	uint32_t read;

	CHECK_EQ(function_table_init(&table), 0);
	read = add(&table, "read", "libc.so.6", FUNCTION_NATIVE);
	CHECK_EQ(add(&table, "read", "libc.so.6", FUNCTION_NATIVE), read);
	CHECK(add(&table, "read", "libpthread.so", FUNCTION_NATIVE) != read);
	CHECK(add(&table, "read", "libc.so.6", FUNCTION_KERNEL) != read);
	CHECK(add(&table, "write", "libc.so.6", FUNCTION_NATIVE) != read);
	CHECK_STR(function_table_name(&table, read), "read");
	CHECK_EQ(function_table_name_length(&table, read), 4);
	CHECK(function_table_compare(&table, read, 1) < 0);
	CHECK(function_table_compare(&table, 3, read) > 0);
	CHECK_EQ(function_table_compare(&table, read, read), 0);
	function_table_done(&table);
}

static uint32_t add_at(
	struct function_table *table, const char *file, uint32_t line, uint32_t build)
{
	struct function function = {.kind = FUNCTION_NATIVE, .line = line, .build = build};
	uint32_t index;

	CHECK_EQ(function_table_add_text(table, "f", 1, &function.name), 0);
	CHECK_EQ(function_table_add_text(table, file, strlen(file), &function.file), 0);
	CHECK_EQ(function_table_add(table, &function, &index), 0);
	return index;
}

static void lines_and_builds_count_where_they_are_given(void)
{
	struct function_table table;
	uint32_t any, at_line;

	CHECK_EQ(function_table_init(&table), 0);
	any = add_at(&table, "z.c", 0, 0);
	CHECK_EQ(add_at(&table, "b.c", 0, 0), any);
	/* What is told beside it does not depend on what came first. */
	CHECK_STR(string_table_text(&table.strings, table.functions[any].file), "b.c");
	CHECK_EQ(add_at(&table, "c.c", 0, 0), any);
	CHECK_STR(string_table_text(&table.strings, table.functions[any].file), "b.c");
	at_line = add_at(&table, "b.c", 7, 0);
	CHECK(at_line != any);
	CHECK_EQ(add_at(&table, "b.c", 7, 0), at_line);
	CHECK(add_at(&table, "c.c", 7, 0) != at_line);
	CHECK(add_at(&table, "b.c", 8, 0) != at_line);
	CHECK(add_at(&table, "b.c", 7, 1) != at_line);
	CHECK(function_table_compare(&table, at_line, add_at(&table, "b.c", 8, 0)) < 0);
	function_table_done(&table);
}

static void texts_become_valid_and_bounded(void)
{
	SCOPED_FREE char *text = malloc(STRING_BYTES_MAX + 10);
	struct function_table table;
	uint32_t index;

	CHECK(text);
	CHECK_EQ(function_table_init(&table), 0);
	CHECK_EQ(function_table_add_text(&table, "a\xff", 2, &index), 0);
	CHECK_STR(string_table_text(&table.strings, index), "a\xef\xbf\xbd");
	memset(text, 0xff, STRING_BYTES_MAX + 10);
	CHECK_EQ(function_table_add_text(&table, text, STRING_BYTES_MAX + 10, &index), 0);
	/* Cut between two characters of three bytes. */
	CHECK_EQ(string_table_length(&table.strings, index), STRING_BYTES_MAX / 3 * 3);
	function_table_done(&table);
}

int main(void)
{
	RUN(a_function_is_module_name_and_kind);
	RUN(lines_and_builds_count_where_they_are_given);
	RUN(texts_become_valid_and_bounded);
	return 0;
}
