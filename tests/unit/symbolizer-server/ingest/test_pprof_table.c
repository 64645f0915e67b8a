/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/pprof_table.h"

#include <errno.h>

#include "tests/support/made_pprof.h"

static struct proto_text text;
static struct pprof_tables tables;
static struct ingest_fault fault;

static int open_text(void)
{
	return pprof_tables_init(&tables, (struct ingest_text){text.bytes, text.length}, &fault);
}

static void tables_are_found_by_id(uint64_t first_id)
{
	uint32_t row;

	made_pprof(&text, first_id);
	CHECK_EQ(open_text(), 0);
	CHECK_EQ(tables.type_count, 2);
	CHECK_EQ(tables.period, 10000000);
	CHECK_EQ(tables.location_ids.dense, first_id == 1);
	row = pprof_ids_find(&tables.function_ids, first_id + 1);
	CHECK_EQ(row, 1);
	CHECK(memcmp(pprof_string(&tables, tables.functions[row].name).text, "work", 4) == 0);
	CHECK_EQ(pprof_ids_find(&tables.function_ids, first_id + 3), PPROF_NONE);
	CHECK_EQ(pprof_ids_find(&tables.function_ids, 0), PPROF_NONE);
	CHECK(!tables.locations[2].has_lines);
	CHECK_EQ(tables.locations[2].address, 0x1500);
	pprof_tables_done(&tables);
}

static void dense_ids_and_others(void)
{
	tables_are_found_by_id(1);
	tables_are_found_by_id(50);
}

static void a_text_that_is_not_there_is_empty(void)
{
	text.length = 0;
	PROTO_ROW(&text, 5, {1, 1}, {2, 1});
	PROTO_ROW(&text, 1, {1, 4}, {2, 2});
	CHECK_EQ(open_text(), 0);
	CHECK_EQ(tables.broken_count, 3);
	CHECK_EQ(pprof_string(&tables, tables.functions[0].name).length, 0);
	pprof_tables_done(&tables);
	text.length = 0;
	proto_string(&text, 6, "not empty");
	CHECK_EQ(open_text(), -EBADMSG);
	CHECK(strstr(fault.text, "first text"));
}

static void too_many_columns_are_refused(void)
{
	text.length = 0;
	for (int i = 0; i < 33; i++)
		PROTO_ROW(&text, 1, {1, 0}, {2, 0});
	CHECK_EQ(open_text(), -E2BIG);
}

static void of_equal_ids_the_first_counts(void)
{
	text.length = 0;
	PROTO_ROW(&text, 4, {1, 7}, {3, 1});
	PROTO_ROW(&text, 4, {1, 7}, {3, 2});
	CHECK_EQ(open_text(), 0);
	CHECK_EQ(pprof_ids_find(&tables.location_ids, 7), 0);
	pprof_tables_done(&tables);
}

int main(void)
{
	RUN(dense_ids_and_others);
	RUN(a_text_that_is_not_there_is_empty);
	RUN(too_many_columns_are_refused);
	RUN(of_equal_ids_the_first_counts);
	return 0;
}
