/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_writer.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/whole_index.h"

#define LIMIT ((size_t)64 << 20)

static struct string_table names;

static uint32_t name_of(const char *text)
{
	uint32_t index;

	CHECK_EQ(string_table_add(&names, text, strlen(text), &index), 0);
	return index;
}

static void write_index(struct function_list *list, struct whole_index *index)
{
	struct index_content content = {
		.functions = list, .strings = &names, .quality = SYMBOL_QUALITY_TABLE};
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(function_list_resolve(list), 0);
	CHECK_EQ(index_write(&content, LIMIT, &bytes, &byte_count), 0);
	whole_index_adopt(index, bytes, byte_count);
}

static void check_all_chunks(const struct whole_index *index)
{
	uint64_t function_count = 0;

	for (uint32_t i = 0; i < index->header.chunk_count; i++) {
		struct symbol_index_entry entry;
		const uint8_t *bytes = whole_index_chunk(index, i, &entry);
		uint32_t count;

		CHECK_EQ(symbol_index_check_chunk(&index->header, &entry, bytes, &count), 0);
		function_count += count;
	}
	CHECK_EQ(function_count, index->header.function_count);
}

static void what_was_written_is_found_and_gaps_are_not(void)
{
	struct symbol_index_function function;
	struct function_list list = {0};
	struct whole_index index;

	CHECK_EQ(function_list_add(&list, 0x1000, 0x1100, name_of("one"), 0), 0);
	CHECK_EQ(function_list_add(&list, 0x1100, 0x1180, name_of("two"), 0), 0);
	CHECK_EQ(function_list_add(&list, 0x2000, 0x2001, name_of("one"), 0), 0);
	CHECK_EQ(function_list_add(&list, UINT64_MAX - 9, UINT64_MAX, name_of("last"), 0), 0);
	write_index(&list, &index);
	CHECK_EQ(index.header.function_count, 4);
	CHECK_EQ(index.header.name_count, 3);
	CHECK_EQ(index.header.quality, SYMBOL_QUALITY_TABLE);
	CHECK_EQ(index.header.parser_version, SYMBOL_INDEX_PARSER_VERSION);
	check_all_chunks(&index);
	CHECK(!whole_index_name(&index, 0xfff, &function));
	CHECK_STR(whole_index_name(&index, 0x1000, &function), "one");
	CHECK_STR(whole_index_name(&index, 0x10ff, &function), "one");
	CHECK_STR(whole_index_name(&index, 0x1100, &function), "two");
	CHECK_EQ(function.end, 0x1180);
	CHECK(!whole_index_name(&index, 0x1180, &function));
	CHECK_STR(whole_index_name(&index, 0x2000, &function), "one");
	CHECK(!whole_index_name(&index, 0x2001, &function));
	CHECK_STR(whole_index_name(&index, UINT64_MAX - 1, &function), "last");
	CHECK(!whole_index_name(&index, UINT64_MAX, &function));
	whole_index_done(&index);
	function_list_done(&list);
}

static void large_indexes_are_cut_into_chunks(void)
{
	struct symbol_index_function function;
	struct function_list list = {0};
	struct whole_index index;
	char text[64];

	for (uint32_t i = 0; i < 200000; i++) {
		snprintf(text, sizeof(text), "a_rather_long_name_of_a_function_%u", i * 7 % 99991);
		CHECK_EQ(function_list_add(&list, UINT64_C(100) * i, UINT64_C(100) * i + 60,
				 name_of(text), 0),
			0);
	}
	write_index(&list, &index);
	CHECK(index.header.chunk_count > 10);
	check_all_chunks(&index);
	for (uint32_t i = 0; i < 200000; i += 97) {
		snprintf(text, sizeof(text), "a_rather_long_name_of_a_function_%u", i * 7 % 99991);
		CHECK_STR(whole_index_name(&index, UINT64_C(100) * i + 59, &function), text);
		CHECK_EQ(function.start, UINT64_C(100) * i);
		CHECK(!whole_index_name(&index, UINT64_C(100) * i + 60, &function));
	}
	whole_index_done(&index);
	function_list_done(&list);
}

static void names_are_cut_and_mended(void)
{
	static char wide[SYMBOL_NAME_BYTES_MAX + 100];
	struct symbol_index_function function;
	struct function_list list = {0};
	struct whole_index index;

	memset(wide, 'x', sizeof(wide) - 1);
	CHECK_EQ(function_list_add(&list, 0, 1, name_of(wide), 0), 0);
	CHECK_EQ(function_list_add(&list, 1, 2, name_of("a\n\xff"), 0), 0);
	write_index(&list, &index);
	check_all_chunks(&index);
	CHECK_EQ(strlen(whole_index_name(&index, 0, &function)), SYMBOL_NAME_BYTES_MAX - 1);
	CHECK_STR(whole_index_name(&index, 1, &function), "a??");
	whole_index_done(&index);
	function_list_done(&list);
}

static void an_index_of_nothing_is_sound(void)
{
	struct symbol_index_function function;
	struct function_list list = {0};
	struct whole_index index;

	write_index(&list, &index);
	CHECK_EQ(index.header.chunk_count, 0);
	CHECK(!whole_index_name(&index, 0, &function));
	whole_index_done(&index);
}

static void equal_input_gives_equal_bytes(void)
{
	struct function_list list = {0}, other = {0};
	struct whole_index one, two;

	for (uint64_t i = 0; i < 100; i++) {
		CHECK_EQ(function_list_add(&list, i * 10, i * 10 + 5, name_of("n"), 0), 0);
		CHECK_EQ(function_list_add(
				 &other, (99 - i) * 10, (99 - i) * 10 + 5, name_of("n"), 0),
			0);
	}
	write_index(&list, &one);
	write_index(&other, &two);
	CHECK_EQ(one.header.total_bytes, two.header.total_bytes);
	CHECK(memcmp(one.bytes, two.bytes, one.header.total_bytes) == 0);
	whole_index_done(&one);
	whole_index_done(&two);
	function_list_done(&list);
	function_list_done(&other);
}

static void an_index_over_the_limit_is_refused(void)
{
	struct function_list list = {0};
	struct index_content content = {
		.functions = &list, .strings = &names, .quality = SYMBOL_QUALITY_TABLE};
	uint8_t *bytes = NULL;
	size_t byte_count;

	CHECK_EQ(function_list_add(&list, 0, 1, name_of("one"), 0), 0);
	CHECK_EQ(function_list_resolve(&list), 0);
	CHECK_EQ(index_write(&content, 60, &bytes, &byte_count), -EFBIG);
	CHECK(!bytes);
	function_list_done(&list);
}

int main(void)
{
	CHECK_EQ(string_table_init(&names), 0);
	RUN(what_was_written_is_found_and_gaps_are_not);
	RUN(large_indexes_are_cut_into_chunks);
	RUN(names_are_cut_and_mended);
	RUN(an_index_of_nothing_is_sound);
	RUN(equal_input_gives_equal_bytes);
	RUN(an_index_over_the_limit_is_refused);
	string_table_done(&names);
	return 0;
}
