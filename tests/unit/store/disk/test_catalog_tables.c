/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_tables.h"

#include <errno.h>
#include <string.h>

#include "tests/support/catalog_fixture.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct catalog_text text(const char *bytes)
{
	return (struct catalog_text){bytes, strlen(bytes)};
}

static int compare_keys(struct catalog_key one, struct catalog_key other)
{
	return catalog_text_compare((struct catalog_text){(const char *)one.bytes, one.byte_count},
		(struct catalog_text){(const char *)other.bytes, other.byte_count});
}

static void keys_sort_as_their_numbers_and_texts(void)
{
	const uint32_t small[] = {1, 300}, large[] = {1, 0x10000};

	CHECK(compare_keys(catalog_key_of_number(255), catalog_key_of_number(256)) < 0);
	CHECK(compare_keys(catalog_key_of_numbers(small, 2), catalog_key_of_numbers(large, 2)) < 0);
	CHECK(compare_keys(catalog_key_of_value(7, 1, text("a"), 9),
		      catalog_key_of_value(7, 1, text("b"), 1)) < 0);
	CHECK(compare_keys(catalog_key_of_value(7, 1, text("z"), 0),
		      catalog_key_of_value(8, 0, text("a"), 0)) < 0);
}

static void long_values_differ_by_their_numbers(void)
{
	char bytes[2000];
	struct catalog_text value = {bytes, sizeof(bytes)};
	struct catalog_key one, other;

	memset(bytes, 'v', sizeof(bytes));
	one = catalog_key_of_value(1, 2, value, 3);
	other = catalog_key_of_value(1, 2, value, 4);
	CHECK(one.byte_count <= LMDB_KEY_BYTES_MAX);
	CHECK(compare_keys(one, other) < 0);
}

static void records_of_odd_lengths_are_refused(void)
{
	static const uint8_t bytes[24] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
	struct catalog_presence presence;
	struct catalog_series series;
	uint32_t number;

	CHECK_EQ(catalog_number_read((struct lmdb_span){bytes, 3}, &number), -EUCLEAN);
	CHECK_EQ(catalog_number_read((struct lmdb_span){bytes, 4}, &number), 0);
	CHECK_EQ(number, 1);
	CHECK_EQ(catalog_presence_read((struct lmdb_span){bytes, 9}, 0, &presence), -EUCLEAN);
	CHECK_EQ(catalog_presence_read((struct lmdb_span){bytes, 3}, 4, &presence), -EUCLEAN);
	CHECK_EQ(catalog_presence_read((struct lmdb_span){bytes, 12}, 4, &presence), 0);
	CHECK_EQ(presence.count, 1);
	CHECK_EQ(presence.types[0].type, 2);
	CHECK(catalog_presence_has(&presence, 2, 1));
	CHECK(catalog_presence_has(&presence, 0, 2));
	CHECK(!catalog_presence_has(&presence, 3, 1));
	CHECK(!catalog_presence_has(&presence, 2, 4));
	CHECK_EQ(catalog_series_read((struct lmdb_span){bytes, 7}, &series), -EUCLEAN);
	CHECK_EQ(catalog_series_read((struct lmdb_span){bytes, 17}, &series), -EUCLEAN);
	CHECK_EQ(catalog_series_read((struct lmdb_span){bytes, 16}, &series), 0);
	CHECK_EQ(series.count, 1);
	CHECK_EQ(series.last_day, 2);
}

static void texts_and_series_are_found_by_number_and_by_content(void)
{
	struct catalog_fixture fixture;
	struct catalog_series series;
	struct catalog_text found;
	struct lmdb_txn *txn;
	uint32_t number;

	work_run("mkdir tables");
	catalog_fixture_open(&fixture, work_path("tables"));
	catalog_fixture_add(&fixture, CATALOG_FIXTURE_HOUR, NULL, "a=x");
	CHECK_EQ(lmdb_read_begin(fixture.tables.env, &txn), 0);
	CHECK_EQ(catalog_find_text(&fixture.tables, txn, text("x"), &number), 0);
	CHECK_EQ(catalog_get_text(&fixture.tables, txn, number, &found), 0);
	CHECK_EQ(catalog_text_compare(found, text("x")), 0);
	CHECK_EQ(catalog_find_text(&fixture.tables, txn, text("y"), &number), -ENOENT);
	CHECK_EQ(catalog_get_text(&fixture.tables, txn, 1000, &found), -EUCLEAN);
	CHECK_EQ(catalog_get_series(&fixture.tables, txn, 1, &series), 0);
	CHECK_EQ(series.count, 2);
	CHECK_EQ(catalog_get_series(&fixture.tables, txn, 2, &series), -EUCLEAN);
	lmdb_read_end(txn);
	catalog_fixture_close(&fixture);
}

static void a_folder_that_is_not_there_is_refused(void)
{
	struct catalog_tables tables = {.env = NULL};

	CHECK(catalog_tables_open(&tables, work_path("absent")) < 0);
	CHECK(!tables.env);
}

int main(void)
{
	RUN(keys_sort_as_their_numbers_and_texts);
	RUN(long_values_differ_by_their_numbers);
	RUN(records_of_odd_lengths_are_refused);
	RUN(texts_and_series_are_found_by_number_and_by_content);
	RUN(a_folder_that_is_not_there_is_refused);
	return 0;
}
