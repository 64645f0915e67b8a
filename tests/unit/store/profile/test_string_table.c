/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/string_table.h"

#include <errno.h>

#include "tests/support/check.h"

static void equal_texts_have_one_index_and_index_0_is_the_empty_text(void)
{
	struct string_table table;
	uint32_t main_index, other, empty;

	CHECK_EQ(string_table_init(&table), 0);
	CHECK_EQ(string_table_add(&table, "main", 4, &main_index), 0);
	CHECK_EQ(string_table_add(&table, "mainly", 6, &other), 0);
	CHECK(other != main_index);
	CHECK_EQ(string_table_add(&table, "mainly", 4, &other), 0);
	CHECK_EQ(other, main_index);
	CHECK_EQ(string_table_add(&table, "", 0, &empty), 0);
	CHECK_EQ(empty, 0);
	CHECK_EQ(table.count, 3);
	CHECK_STR(string_table_text(&table, main_index), "main");
	CHECK_EQ(string_table_length(&table, main_index), 4);
	CHECK_STR(string_table_text(&table, 0), "");
	string_table_done(&table);
}

static void texts_may_hold_any_byte(void)
{
	struct string_table table;
	uint32_t one, other, same;

	CHECK_EQ(string_table_init(&table), 0);
	CHECK_EQ(string_table_add(&table, "a\0b", 3, &one), 0);
	CHECK_EQ(string_table_add(&table, "a\0c", 3, &other), 0);
	CHECK_EQ(string_table_add(&table, "a\0b", 3, &same), 0);
	CHECK(one != other);
	CHECK_EQ(one, same);
	CHECK_EQ(string_table_length(&table, one), 3);
	string_table_done(&table);
}

static void only_what_was_added_is_found(void)
{
	struct string_table table;
	uint32_t index;

	CHECK_EQ(string_table_init(&table), 0);
	CHECK_EQ(string_table_find(&table, "main", 4), INDEX_MAP_NONE);
	CHECK_EQ(string_table_find(&table, "", 0), 0);
	CHECK_EQ(string_table_add(&table, "main", 4, &index), 0);
	CHECK_EQ(string_table_find(&table, "main", 4), index);
	CHECK_EQ(string_table_find(&table, "mai", 3), INDEX_MAP_NONE);
	string_table_done(&table);
}

static void a_borrowed_text_stays_while_the_table_grows(void)
{
	struct string_table table;
	const char *borrowed;
	char text[16];
	uint32_t index;

	CHECK_EQ(string_table_init(&table), 0);
	CHECK_EQ(string_table_add(&table, "stays", 5, &index), 0);
	borrowed = string_table_text(&table, index);
	for (int i = 0; i < 50000; i++) {
		snprintf(text, sizeof(text), "%d", i);
		CHECK_EQ(string_table_add(&table, text, strlen(text), &index), 0);
		CHECK_EQ(index, i + 2);
	}
	CHECK_STR(borrowed, "stays");
	CHECK_STR(string_table_text(&table, 40002), "40000");
	string_table_done(&table);
}

static void a_text_that_is_too_long_changes_nothing(void)
{
	static char text[STRING_BYTES_MAX + 1];
	struct string_table table;
	uint32_t index = 77;

	CHECK_EQ(string_table_init(&table), 0);
	CHECK_EQ(string_table_add(&table, text, sizeof(text), &index), -E2BIG);
	CHECK_EQ(index, 77);
	CHECK_EQ(table.count, 1);
	CHECK_EQ(string_table_add(&table, text, sizeof(text) - 1, &index), 0);
	CHECK_EQ(index, 1);
	string_table_done(&table);
}

int main(void)
{
	RUN(equal_texts_have_one_index_and_index_0_is_the_empty_text);
	RUN(texts_may_hold_any_byte);
	RUN(only_what_was_added_is_found);
	RUN(a_borrowed_text_stays_while_the_table_grows);
	RUN(a_text_that_is_too_long_changes_nothing);
	return 0;
}
